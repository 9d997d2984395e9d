# debuginfod.bash: a debuginfod server that lasts as long as a test.

free_port() {
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# debuginfod_starts FOLDER BUILD_ID: FOLDER is served to who asks DEBUGINFOD_URLS, and what has this id was found
# there. $server is the process.
debuginfod_starts() {
	local port
	for _ in 1 2 3; do # somebody else may take the port first
		port=$(free_port)
		debuginfod -d :memory: -F -p "$port" -t 0 "$1" >server.log 2>&1 3>&- &
		server=$!
		export DEBUGINFOD_URLS=http://127.0.0.1:$port
		for _ in $(seq 300); do # until it has scanned its folder
			DEBUGINFOD_CACHE_PATH=$PWD/probe debuginfod-find executable "$2" >probe.log 2>&1 && return
			kill -0 "$server" 2>/dev/null || break
			rm -rf probe
			sleep 0.2
		done
		debuginfod_ends
	done
	cat server.log
	return 1
}

debuginfod_ends() {
	[ -z "${server-}" ] || kill "$server" 2>/dev/null || true
}

# However a test ends, its server ends with it.
teardown() {
	debuginfod_ends
}
