# SPDX-License-Identifier: GPL-2.0-or-later
# What probe and verify say of this tree.
calib probe --board /board.dtb > probe.txt || true
calib verify > verify.txt 2>&1 || echo $? > verify.status
cat probe.txt verify.txt
