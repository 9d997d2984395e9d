/* jfr_about.c: what do the events of a chunk say about the recording itself?
 *
 * The JVM's own sampler takes a few threads of those that run Java code, at intervals. A sample
 * stands for more time when more threads run, and threads in other code are not looked at: its
 * samples are counted, and not multiplied by the interval. async-profiler interrupts each thread
 * after it has run for the interval, so that its samples are time. */
#include "readers/java/jfr_about.h"

#define ASYNC_PROFILER_INTERVAL 10000000u /* ns: what it takes if none, or 0, is given */

struct settings {
	struct jfr_about *about;
	struct jfr_constants *constants;
	uint64_t execution_type; /* of jdk.ExecutionSample */
	bool has_wall_type;	 /* samples of all threads are events of their own */
	bool async_profiler, is_cpu, has_interval;
	uint64_t interval, wall;
};

static struct jfr_layout layout_of(
	struct jfr_constants *k, const struct jfr_class *class, const struct jfr_wanted *wanted)
{
	struct jfr_layout layout = {0};

	if (class && !jfr_layout_compile(k->layouts, class, wanted, &layout))
		layout = (struct jfr_layout){0};
	return layout;
}

static uint64_t type_of(const struct jfr_constants *k, struct bytes name)
{
	const struct jfr_class *class = jfr_class_by_name(k->layouts->types, name);

	return class ? class->id : UINT64_MAX;
}

/* ---- Settings ---- */

/* async-profiler's events whose interval is CPU time in ns. */
static bool is_cpu_event(struct bytes event)
{
	static const char *const events[] = {"cpu", "cpu-clock", "task-clock", "itimer", "ctimer"};

	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		if (bytes_equal(event, bytes_of(events[i])))
			return true;
	return false;
}

static void take_execution_setting(struct settings *s, struct bytes name, struct bytes value)
{
	uint64_t number;

	if (bytes_equal(name, BYTES("period")))
		profile_set_meta(s->constants->profile, BYTES("period"), value);
	else if (!bytes_u64(value, &number) || number > INT64_MAX)
		return;
	else if (bytes_equal(name, BYTES("interval")))
		s->has_interval = true, s->interval = number;
	else if (bytes_equal(name, BYTES("wall")))
		s->wall = number;
}

/* "engine" is a setting that only async-profiler has. */
static void take_setting(struct settings *s, uint64_t type, struct bytes name, struct bytes value)
{
	if (type == s->execution_type) {
		take_execution_setting(s, name, value);
	} else if (bytes_equal(name, BYTES("engine"))) {
		s->async_profiler = true;
	} else if (bytes_equal(name, BYTES("event"))) {
		s->is_cpu = is_cpu_event(value);
		s->about->is_wall = bytes_equal(value, BYTES("wall"));
	}
}

static void take_setting_event(struct settings *s, const struct jfr_values *v)
{
	struct jfr_constants *k = s->constants;
	struct buffer name = {0};

	if (!jfr_have(v, JFR_NAME) || !jfr_have(v, JFR_OTHER_NAME) || !jfr_have(v, JFR_VALUE))
		return;
	buffer_set(&name, jfr_constants_text(k, &v->slots[JFR_NAME].text));
	take_setting(s, v->slots[JFR_VALUE].number, buffer_bytes(&name),
		jfr_constants_text(k, &v->slots[JFR_OTHER_NAME].text));
	buffer_release(&name);
}

/* An older async-profiler gives samples of all threads the same event as those of running ones; if
 * both were requested, they cannot be told apart. */
static void set_intervals(struct settings *s)
{
	bool is_wall = s->about->is_wall, mixed = s->wall && !is_wall && !s->has_wall_type;

	s->about->is_wall = is_wall && !s->has_wall_type;
	if (!s->async_profiler && !s->has_interval)
		return;
	if (s->is_cpu && !mixed)
		s->about->cpu_interval = s->interval ? s->interval : ASYNC_PROFILER_INTERVAL;
	s->about->wall_interval = is_wall ? s->interval : s->wall;
}

/* ---- The JVM ---- */

static void set_text(
	struct jfr_constants *k, const struct jfr_values *v, enum jfr_slot slot, struct bytes key)
{
	struct bytes text;

	if (!jfr_have(v, slot))
		return;
	text = jfr_constants_text(k, &v->slots[slot].text);
	if (text.len)
		profile_set_meta(k->profile, key, text);
}

/* The process is called after the main class, or the file of the program. */
static void take_jvm(struct jfr_constants *k, const struct jfr_values *v, struct jfr_about *about)
{
	uint64_t pid = jfr_have(v, JFR_VALUE) ? v->slots[JFR_VALUE].number : 0;
	struct bytes command = {0}, name;

	set_text(k, v, JFR_OTHER_NAME, BYTES("jvm"));
	set_text(k, v, JFR_NAME, BYTES("command"));
	if (jfr_have(v, JFR_NAME))
		command = jfr_constants_text(k, &v->slots[JFR_NAME].text);
	if (!bytes_cut(&command, ' ', &name))
		name = command;
	about->process = profile_process(k->profile, pid && pid <= INT32_MAX ? (int32_t)pid : -1,
		profile_string(k->profile, bytes_base_name(name)));
}

void jfr_about_take(struct jfr_constants *k, struct jfr_about *ret_about)
{
	static const struct jfr_wanted setting[] = {{"id", NULL, JFR_VALUE, false},
		{"name", NULL, JFR_NAME, true}, {"value", NULL, JFR_OTHER_NAME, true}, {0}};
	static const struct jfr_wanted jvm[] = {{"pid", NULL, JFR_VALUE, false},
		{"javaArguments", NULL, JFR_NAME, true}, {"jvmVersion", NULL, JFR_OTHER_NAME, true},
		{0}};
	const struct jfr_types *types = k->layouts->types;
	struct settings s = {.about = ret_about,
		.constants = k,
		.execution_type = type_of(k, BYTES("jdk.ExecutionSample")),
		.has_wall_type = jfr_class_by_name(types, BYTES("profiler.WallClockSample"))};
	uint64_t setting_type = type_of(k, BYTES("jdk.ActiveSetting"));
	uint64_t jvm_type = type_of(k, BYTES("jdk.JVMInformation"));
	struct jfr_layout setting_layout =
		layout_of(k, jfr_class_by_id(types, setting_type), setting);
	struct jfr_layout jvm_layout = layout_of(k, jfr_class_by_id(types, jvm_type), jvm);
	struct jfr_event event;
	struct jfr_values v;

	*ret_about = (struct jfr_about){.process = ret_about->process};
	for (uint64_t at = 0; at < k->chunk->end && jfr_event_next(k->chunk, &at, &event);) {
		if (event.type != setting_type && event.type != jvm_type)
			continue;
		jfr_layout_read(k->layouts, event.type == jvm_type ? jvm_layout : setting_layout,
			&event.content, &v);
		if (event.content.bad)
			continue;
		if (event.type == jvm_type)
			take_jvm(k, &v, ret_about);
		else
			take_setting_event(&s, &v);
	}
	set_intervals(&s);
}
