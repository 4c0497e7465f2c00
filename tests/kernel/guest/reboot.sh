# SPDX-License-Identifier: GPL-2.0-or-later
# The other state of a series of boots, which is /series.json so far.
cp /series.json .
calib bench perf --boot after --iterations 2 --warmup 0 \
	--sensor ina231-i2c-2-40/power1 -o series.json
calib bench compare series.json > compare.txt
cat compare.txt
