# Short names for what Meson does; see meson.build. SPDX-License-Identifier: Apache-2.0

BUILD = build
SANITIZE_BUILD = build-sanitize
PREFIX = /usr/local

.PHONY: help setup build everything demo check check-all check-aarch64 check-bounds check-faults check-hostile clang coverage cppcheck fuzz bench bench-large format install python \
    sanitize tidy tsan valgrind clean

help:
	@echo 'make setup     configure the build folder $(BUILD)/, installing what is missing'
	@echo 'make build     build the library and the command $(BUILD)/congru'
	@echo 'make python    build the Python package in $(BUILD)/python, for PYTHONPATH; pip install . installs it'
	@echo 'make demo      the synthetic table of the paper in small, in two minutes; results in demo/'
	@echo 'make check     build and run all tests'
	@echo 'make check-all check and all checks below, with one sum; an hour and a half: docs/reliability.md'
	@echo 'make sanitize  run all tests with the address and undefined-behaviour sanitizers'
	@echo 'make tsan      run the tests that start threads with the thread sanitizer'
	@echo 'make valgrind  run the quick C tests in valgrind'
	@echo 'make clang     build all with clang, warnings being errors, and run the C tests'
	@echo 'make cppcheck  look for mistakes with cppcheck'
	@echo 'make tidy      look for mistakes with clang-tidy; FILES="..." for some files'
	@echo 'make coverage  which lines no test reaches, and why: build-coverage/coverage.md'
	@echo 'make check-faults  make memory, disks and system calls fail under every command; half an hour'
	@echo 'make check-hostile  hostile files, folders, words and clients, under the sanitizers; half an hour'
	@echo 'make check-bounds  every option at each of its bounds, 50,000 command lines, under the sanitizers; hours'
	@echo 'make check-aarch64  the C tests on 64-bit ARM, under qemu (needs its cross compiler)'
	@echo 'make fuzz      fuzz each file format for FUZZ_SECONDS (600), with clang'
	@echo 'make bench     measure the speed'
	@echo 'make bench-large  100,000 trials of 64 channels: time and memory'
	@echo 'make format    format the C sources in place'
	@echo 'make install   install under PREFIX ($(PREFIX)), below DESTDIR if given'
	@echo 'make clean     remove the build folders'

setup:
	@tools/install-dependencies.sh build $(BUILD)
	@test -f $(BUILD)/build.ninja || meson setup $(BUILD) --prefix=$(PREFIX) $(WERROR)

build: setup
	@ninja -C $(BUILD) product

# With tests, benchmarks and examples.
everything: setup
	@ninja -C $(BUILD)

python:
	@tools/install-dependencies.sh python $(BUILD)
	@$(MAKE) --no-print-directory setup
	@ninja -C $(BUILD) python-package
	@echo 'export PYTHONPATH=$(abspath $(BUILD))/python'

demo: build
	@tools/demo.sh $(BUILD)

check:
	@tools/install-dependencies.sh check $(BUILD)
	@$(MAKE) --no-print-directory everything
	@tools/run-tests.sh $(BUILD)

# FAULTS holds further arguments of tests/faults/campaign.py, such as --details.
check-faults: everything
	@python3 tests/faults/campaign.py --build $(BUILD) $(FAULTS)

# HOSTILE holds further arguments of tests/hostile/attack.py, such as --seed 2 or --repeat edf/1/37.
check-hostile:
	@tools/install-dependencies.sh check $(SANITIZE_BUILD)
	@$(SANITIZE_SETUP)
	@ninja -C $(SANITIZE_BUILD) congru tests/make_set tests/make_stream
	@python3 tests/hostile/attack.py --build $(SANITIZE_BUILD) --sanitized $(HOSTILE)

# Every option of every command at each number that its help names, and about it: hours.
check-bounds:
	@$(MAKE) --no-print-directory check-hostile HOSTILE='--only bounds --count 25000 --minutes 1000 $(HOSTILE)'

# What only an x86 machine or its LAPACK can run shows as skipped.
check-aarch64:
	@command -v aarch64-linux-gnu-gcc qemu-aarch64 >/dev/null || \
	    { echo 'make check-aarch64 needs: dpkg --add-architecture arm64 && apt-get update && apt-get install' \
	      'gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user libzip-dev:arm64 zlib1g-dev:arm64'; exit 1; }
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
	@$(MAKE) --no-print-directory everything
	@meson test -C $(BUILD) --benchmark --verbose

# A set of 3.3 GB and the most memory it takes: minutes, and up to 7 GB in TMPDIR.
bench-large: everything
	@BUILD=$(abspath $(BUILD)) bench/bench_large.sh

# The vector headers are tables of one-line functions, which the formatter would unfold.
format:
	@git ls-files '*.c' '*.h' ':!*/vec_*.h' | xargs clang-format -i

install: setup
	@meson configure $(BUILD) -Dprefix=$(PREFIX)
	@ninja -C $(BUILD) product
	@DESTDIR='$(DESTDIR)' meson install -C $(BUILD) --no-rebuild --strip
	@tools/after-install.sh '$(PREFIX)' '$(DESTDIR)'

# ---- Checks: each ends with "N passed, N failed"; docs/reliability.md says what each is for --------------

CHECKS = check cppcheck clang valgrind tsan sanitize coverage tidy

# Unoptimised kernels take minutes, and -O2 takes minutes to compile when instrumented.
INSTRUMENTED = -Db_lundef=false -Doptimization=1
SANITIZE_SETUP = test -f $(SANITIZE_BUILD)/build.ninja || \
    meson setup $(SANITIZE_BUILD) $(INSTRUMENTED) -Db_sanitize=address,undefined

check-all:
	@tools/run-checks.sh $(CHECKS)

sanitize:
	@tools/install-dependencies.sh check $(SANITIZE_BUILD)
	@$(SANITIZE_SETUP)
	@ninja -C $(SANITIZE_BUILD)
	@UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 tools/run-tests.sh $(SANITIZE_BUILD) --timeout-multiplier 3 \
	    $(SANITIZE_TESTS)

# The tests that start threads of the library.
TSAN_TESTS = aligner_recentre base_thread_pool classifier_properties covariance decoder evaluation network_training \
    signal_bits statistics_points synth
tsan:
	@tools/install-dependencies.sh check build-tsan
	@test -f build-tsan/build.ninja || meson setup build-tsan $(INSTRUMENTED) -Db_sanitize=thread
	@ninja -C build-tsan $(TSAN_TESTS:%=tests/test_%)
	@tools/tsan.sh build-tsan --no-rebuild $(TSAN_TESTS)

# C tests of a second or less: valgrind takes ten to thirty times as long. base_thread_pool is not among them: it takes away
# memory by a limit that valgrind itself runs into.
VALGRIND_TESTS = aligner_errors array_errors base_arena base_random base_status classifier_errors covariance decoder_errors \
    epochs epochs_files evaluation_files evaluation_knowledge network_errors npz reader_oracles recording_brainvision \
    recording_core recording_edf recording_gdf recording_mat recording_text recording_xdf_clock report report_data report_files set_errors signal_bits spd_edges spd_errors statistics
VALGRIND = valgrind --quiet --error-exitcode=99 --leak-check=full --show-leak-kinds=definite,indirect \
    --errors-for-leak-kinds=definite,indirect
valgrind:
	@tools/install-dependencies.sh valgrind $(BUILD)
	@$(MAKE) --no-print-directory everything
	@tools/run-tests.sh $(BUILD) --timeout-multiplier 3 --wrapper '$(VALGRIND)' $(VALGRIND_TESTS)

clang:
	@tools/install-dependencies.sh clang build-clang
	@test -f build-clang/build.ninja || CC=clang meson setup build-clang --werror
	@ninja -C build-clang
	@tools/run-tests.sh build-clang --no-suite shell

cppcheck:
	@tools/install-dependencies.sh cppcheck $(BUILD)
	@tools/cppcheck.sh | tools/count-tap.sh

tidy:
	@tools/install-dependencies.sh tidy $(BUILD)
	@$(MAKE) --no-print-directory setup
	@tools/tidy.sh $(BUILD) $(FILES) | tools/count-tap.sh

coverage:
	@tools/install-dependencies.sh check build-coverage
	@test -f build-coverage/build.ninja || \
	    meson setup build-coverage -Db_coverage=true -Doptimization=0 \
	    -Dc_args=-fprofile-update=atomic
	@ninja -C build-coverage
	@find build-coverage -name '*.gcda' -delete
	@CONGRU_DATA=/nowhere tools/run-tests.sh build-coverage --no-suite uncounted \
	    --timeout-multiplier 3 >build-coverage/tests.log || \
	    { cat build-coverage/tests.log; exit 1; }
	@tools/coverage.py build-coverage tools/coverage.txt build-coverage/coverage.md | tools/count-tap.sh

clean:
	rm -rf $(BUILD) $(SANITIZE_BUILD) build-clang build-coverage build-tsan
