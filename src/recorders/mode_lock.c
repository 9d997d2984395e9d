/* mode_lock.c: what can be asked about waits for locks? */
#include "recorders/modes.h"

#include "bpf/shared.h"

/* What is asked for by one name: both sides of a lock for readers and writers. */
static const struct {
	const char *name;
	unsigned kinds;
} names[] = {
	{"futex", 1u << LOCK_FUTEX},
	{"spin", 1u << LOCK_SPIN},
	{"rwlock", 1u << LOCK_RWLOCK_READ | 1u << LOCK_RWLOCK_WRITE},
	{"mutex", 1u << LOCK_MUTEX},
	{"rwsem", 1u << LOCK_RWSEM_READ | 1u << LOCK_RWSEM_WRITE},
	{"rtmutex", 1u << LOCK_RT_MUTEX},
	{"percpu", 1u << LOCK_PERCPU_READ | 1u << LOCK_PERCPU_WRITE},
	{"semaphore", 1u << LOCK_SEMAPHORE},
	{"kernel", ((1u << LOCK_KINDS) - 1) & ~(1u << LOCK_FUTEX)},
};

static unsigned kinds_named(struct bytes name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (bytes_equal(name, bytes_of(names[i].name)))
			return names[i].kinds;
	return 0;
}

static bool set_locks(void *target, const struct option *o, const char *value, struct error *err)
{
	struct record_options *wanted = target;

	(void)o;
	do {
		size_t len = strcspn(value, ",");
		unsigned kinds = kinds_named((struct bytes){value, len});

		if (!kinds)
			return error_set(err, ERR_USAGE,
				"expected futex, or of the kernel's spin, rwlock, mutex, rwsem, "
				"rtmutex, percpu, semaphore, or kernel for all of these, with "
				"commas between them, not '%.*s'",
				(int)len, value);
		wanted->lock_kinds |= kinds;
		value += len;
	} while (*value++);
	return true;
}

static const struct option options[] = {
	{.name = "locks",
		.argument = "LIST",
		.set = set_locks,
		.help = "only these: futex (those of programs), and of the kernel's spin, rwlock, "
			"mutex, rwsem, rtmutex, percpu, semaphore; kernel: all of these"},
	{0},
};

static bool used(const struct record_options *o)
{
	return o->lock_kinds;
}

const struct mode mode_lock = {
	.name = "lock",
	.about = "where threads wait for locks only, those of programs (futex) and the kernel's",
	.none = "the target never waited for a lock",
	.top = "what locks were waited for",
	.what = "wait for a lock",
	.options = options,
	.title = "Locks (--mode lock; off shows all that is waited for)",
	.own = "options such as --locks",
	.used = used,
};
