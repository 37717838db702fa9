# Short names for the usual steps; CMake and Ninja do the work.
BUILD  ?= build
PREFIX ?= /usr/local
SECONDS_PER_FUZZER ?= 60

.PHONY: all demo page test test-long bench bench-tables bench-scenarios bench-valgrind bench-confirm bench-real bench-java bench-java-programs bench-java-bugs bench-view bench-huge fuzz soak dist deb static install format clean

all:
	@tools/bootstrap build
	@[ -f $(BUILD)/build.ninja ] || tools/bootstrap plugin || echo "heddle: goes on without the gcc plugin" >&2
	@[ -f $(BUILD)/build.ninja ] || cmake -S . -B $(BUILD) -G Ninja -DCMAKE_INSTALL_PREFIX=$(PREFIX) >/dev/null
	@ninja -C $(BUILD) --quiet

demo: all
	@tools/demo $(BUILD)/heddle
	@tools/gallery $(BUILD)/heddle $(BUILD)/demo

# The pages of the HTML report and of heddle view, from web/ into web/dist: only after a change there.
page:
	@tools/bootstrap browser
	@cd web && npm ci --ignore-scripts --no-fund --no-audit && npm run build

test:
	@tools/bootstrap build test
	@tools/bootstrap plugin || echo "heddle: the tests of the gcc plugin will be skipped" >&2
	@tools/bootstrap browser || echo "heddle: the tests of the HTML report's page will be skipped" >&2
	@tools/run-tests $(BUILD)

test-long:
	@tools/bootstrap build test
	@tools/bootstrap plugin || echo "heddle: the tests of the gcc plugin will be skipped" >&2
	@tools/bootstrap browser || echo "heddle: the tests of the HTML report's page will be skipped" >&2
	@tools/bootstrap java-programs || echo "heddle: the classes of fifteen Java programs will not be verified" >&2
	@tools/run-tests $(BUILD) long

bench: all
	@bench/run $(BUILD)

bench-tables: all
	@bench/tables $(BUILD)

bench-scenarios: all
	@bench/scenarios $(BUILD)

bench-valgrind: all
	@bench/valgrind $(BUILD)

bench-confirm: all
	@bench/confirm $(BUILD)

bench-real: all
	@tools/bootstrap real || echo "heddle: memcached and glib will be skipped" >&2
	@bench/real $(BUILD)

bench-java: all
	@tools/bootstrap java || true
	@cmake -S . -B $(BUILD) >/dev/null && ninja -C $(BUILD) --quiet
	@bench/java $(BUILD)

bench-java-programs: all
	@bench/java-programs $(BUILD)

bench-java-bugs: all
	@bench/java-bugs $(BUILD)

bench-huge: all
	@bench/huge $(BUILD)

bench-view: all
	@tools/bootstrap browser
	@bench/view $(BUILD)

# Random traces, programs, reports, files and kills until the time is over; stops at the first failure.
SECONDS ?= 600
soak: all
	@tools/bootstrap test
	@cmake -S . -B $(BUILD) -DHEDDLE_TESTS=ON >/dev/null && ninja -C $(BUILD) --quiet
	@tools/soak $(BUILD) $(SECONDS)

fuzz:
	@tools/bootstrap build fuzz
	@tools/run-fuzzers $(BUILD)/fuzz $(SECONDS_PER_FUZZER)

# A source tarball, and Debian packages of the commit that is checked out.
dist:
	@tools/make-dist $(BUILD)/dist

deb:
	@tools/bootstrap build plugin deb
	@tools/make-deb $(BUILD)/deb
	@lintian --fail-on error,warning $(BUILD)/deb/*.changes

# One file that analyses traces on machines without our libraries.
static:
	@tools/bootstrap build static
	@tools/make-static $(BUILD)/static

install: all
	@cmake -S . -B $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) >/dev/null
	@cmake --install $(BUILD)

format:
	@git ls-files '*.c' '*.h' '*.cpp' '*.cc' | xargs clang-format -i

clean:
	@rm -rf $(BUILD)
