# conformance.bats: under other tools' names Kiln prints what these tools print.
load common

@test "what the corpora expect, but for what is listed" {
	[ -d "$corpus" ] || skip "no corpus"
	run -0 env KILN_CORPUS="$corpus" python3 "$BATS_TEST_DIRNAME/../conformance/run.py" "$kiln"
}

# run.py fails for a difference that is not in differences.txt, and for one that is no more.
@test "every tool that Kiln differs from on purpose is in the manual page's list" {
	python3 - "$BATS_TEST_DIRNAME/../conformance/differences.txt" "$BATS_TEST_DIRNAME/../../docs/kiln-classic.1" <<-'PY'
		import re, sys
		manual = open(sys.argv[2]).read().split(".Sh DIFFERENCES")[1].split(".Sh EXIT")[0]
		heads = re.findall(r"^\.(?:Ss|It Nm) (.+)$", manual, re.M)
		listed = {tool for head in heads for tool in re.split(" ?, ", head)}
		tools = set()
		for line in open(sys.argv[1]):
		    if line.startswith("#"):
		        continue
		    words = line.replace("options of ", "beside ").split()
		    tools.add(words[1] if words[0] == "beside" else words[0].replace("/", "-"))
		assert len(tools) > 20, tools
		assert tools <= listed, tools - listed
	PY
}
