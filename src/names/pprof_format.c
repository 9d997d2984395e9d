/* pprof_format.c: what do names mean in pprof files? */
#include "names/pprof_format.h"

#include "names/tidy.h"

#include <time.h>

enum tag_role pprof_tag_role(struct bytes key)
{
	static const struct {
		struct bytes key;
		enum tag_role role;
	} known[] = {
		{{"thread", 6}, TAG_THREAD},
		{{"thread_name", 11}, TAG_THREAD},
		{{"thread name", 11}, TAG_THREAD},
		{{"thread.name", 11}, TAG_THREAD},
		{{"tid", 3}, TAG_TID},
		{{"thread_id", 9}, TAG_TID},
		{{"thread id", 9}, TAG_TID},
		{{"thread.id", 9}, TAG_TID},
		{{"pid", 3}, TAG_PID},
		{{"process_id", 10}, TAG_PID},
		{{"process id", 10}, TAG_PID},
		{{"process.pid", 11}, TAG_PID},
		{{"comm", 4}, TAG_COMM},
		{{"process_name", 12}, TAG_COMM},
		{{"process.executable.name", 23}, TAG_COMM},
		{{"cpu", 3}, TAG_CPU},
		{{"cpu.logical_number", 18}, TAG_CPU},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (bytes_equal(key, known[i].key))
			return known[i].role;
	return TAG_LABEL;
}

struct bytes pprof_unit_to_profile(struct bytes unit)
{
	if (bytes_equal(unit, BYTES("nanoseconds")))
		return BYTES("ns");
	return bytes_equal(unit, BYTES("By")) ? BYTES("bytes") : unit; /* UCUM's, in OTLP */
}

struct bytes pprof_unit_from_profile(struct bytes unit)
{
	return bytes_equal(unit, BYTES("ns")) ? BYTES("nanoseconds") : unit;
}

/* Memory that is no file: what runs there was made while the program ran. */
static bool is_made(struct bytes file)
{
	static const char *const starts[] = {"//anon", "anon_inode:", "/memfd:", "/dev/zero",
		"[heap]", "[stack]", "[anon", "[jit]", "[unknown]"};

	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (bytes_starts_with(file, bytes_of(starts[i])))
			return true;
	return !file.len;
}

enum mapping_kind pprof_mapping_kind(struct bytes file)
{
	if (is_made(file))
		return MAPPING_JIT;
	if (bytes_equal(file, BYTES("[vdso]")))
		return MAPPING_VDSO;
	if (bytes_starts_with(file, BYTES("[kernel")))
		return MAPPING_KERNEL;
	switch (tidy_module_kind(file)) {
	case FRAME_KERNEL:
		return file.at[0] == '[' || bytes_find(file, BYTES(".ko")) ? MAPPING_MODULE
									   : MAPPING_KERNEL;
	case FRAME_JIT:
		return MAPPING_JIT;
	default:
		return MAPPING_FILE;
	}
}

/* ---- Numbers as text ---- */

void pprof_number_text(struct buffer *b, int64_t number, struct bytes unit)
{
	buffer_i64(b, number);
	if (unit.len) {
		buffer_char(b, ' ');
		buffer_add(b, unit.at, unit.len);
	}
}

/* Units that nobody takes for words of a text. */
static bool is_unit(struct bytes word)
{
	static const char *const units[] = {"bytes", "kilobytes", "megabytes", "nanoseconds",
		"microseconds", "milliseconds", "seconds", "count", "objects"};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (bytes_equal(word, bytes_of(units[i])))
			return true;
	return false;
}

bool pprof_number_of(struct bytes text, int64_t *ret_number, struct bytes *ret_unit)
{
	struct bytes digits, number = text;
	uint64_t value;
	bool minus = text.len && text.at[0] == '-';

	*ret_unit = (struct bytes){0};
	if (bytes_cut(&text, ' ', &number)) {
		if (!is_unit(text))
			return false;
		*ret_unit = text;
	}
	digits = (struct bytes){number.at + minus, number.len - minus};
	/* No zeroes in front, which the number would not give back. */
	if (!digits.len || (digits.at[0] == '0' && (digits.len > 1 || minus)) ||
		!bytes_u64(digits, &value) || value > INT64_MAX)
		return false;
	*ret_number = minus ? -(int64_t)value : (int64_t)value;
	return true;
}

/* ---- Times ---- */

/* A count of nanoseconds as the decimals of seconds, as many as it takes. */
static void add_decimals(struct buffer *b, uint64_t ns)
{
	if (!ns)
		return;
	buffer_printf(b, ".%09llu", (unsigned long long)ns);
	while (b->at[b->len - 1] == '0')
		b->len--;
}

void pprof_set_times(struct profile *p, uint64_t started, uint64_t duration)
{
	time_t seconds = (time_t)(started / 1000000000);
	struct buffer text = {0};
	struct tm utc;
	char date[40];

	if (started && started <= PROFILE_TIME_LIMIT && gmtime_r(&seconds, &utc)) {
		strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &utc);
		buffer_text(&text, date);
		add_decimals(&text, started % 1000000000);
		buffer_char(&text, 'Z');
		profile_set_meta(p, BYTES("started"), buffer_bytes(&text));
	}
	text.len = 0;
	if (duration && duration <= PROFILE_TIME_LIMIT) {
		buffer_u64(&text, duration / 1000000000);
		add_decimals(&text, duration % 1000000000);
		buffer_char(&text, 's');
		profile_set_meta(p, BYTES("duration"), buffer_bytes(&text));
	}
	buffer_release(&text);
}
