/* tables.c: reports that other profilers write as tables (GHC, VTune, Visual Studio), folded. */
#include "commands/classic/classic.h"

/* Help of the option that chooses a value of the table. */
static bool set_kind(
	void *target, const struct option *option, const char *value, struct error *err)
{
	struct collapse_settings *s = target;

	(void)value;
	(void)err;
	s->kind = strcmp(option->name, "size") ? option->name : "alloc";
	return true;
}

static const struct option ghc_options[] = {
	{.name = "time", .help = "shares of time (default)", .set = set_kind},
	{.name = "ticks", .help = "clock ticks", .set = set_kind},
	{.name = "bytes", .help = "allocated bytes", .set = set_kind},
	INFERNO_OPTIONS,
	{0},
};

const struct classic_tool classic_inferno_collapse_ghcprof = {
	.name = "inferno-collapse-ghcprof",
	.about = "GHC profiles to folded text",
	INFERNO_FOLDS("ghc"),
	.options = ghc_options,
};

const struct classic_tool classic_inferno_collapse_vsprof = {
	.name = "inferno-collapse-vsprof",
	.about = "Visual Studio profiler call trees to folded text",
	INFERNO_FOLDS("vsprof"),
	.options = inferno_options,
};

const struct classic_tool classic_inferno_collapse_vtune = {
	.name = "inferno-collapse-vtune",
	.about = "VTune call trees to folded text",
	INFERNO_FOLDS("vtune"),
	.options = inferno_module_options,
};

const struct classic_tool classic_stackcollapse_vsprof_pl = {
	.name = "stackcollapse-vsprof.pl",
	.about = "Visual Studio profiler call trees to folded text",
	CLASSIC_FOLDS("[OPTIONS] [FILE]", SYNTAX_PERL, "vsprof", TOOL_SCRIPTS),
};

const struct classic_tool classic_stackcollapse_vtune_pl = {
	.name = "stackcollapse-vtune.pl",
	.about = "VTune call trees to folded text",
	CLASSIC_FOLDS("[OPTIONS] [FILE]", SYNTAX_PERL, "vtune", TOOL_SCRIPTS),
};

static const struct option memory_options[] = {
	{.name = "size", .help = "bytes instead of the number of allocations", .set = set_kind},
	{0},
};

const struct classic_tool classic_stackcollapse_vtune_mc_pl = {
	.name = "stackcollapse-vtune-mc.pl",
	.about = "VTune allocation call trees to folded text",
	CLASSIC_FOLDS("[OPTIONS] [FILE]", SYNTAX_PERL, "vtune", TOOL_SCRIPTS),
	.options = memory_options,
};
