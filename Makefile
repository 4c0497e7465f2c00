# SPDX-License-Identifier: GPL-2.0-or-later
#
# make                 build/calib/calib, build/fdtedit/fdtedit
# make check [SAN=1]   layers, style, all tests (SAN=1: address and undefined-behaviour sanitizers)
# make check-kernel    boot real kernels under QEMU and measure in them (KERNEL=6.12, KERNEL="6.1 6.12")
# make check-kernel-intervals   how often intervals miss there: RUNS=20 guests of CPUS=2 (or 4) CPUs
# make check-corpus    edit all device trees of Linux (scripts/corpus; CORPUS=N: so many)
# make bench           the figures that README and notes quote
# make fuzz            libFuzzer on each target of tests/fuzz, SECONDS=600 each
# make install         DESTDIR= prefix=
# CROSS_COMPILE=       as in the kernel

VERSION := 0.1.0
prefix ?= /usr/local
bindir ?= $(prefix)/bin
datadir ?= $(prefix)/share
mandir ?= $(datadir)/man
completiondir ?= $(datadir)/bash-completion/completions

CC := $(CROSS_COMPILE)gcc
AR := $(CROSS_COMPILE)ar
PKG_CONFIG ?= $(CROSS_COMPILE)pkg-config
SCDOC ?= scdoc
DTC ?= dtc

B := build$(if $(SAN),-san)
CFLAGS ?= -O2 -g
WARN := -Wall -Wextra -Wvla -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wold-style-definition -Wpointer-arith -Wformat=2 -Wno-format-nonliteral \
	-Wno-missing-field-initializers $(if $(WERROR),-Werror)
comma := ,
SANFLAGS := $(if $(SAN),-fsanitize=address$(comma)undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer)
# Same results on every machine: no fused multiply-add behind our back.
ALL_CFLAGS = -std=gnu11 $(CFLAGS) $(WARN) $(SANFLAGS) -ffp-contract=off -pthread -I. -I$(B) \
	-D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 -DCALIB_VERSION='"$(VERSION)"' -MMD -MP
ALL_LDFLAGS = $(LDFLAGS) $(SANFLAGS) -pthread
LIBS_fdtedit := -lfdt -ljansson -lm
LIBS_calib := -lsensors -lgsl -lgslcblas $(LIBS_fdtedit)

# V=1 shows whole command lines, -s nothing.
Q := $(if $(V),,@)
silent := $(findstring s,$(filter-out --%,$(firstword -$(MAKEFLAGS))))
say = $(if $(V)$(silent),@:,@printf '  %-7s %s\n' $(1) $@)

src = $(foreach d,$(1),$(wildcard $(d)/*.c))
obj = $(patsubst %.c,$(B)/%.o,$(1))

lib_obj := $(call obj,$(call src,lib))
models_obj := $(call obj,$(call src,models))
boards_obj := $(call obj,$(call src,boards)) $(B)/boards/blobs.o
calib_obj := $(call obj,$(filter-out calib/main.c,$(call src,calib calib/measure calib/linux \
	calib/sim calib/loads calib/plot calib/bench)))
fdtedit_obj := $(call obj,$(filter-out fdtedit/main.c,$(call src,fdtedit)))
# Archives a program links against, low layers last.
ar_fdtedit := $(B)/fdtedit.a $(B)/models.a $(B)/lib.a
ar_calib := $(B)/calib.a $(B)/boards.a $(B)/models.a $(B)/lib.a

boards_dtb := $(patsubst %.dts,$(B)/%.dtb,$(wildcard boards/*.dts))
man_pages := $(patsubst %.scd,$(B)/%,$(wildcard man/*.scd))
unit_src := $(wildcard tests/unit/test_*.c)
unit_bin := $(patsubst %.c,$(B)/%,$(unit_src))
bench_bin := $(patsubst %.c,$(B)/%,$(wildcard tests/bench/bench_*.c))
bench_script := tests/bench/bench_messages
fuzz_bin := $(patsubst %.c,$(B)/%,$(wildcard tests/fuzz/fuzz_*.c))

.DELETE_ON_ERROR:
.PHONY: all check check-static check-tests check-unit check-kernel check-kernel-intervals check-corpus bench fuzz install clean man

all: $(B)/calib/calib $(B)/fdtedit/fdtedit man

$(B)/calib/calib: $(B)/calib/main.o $(ar_calib)
	$(call say,LD)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS_calib)

$(B)/fdtedit/fdtedit: $(B)/fdtedit/main.o $(ar_fdtedit)
	$(call say,LD)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS_fdtedit)

$(B)/lib.a: $(lib_obj)
$(B)/models.a: $(models_obj)
$(B)/boards.a: $(boards_obj)
$(B)/calib.a: $(calib_obj)
$(B)/fdtedit.a: $(fdtedit_obj)
$(B)/%.a:
	$(call say,AR)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

$(B)/%.o: %.c
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<

# Board descriptions: DTS in, one object that holds every compiled tree and an index of names.
$(B)/boards/%.dtb: boards/%.dts $(wildcard boards/*.dtsi)
	@mkdir -p $(@D)
	$(call say,DTC)
	$(Q)$(DTC) -q -@ -I dts -O dtb -i boards -o $@ $<

$(B)/boards/blobs.S: scripts/embed-boards $(boards_dtb)
	@mkdir -p $(@D)
	$(call say,EMBED)
	$(Q)EMBED_BITS=$$(($$(echo __SIZEOF_POINTER__ | $(CC) -E -P -) * 8)) \
		scripts/embed-boards $(boards_dtb) > $@

$(B)/boards/blobs.o: $(B)/boards/blobs.S
	$(call say,AS)
	$(Q)$(CC) $(SANFLAGS) -c -o $@ $<

man: $(man_pages)
$(B)/man/%: man/%.scd
	@mkdir -p $(@D)
	$(call say,SCDOC)
	$(Q)$(SCDOC) < $< > $@

# Unit tests link everything, so that a test may reach any layer.
$(B)/tests/unit/%: tests/unit/%.c $(B)/fdtedit.a $(ar_calib)
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $< $(B)/fdtedit.a $(ar_calib) $(LIBS_calib) -lcmocka

# Preloaded by tests; without sanitizers, which would want to come first.
fault_lib := $(patsubst %,$(B)/tests/fake/%.so,faults hotplug pstate threads)
$(fault_lib): $(B)/%.so: %.c tests/fake/preload.h
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE $(CFLAGS) $(WARN) -fPIC -shared -o $@ $< -ldl

# A program that plays a virtual board in files.
fake_bin := $(patsubst %,$(B)/tests/fake/%,bench-meter board physics)
guest_bin := $(B)/tests/kernel/simsensor
$(fake_bin) $(guest_bin) $(bench_bin): $(B)/%: %.c $(B)/fdtedit.a $(ar_calib)
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $< $(B)/fdtedit.a $(ar_calib) $(LIBS_calib)

# What takes bytes from anywhere. The tests feed it files; FUZZER=1 (scripts/fuzz) makes it a libFuzzer.
fuzz_main := $(if $(FUZZER),,tests/fuzz/replay.c) tests/fuzz/beside.c tests/fuzz/compare.c \
	tests/fuzz/line.c tests/fuzz/lines.c tests/fuzz/run.c
$(fuzz_bin): $(B)/%: %.c $(wildcard tests/fuzz/*.h) $(fuzz_main) $(ar_fdtedit)
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(filter-out -MMD -MP,$(ALL_CFLAGS)) $(ALL_LDFLAGS) $(if $(FUZZER),-DFUZZER -fsanitize=fuzzer) \
		-o $@ $< $(fuzz_main) $(ar_fdtedit) $(LIBS_fdtedit)

check-static:
	scripts/check-layers
	scripts/check-style

# TESTS="tests/cli/x.bats build/tests/unit/test_y" picks some.
TESTS ?= $(unit_bin) $(wildcard tests/cli/*.bats)
check-tests: all $(unit_bin) $(fault_lib) $(fake_bin) $(fuzz_bin)
	B=$(B) scripts/run-tests $(TESTS)

# Unit tests alone: what scripts/cross runs under qemu-user.
# UNIT_SKIP: names of those that it cannot run.
unit_some = $(filter-out $(UNIT_SKIP:%=$(B)/tests/unit/%),$(unit_bin))
check-unit: $(unit_bin)
	B=$(B) scripts/run-tests $(unit_some)

check: check-static
	@$(MAKE) --no-print-directory WERROR=1 check-tests TESTS="$(TESTS) $(if $(SAN),,tests/kernel/kernel.bats)"

# Each prints what the kernel made of our coefficients, where it can be had.
KERNEL ?= 6.1
check-kernel: all
	$(if $(SAN),$(error check-kernel: the guest's programs have no sanitizers, leave SAN out))
	scripts/deps kernel
	@for k in $(KERNEL); do \
		KERNEL=$$k B=$(B) scripts/run-tests tests/kernel/kernel.bats || exit 1; \
		[ ! -e $(B)/kernel-$$k/table.txt ] || cat $(B)/kernel-$$k/table.txt; \
	done

# How often intervals miss there: RUNS guests of CPUS (2 or 4) CPUs, about a minute each.
RUNS ?= 20
CPUS ?= 2
check-kernel-intervals: all
	scripts/deps kernel
	KERNEL=$(KERNEL) B=$(B) tests/kernel/intervals $(RUNS) $(CPUS)

check-corpus: all
	scripts/deps corpus
	B=$(B) scripts/corpus

bench: all $(bench_bin)
	@for b in $(bench_bin) $(bench_script); do echo "== $${b##*/}"; B=$(B) $$b || exit 1; done

SECONDS ?= 600
fuzz:
	scripts/fuzz $(SECONDS)

install: all
	install -d $(DESTDIR)$(bindir) $(DESTDIR)$(mandir)/man1 $(DESTDIR)$(mandir)/man5 \
		$(DESTDIR)$(completiondir)
	install -m 755 $(B)/calib/calib $(B)/fdtedit/fdtedit $(DESTDIR)$(bindir)
	install -m 644 $(filter %.1,$(man_pages)) $(DESTDIR)$(mandir)/man1
	install -m 644 $(filter %.5,$(man_pages)) $(DESTDIR)$(mandir)/man5
	install -m 644 completion/calib $(DESTDIR)$(completiondir)/calib
	ln -sf calib $(DESTDIR)$(completiondir)/fdtedit

clean:
	rm -rf build build-san build-fuzz

-include $(shell find $(B) -name '*.d' 2>/dev/null)
