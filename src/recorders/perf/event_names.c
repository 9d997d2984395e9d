/* event_names.c: which event does a name mean? */
#include "recorders/perf/event_names.h"

#include "process/perf_attr.h"
#include "recorders/probes/tracefs.h"

#include <stdio.h>
#include <stdlib.h>

static bool tracepoint(const char *name, uint64_t *ret_config, struct error *err)
{
	size_t len = strcspn(name, ":");

	return trace_id((struct bytes){name, len}, bytes_of(name + len + 1), ret_config, err);
}

/* Cut modifiers off `name`: the text behind the last colon, unless it is part of a tracepoint's
 * name. */
static bool cut_modifiers(char *name, struct event_name *event, struct error *err)
{
	char *colon = strrchr(name, ':');
	const char *at;
	bool user = false, kernel = false, hypervisor = false;

	if (!colon || !colon[1] || strspn(colon + 1, "ukhpPGHSDI") != strlen(colon + 1))
		return true;
	for (at = colon + 1; *at; at++) {
		user |= *at == 'u';
		kernel |= *at == 'k';
		hypervisor |= *at == 'h';
		event->precise += *at == 'p';
		if (!strchr("ukhp", *at))
			return error_set(err, ERR_USAGE,
				"event '%s': modifier '%c' is not supported; expected u, k, h or p",
				event->text, *at);
	}
	if (event->precise > 3)
		return error_set(err, ERR_USAGE, "event '%s': expected at most three p modifiers",
			event->text);
	if (user || kernel || hypervisor) {
		event->exclude_user = !user;
		event->exclude_kernel = !kernel;
		event->exclude_hypervisor = !hypervisor;
	}
	*colon = 0;
	return true;
}

static bool raw_event(const char *name, uint64_t *ret_config)
{
	return name[0] == 'r' && name[1] && bytes_hex(bytes_of(name + 1), ret_config);
}

/* ERR_USAGE when there is no such event; ERR_PERMISSION when tracepoints cannot be looked up. */
static bool parse_one(const char *text, struct event_name *ret_event, struct error *err)
{
	struct event_name event = {0};
	char name[EVENT_NAME_LIMIT];

	if (!*text || strlen(text) >= sizeof(name))
		return error_set(
			err, ERR_USAGE, "event '%.40s': expected a name such as cpu-clock", text);
	snprintf(event.text, sizeof(event.text), "%s", text);
	snprintf(name, sizeof(name), "%s", text);
	if (!cut_modifiers(name, &event, err))
		return false;
	*ret_event = event;
	for (size_t i = 0; perf_known_events[i].name; i++) {
		const struct perf_known_event *k = &perf_known_events[i];

		if (strcmp(name, k->name) && (!k->other || strcmp(name, k->other)))
			continue;
		ret_event->type = k->type;
		ret_event->config = k->config;
		ret_event->clock = k->type == PERF_TYPE_SOFTWARE &&
				   (k->config == PERF_COUNT_SW_CPU_CLOCK ||
					   k->config == PERF_COUNT_SW_TASK_CLOCK);
		ret_event->rare = k->type == PERF_TYPE_SOFTWARE && !ret_event->clock;
		return true;
	}
	if (perf_cache_event(name, &ret_event->config)) {
		ret_event->type = PERF_TYPE_HW_CACHE;
		return true;
	}
	if (raw_event(name, &ret_event->config)) {
		ret_event->type = PERF_TYPE_RAW;
		return true;
	}
	if (strchr(name, ':')) {
		ret_event->type = PERF_TYPE_TRACEPOINT;
		ret_event->rare = true;
		return tracepoint(name, &ret_event->config, err);
	}
	return error_set(err, ERR_USAGE,
		"event '%s' is unknown; expected a name as `perf list` spells it: cpu-clock, "
		"page-faults, context-switches, cycles, sched:sched_switch",
		text);
}

bool event_names_parse(const char *text, struct event_names *names, struct error *err)
{
	char one[EVENT_NAME_LIMIT];
	struct event_name event;

	while (*text) {
		size_t len = strcspn(text, ",");

		snprintf(one, sizeof(one), "%.*s", (int)len, text);
		if (len >= sizeof(one))
			return error_set(
				err, ERR_USAGE, "event '%.40s...': the name is too long", one);
		if (names->list.len == EVENTS_LIMIT)
			return error_set(err, ERR_USAGE, "more than %d events", EVENTS_LIMIT);
		if (!parse_one(one, &event, err))
			return false;
		vector_push(&names->list, event);
		text += len + (text[len] == ',');
	}
	return true;
}

void event_names_release(struct event_names *names)
{
	vector_release(&names->list);
}
