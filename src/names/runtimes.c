/* runtimes.c: which setting makes a runtime tell the names of the code that it generates? */
#include "names/runtimes.h"

#define NODE   "NODE_OPTIONS=--perf-basic-prof"
#define PYTHON "PYTHONPERFSUPPORT=1"
#define DOTNET "DOTNET_PerfMapEnabled=1"
#define ERLANG "ERL_FLAGS='+JPperf true'"
#define JAVA                                                                                       \
	"JAVA_TOOL_OPTIONS='-XX:+PreserveFramePointer -XX:+UnlockDiagnosticVMOptions "             \
	"-XX:+DumpPerfMapAtExit'"

const struct runtime runtimes[] = {
	{"node", "Node.js", "NODE_OPTIONS", "--perf-basic-prof", NODE, "start node with " NODE, "",
		0},
	{"java", "Java", "JAVA_TOOL_OPTIONS", "DumpPerfMapAtExit", JAVA, "start java with " JAVA,
		"from Java 17 on", 0},
	{"python", "Python", "PYTHONPERFSUPPORT", "1", PYTHON, "start python with " PYTHON,
		"from Python 3.12 on", 12},
	{"dotnet", ".NET", "DOTNET_PerfMapEnabled", "1", DOTNET, "start dotnet with " DOTNET, "",
		0},
	{"beam.smp", "Erlang", "ERL_FLAGS", "JPperf", ERLANG, "start erl with " ERLANG,
		"from OTP 24 on", 0},
	{0},
};

/* The version behind the name of a program: "3.12", "". */
static bool cut_name(struct bytes *name, const struct runtime *r)
{
	struct bytes program = bytes_of(r->program);

	if (!bytes_starts_with(*name, program))
		return false;
	*name = (struct bytes){name->at + program.len, name->len - program.len};
	for (size_t i = 0; i < name->len; i++)
		if (!is_digit(name->at[i]) && name->at[i] != '.')
			return false;
	return true;
}

const struct runtime *runtime_of(struct bytes name)
{
	for (const struct runtime *r = runtimes; r->program; r++) {
		struct bytes version = name;

		if (cut_name(&version, r))
			return r;
	}
	return NULL;
}

bool runtime_is_too_old(const struct runtime *r, struct bytes name)
{
	struct bytes version = name, major;
	uint64_t minor;

	return r->minor && cut_name(&version, r) && bytes_cut(&version, '.', &major) &&
	       bytes_equal(major, BYTES("3")) && bytes_u64(version, &minor) && minor < r->minor;
}
