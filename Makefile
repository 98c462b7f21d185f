# For people in a hurry; everything else is CMake (see CMakePresets.json).
#
#   make demo    install what is missing, build, build databases for the maps in data/, race the algorithms
#   make test    the same set-up, then the whole test suite
#   make slow    the long forms of the suite: fuzzing, databases changed with intent, kills, soak under ASan, threads
#                under TSan; FUZZ_SECONDS=1200 fuzzes longer
#   make bench   the ratios and tables of the README
#   make soak    ten thousand agents for 20 minutes (docs/reliability.md has this and the next four)
#   make coverage, make analyse, make memcheck
#   make deps    check the dependencies and install what is missing
#   make clean   remove what was built; installed dependencies stay

.PHONY: help deps demo test bench clean soak slow slow-fuzz slow-hostile slow-faults coverage analyse memcheck
.DELETE_ON_ERROR:

# More settings for CMake when a build is first configured: make test CMAKE_ARGS=-DWAYMARK_WARNINGS_AS_ERRORS=ON
CMAKE_ARGS ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
DEPS := build/.deps

help:
	@sed -n 's/^#   //p' Makefile

demo: build/release/build.ninja
	cmake --build --preset release
	data/demo.sh

test: build/checked/build.ninja
	cmake --build --preset checked
	ctest --preset checked --output-on-failure -j $(JOBS)

# One line for each.
slow: slow-hostile slow-fuzz

FUZZ_SECONDS ?= 60
slow-fuzz: build/fuzz/build.ninja
	cmake --build --preset fuzz && tests/fuzz/run.sh build/fuzz $(FUZZ_SECONDS)

slow-hostile: build/fuzz/build.ninja
	cmake --build --preset fuzz && WAYMARK_HOSTILE_DATABASES=1000 WAYMARK_HOSTILE_PROBLEMS=1000 build/fuzz/tests/test_hostile

bench: build/release/build.ninja
	cmake --build --preset release
	build/release/bin/waymark-bench

soak: build/checked/build.ninja
	cmake --build --preset checked
	build/checked/tests/soak 1200

slow: slow-faults

slow-faults: build/checked/build.ninja build/asan/build.ninja build/tsan/build.ninja
	cmake --build --preset checked && cmake --build --preset asan && cmake --build --preset tsan
	WAYMARK_KILLS=300 ctest --preset checked -R '^cli_faults$$' -V
	build/asan/tests/soak 120
	ctest --preset tsan -R '^(threads|checkpoint)$$' -V

coverage: build/coverage/build.ninja
	cmake --build --preset coverage
	tests/coverage.sh -j $(JOBS)

analyse: build/clang/build.ninja
	cppcheck -j $(JOBS) --quiet --std=c11 --enable=warning,portability,performance --error-exitcode=1 \
		--inline-suppr --suppressions-list=.cppcheck -I shared -I runtime -I runtime/include -I builder shared runtime builder
	tests/tidy.sh $(JOBS)

memcheck: build/checked/build.ninja
	cmake --build --preset checked
	JOBS=$(JOBS) tests/memcheck.sh

# Always looks; the file lets the other targets skip even the looking.
deps:
	cmake/install-deps.sh
	@touch $(DEPS)

$(DEPS): cmake/install-deps.sh
	cmake/install-deps.sh
	@touch $@

# What only CI and the long tests need: clang with its libFuzzer.
$(DEPS)-ci: cmake/install-deps.sh
	cmake/install-deps.sh --ci
	@touch $@
build/fuzz/build.ninja: $(DEPS)-ci

# Ninja reruns CMake by itself when a CMakeLists.txt changes; presets and dependencies it does not know about.
build/%/build.ninja: $(DEPS) CMakePresets.json
	cmake --preset $* $(CMAKE_ARGS)
	@touch $@ # CMake leaves it alone when nothing in it changes

clean:
	rm -rf build/release build/checked build/debug build/asan build/tsan build/clang build/fuzz build/fuzz-coverage build/coverage \
		build/optimised build/optimised-clang build/tidy
