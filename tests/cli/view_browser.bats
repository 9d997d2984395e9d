# view_browser.bats: what kiln view opens a browser with: xdg-open, which starts what the desktop has for addresses.
load common

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	command -v xdg-open >/dev/null || skip "no xdg-open"
	printf '#!/bin/sh\necho "$1" >%s/started && mv %s/started %s/opened\n' "$PWD" "$PWD" "$PWD" >browser
	chmod a+rx browser .
	export XDG_CONFIG_HOME=$PWD/config XDG_DATA_HOME=$PWD/data XDG_CURRENT_DESKTOP=
	mkdir -p config data/applications
	printf '[Default Applications]\nx-scheme-handler/http=test.desktop\n' >config/mimeapps.list
	printf '[Desktop Entry]\nType=Application\nName=test\nExec=%s/browser %%u\nMimeType=x-scheme-handler/http;\n' \
		"$PWD" >data/applications/test.desktop
	printf 'main;work 7\nmain;rest 3\n' >a.folded
	(umask 077; echo 'some-token_0123456789' >token)
}

teardown() {
	[ -z "${server:-}" ] || kill "$server"
}

# open_view [OPTION...]: as on a desktop; $page is the printed address, $ticket is what the browser was started with.
open_view() {
	rm -f opened
	DISPLAY=:9 "$kiln" view -q "$@" a.folded >printed &
	server=$!
	until [ -e opened ]; do
		kill -0 "$server" || return
		sleep 0.02
	done
	ticket=$(cat opened)
	page=$(cat printed)
}

# status ADDRESS [OPTION...]: of a request by curl, and where it leads to.
status() { curl -gs -o answer -w '%{http_code} %{redirect_url}\n' "${@:2}" "$1"; }

@test "a browser's command line does not have the token: it leads to the page once" {
	open_view
	[[ ${ticket##*/} =~ ^[0-9a-f]{32}$ && ${page%/*/} == "${ticket%/*}" ]]
	[[ $page != *"${ticket##*/}"* ]]
	[ "$(status "$ticket" --head)" = "404 " ]
	[ "$(status "$ticket/")" = "404 " ]
	[ "$(status "${ticket}0")" = "404 " ]
	[ "$(status "$ticket" -H 'Origin: http://other.example')" = "403 " ]
	[ "$(status "$ticket")" = "303 $page" ]
	[ "$(status "$page")" = "200 " ]
	[ "$(status "$ticket")" = "403 " ]
	[ "$(cat answer)" = "refused: this address works once, for the user who started kiln view; use the address that kiln view has printed" ]
}

@test "other users cannot use it" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	open_view
	[ "$(setpriv --reuid 65534 --clear-groups curl -s "$ticket")" = "refused: this address works once, for the user who started kiln view; use the address that kiln view has printed" ]
	# Closed sockets are root's in the kernel's tables, whoever they belonged to.
	setpriv --reuid 65534 --clear-groups /usr/bin/python3 - "$ticket" <<-'END'
	import socket, sys, urllib.parse
	url = urllib.parse.urlsplit(sys.argv[1])
	for _ in range(200):
	    with socket.create_connection((url.hostname, url.port)) as client:
	        client.sendall(f"GET {url.path} HTTP/1.1\r\nHost: {url.netloc}\r\n\r\n".encode())
	END
	[ "$(status "$ticket")" = "303 $page" ]
}

@test "under sudo, the user who called it can use it, too" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	export SUDO_UID=65534 SUDO_GID=65534
	open_view
	[[ "$(setpriv --reuid 65533 --clear-groups curl -s "$ticket")" == refused:* ]]
	[ "$(setpriv --reuid 65534 --clear-groups curl -s -o /dev/null -w '%{redirect_url}' "$ticket")" = "$page" ]
}

@test "it works at IPv6 addresses, over IPv4 to them, and at all addresses" {
	[ -e /proc/net/if_inet6 ] && grep -q '^0*1 ' /proc/net/if_inet6 || skip "no IPv6 here"
	for at in '[::1]:0' '[::]:0' '0.0.0.0:0'; do
		for by in '[::1]' 127.0.0.1; do
			[[ $at$by != '[::1]:0127.0.0.1' && $at$by != '0.0.0.0:0[::1]' ]] || continue
			open_view --listen "$at" --token-file token
			local port=${page##*:}
			local there=http://$by:${port%%/*}
			[ "$(status "$there/${ticket##*/}")" = "303 $there/some-token_0123456789/" ]
			kill "$server"
			wait "$server" || true
		done
	done
	server=
}

@test "without a desktop or with --no-open, no browser is started" {
	DISPLAY= WAYLAND_DISPLAY= "$kiln" view -q a.folded >printed &
	server=$!
	DISPLAY=:9 "$kiln" view -q --no-open a.folded >printed.2 &
	local other=$!
	until [ -s printed ] && [ -s printed.2 ]; do sleep 0.02; done
	# A third one that opens one was started later, and has done so.
	first=$server
	open_view
	kill "$first" "$other"
	[ "$(cat opened)" = "$ticket" ]
	[[ $ticket == "${page%/*/}"/* ]]
}
