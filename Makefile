# Kiln's front door: meson and ninja do the work, this says how they are called. `make help` lists it.
PREFIX ?= /usr/local
DESTDIR ?=
SECONDS ?= 0
BUILD := build
CC_FIRST := gcc
CC_SECOND := clang

all: $(BUILD)/build.ninja ## build/kiln: release, assertions on, debug info kept
	@ninja -C $(BUILD)

demo: setup all ## profile a real program and write demo.svg
	@tools/demo.sh $(BUILD)/kiln

test: setup-browser ## every test, in every build; the last line counts them
	@python3 tools/run-tests.py

test-kernels: setup all ## recording in a virtual machine with Debian's kernel: half an hour
	@python3 tools/run-tests.py -v kernels

gallery: setup all ## the pictures of docs/gallery/ anew, from real programs (as root)
	@docs/gallery/make.sh $(BUILD)/kiln

screens: setup-browser all ## what the pages of kiln view are to look like, anew: tests/browser/screens/
	@KILN_SCREENS=make node tests/browser/screens.test.mjs

bench: setup all ## speed and memory, beside the peers that are there (KILN_PEERS=folder)
	@bench/run.sh

fuzz: setup ## replay what every fuzz target has found; SECONDS=60 looks for more, so long each; FUZZ=name: one target
	@tools/fuzz.sh $(SECONDS) $(FUZZ)

check: setup all ## formatting, clang-tidy, floors, manual pages
	@tools/check.sh $(BUILD)

install: all ## into DESTDIR and PREFIX (/usr/local)
	@meson configure $(BUILD) -Dprefix=$(PREFIX)
	@DESTDIR=$(DESTDIR) meson install -C $(BUILD) --quiet

uninstall: $(BUILD)/build.ninja ## undo it, with the same DESTDIR and PREFIX
	@meson configure $(BUILD) -Dprefix=$(PREFIX)
	@DESTDIR=$(DESTDIR) python3 tools/uninstall.py $(BUILD)

deb: setup ## Debian packages in dist/, checked by lintian
	@tools/deb.sh

static: setup ## build-static/kiln: needs nothing but a kernel
	@[ -f build-static/build.ninja ] || meson setup build-static -Dstatic_binary=true -Dtests=false >/dev/null
	@ninja -C build-static

arm64: setup ## build-arm64/kiln: for 64-bit Arm (takes gcc-aarch64-linux-gnu and mmdebstrap)
	@tools/arm64.sh

clean: ## remove what was built
	@rm -rf build build-* dist demo.svg demo.kiln

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' Makefile | expand -t 12

setup:
	@tools/setup.sh

setup-browser:
	@tools/setup.sh --browser

$(BUILD)/build.ninja:
	@CC=$(CC_FIRST) meson setup $(BUILD) >/dev/null

.PHONY: all demo test test-kernels gallery screens bench fuzz check install uninstall deb static arm64 clean help setup setup-browser
