# Short names for what Meson does; see meson.build. SPDX-License-Identifier: Apache-2.0

BUILD = build
SANITIZE_BUILD = build-sanitize
PREFIX = /usr/local

.PHONY: help setup build demo check check-aarch64 fuzz bench bench-large format install sanitize clean

help:
	@echo 'make setup     configure the build folder $(BUILD)/, installing what is missing'
	@echo 'make build     build the library and the command $(BUILD)/congru'
	@echo 'make demo      the synthetic table of the paper in small, in two minutes; results in demo/'
	@echo 'make check     build and run all tests'
	@echo 'make check-aarch64  the C tests on 64-bit ARM, under qemu (needs its cross compiler)'
	@echo 'make fuzz      fuzz each file format for FUZZ_SECONDS (600), with clang'
	@echo 'make bench     measure the speed'
	@echo 'make bench-large  100,000 trials of 64 channels: time and memory'
	@echo 'make format    format the C sources in place'
	@echo 'make install   install under PREFIX ($(PREFIX)), below DESTDIR if given'
	@echo 'make sanitize  run all tests with the address and undefined-behaviour sanitizers'
	@echo 'make clean     remove the build folders'

setup:
	@tools/install-dependencies.sh build $(BUILD)
	@test -f $(BUILD)/build.ninja || meson setup $(BUILD) --prefix=$(PREFIX)

build: setup
	@ninja -C $(BUILD)

demo: build
	@tools/demo.sh $(BUILD)

check:
	@tools/install-dependencies.sh check $(BUILD)
	@$(MAKE) --no-print-directory build
	@tools/run-tests.sh $(BUILD)

# What only an x86 machine or its LAPACK can run shows as skipped.
check-aarch64:
	@command -v aarch64-linux-gnu-gcc qemu-aarch64 >/dev/null || \
	    { echo 'make check-aarch64 needs: dpkg --add-architecture arm64 && apt-get update && apt-get install' \
	      'gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user liblbfgs-dev:arm64 libzip-dev:arm64 zlib1g-dev:arm64'; exit 1; }
	@test -f build-aarch64/build.ninja || meson setup build-aarch64 --cross-file tools/aarch64.txt
	@ninja -C build-aarch64
	@tools/run-tests.sh build-aarch64 --no-suite shell --timeout-multiplier 6

FUZZ_SECONDS = 600
fuzz:
	@command -v clang >/dev/null || { echo 'make fuzz needs: apt-get install clang'; exit 1; }
	@test -f build-fuzz/build.ninja || \
	    CC=clang meson setup build-fuzz -Dfuzz=true -Db_sanitize=address,undefined -Db_lundef=false
	@tools/fuzz.sh build-fuzz $(FUZZ_SECONDS)

bench:
	@tools/install-dependencies.sh bench $(BUILD)
	@$(MAKE) --no-print-directory build
	@meson test -C $(BUILD) --benchmark --verbose

# A set of 3.3 GB and the most memory it takes: minutes, and up to 7 GB in TMPDIR.
bench-large: build
	@BUILD=$(abspath $(BUILD)) bench/bench_large.sh

# The vector headers are tables of one-line functions, which the formatter would unfold.
format:
	@git ls-files '*.c' '*.h' ':!*/vec_*.h' | xargs clang-format -i

install: build
	@meson configure $(BUILD) -Dprefix=$(PREFIX)
	@DESTDIR='$(DESTDIR)' meson install -C $(BUILD)

sanitize:
	@tools/install-dependencies.sh check $(SANITIZE_BUILD)
	@test -f $(SANITIZE_BUILD)/build.ninja || \
	    meson setup $(SANITIZE_BUILD) -Db_sanitize=address,undefined -Db_lundef=false
	@ninja -C $(SANITIZE_BUILD)
	@UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 tools/run-tests.sh $(SANITIZE_BUILD)

clean:
	rm -rf $(BUILD) $(SANITIZE_BUILD)
