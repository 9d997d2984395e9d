#!/bin/sh
# setup.sh: everything that building and testing takes, from Debian's packages and npm.
#   setup.sh            the packages of tools/packages
#   setup.sh --browser  and the driver of the browser tests
# Does nothing, fast, when all is there. KILN_SETUP=skip leaves the machine alone.
set -eu
cd "$(dirname "$0")/.."
[ "${KILN_SETUP:-}" = skip ] && exit 0

# Packages of the list that this machine lacks, one a line.
missing() {
	sed 's/#.*//' tools/packages | while read -r package command; do
		[ -n "$package" ] || continue
		[ -n "$command" ] && command -v "$command" >/dev/null && continue
		case "$installed" in *" $package "*) ;; *) echo "$package" ;; esac
	done
}

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
	echo "setup: this is not a Debian machine: install what tools/packages names, then set KILN_SETUP=skip" >&2
	exit 1
fi
installed=" $(dpkg-query -W -f '${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p' | tr '\n' ' ')"
lacking=$(missing)
if [ -n "$lacking" ]; then
	if [ "$(id -u)" != 0 ]; then
		echo "setup: packages are missing and only root may install them; run:" >&2
		echo "  sudo apt-get install --no-install-recommends" $lacking >&2
		exit 1
	fi
	echo "setup: installing" $lacking
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -q=2
	apt-get install -q=2 -y --no-install-recommends $lacking
fi

if [ "${1:-}" = --browser ] && [ -f tests/browser/package-lock.json ]; then
	stamp=tests/browser/node_modules/.package-lock.json
	if [ ! -f "$stamp" ] || [ tests/browser/package-lock.json -nt "$stamp" ]; then
		echo "setup: fetching the driver of the browser tests"
		if (cd tests/browser && npm ci --loglevel=error --no-audit --no-fund); then
			touch "$stamp"
		else
			echo "setup: npm could not fetch it; the browser tests will be skipped" >&2
		fi
	fi
fi
