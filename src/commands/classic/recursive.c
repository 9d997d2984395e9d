/* recursive.c: merges frames that call themselves, as stackcollapse-recursive.pl does. */
#include "commands/classic/classic.h"

const struct classic_tool classic_stackcollapse_recursive_pl = {
	.name = "stackcollapse-recursive.pl",
	.about = "folded text with direct recursion merged into one frame",
	.usage = "[FILE...] >STACKS.folded",
	.syntax = SYNTAX_PERL,
	.run = classic_collapse,
	.format = "folded",
	.reads_as = TOOL_SCRIPTS,
	.transform = "collapse-recursion",
};

static const struct option options[] = {INFERNO_OPTIONS, {0}};

const struct classic_tool classic_inferno_collapse_recursive = {
	.name = "inferno-collapse-recursive",
	.about = "folded text with direct recursion merged into one frame",
	.usage = "[OPTIONS] [FILE] >STACKS.folded",
	.syntax = SYNTAX_CLAP,
	.options = options,
	.target = &collapse_settings,
	.run = classic_collapse,
	.format = "folded",
	.reads_as = TOOL_INFERNO,
	.transform = "collapse-recursion",
};
