/* colour.c: which colours do the frames and the background of a picture have? */
#include "renderers/colour.h"

#include "base/utf8.h"

#include <assert.h>
#include <math.h>

const char *const palette_names[] = {"kind", "module", "hot", "mem", "io", "wakeup", "chain",
	"java", "js", "perl", "python", "rust", "red", "green", "blue", "aqua", "yellow", "purple",
	"orange", NULL};

/* ---- Shades of the classic palettes: numbers in [0, 1) ---- */

/* One step of drand48, as in Perl's srand(seed), rand(1) on every system: 48 bits of state. */
#define DRAND48_START(seed) (((uint64_t)(seed) << 16) + 0x330E)

static double drand48_step(uint64_t *state)
{
	*state = (*state * 0x5DEECE66Du + 0xB) & (((uint64_t)1 << 48) - 1);
	return (double)*state / (double)((uint64_t)1 << 48);
}

/* The next code point of `text`; *at moves behind it. An invalid byte counts as one. */
static uint32_t next_code_point(struct bytes text, size_t *at)
{
	uint32_t code_point = 0;
	size_t len = utf8_decode((struct bytes){text.at + *at, text.len - *at}, &code_point);

	if (!len)
		code_point = (unsigned char)text.at[*at];
	*at += len ? len : 1;
	return code_point;
}

static double shade_by_sum(struct bytes name)
{
	uint32_t sum = 0;
	uint64_t state;

	for (size_t at = 0; at < name.len;)
		sum += next_code_point(name, &at);
	state = DRAND48_START(sum);
	return drand48_step(&state);
}

/* From the first three code points, with decreasing weight. */
static double shade_by_characters(const uint32_t *characters, size_t count)
{
	double sum = 0, weight = 1, max = 1;

	for (size_t i = 0; i < count && i < 3; i++) {
		unsigned modulus = 10 + (unsigned)i;

		sum += (double)(characters[i] % modulus) / (modulus - 1) * weight;
		max += weight;
		weight *= 0.70;
	}
	return 1 - sum / max;
}

/* The start of the name behind "module`": flamegraph.pl requires at least one character of
 * module. */
static size_t behind_module(struct bytes name)
{
	const char *tick = name.len > 1 ? memchr(name.at + 1, '`', name.len - 1) : NULL;

	return tick ? (size_t)(tick - name.at) + 1 : 0;
}

static double shade_by_start(struct bytes name)
{
	uint32_t first[3] = {0};
	size_t count = 0;

	for (size_t at = behind_module(name); at < name.len && count < 3;)
		first[count++] = next_code_point(name, &at);
	return shade_by_characters(first, count);
}

/* The same for the reversed name. There, "behind the module" is what precedes the last backtick
 * that is not the very last character. */
static double shade_by_end(struct bytes name)
{
	const char *tick = name.len > 1 ? memrchr(name.at, '`', name.len - 1) : NULL;
	size_t end = tick ? (size_t)(tick - name.at) : name.len;
	uint32_t last[3] = {0}; /* the last three, last one first */
	size_t count = 0;

	for (size_t at = 0; at < end; count++) {
		last[2] = last[1];
		last[1] = last[0];
		last[0] = next_code_point((struct bytes){name.at, end}, &at);
	}
	return shade_by_characters(last, count);
}

struct shades {
	double v1, v2, v3;
};

/* FNV-1a, with two more rounds. inferno calculates with floats. */
static struct shades shades_by_fnv(struct bytes name)
{
	uint64_t hash = 0xcbf29ce484222325;
	double v[3];

	for (size_t i = 0; i < name.len; i++)
		hash = (hash ^ (unsigned char)name.at[i]) * 0x100000001b3;
	for (int i = 0; i < 3; i++, hash *= 0x100000001b3)
		v[i] = (double)(float)((double)hash / (double)UINT64_MAX);
	return (struct shades){v[0], v[1], v[2]};
}

static struct shades shades_of(
	enum colour_seed seed, struct bytes name, struct colour_sequence *sequence)
{
	struct shades s;

	if (seed == SEED_FNV) {
		s = shades_by_fnv(name);
	} else if (seed == SEED_HASH) {
		s.v1 = shade_by_start(name);
		s.v2 = s.v3 = shade_by_end(name);
	} else if (seed == SEED_RANDOM) {
		if (!sequence->state)
			sequence->state = DRAND48_START(1);
		s.v1 = drand48_step(&sequence->state);
		s.v2 = drand48_step(&sequence->state);
		s.v3 = drand48_step(&sequence->state);
	} else {
		s.v1 = s.v2 = s.v3 = shade_by_sum(name);
	}
	return s;
}

/* ---- Palettes that choose a hue by the name ---- */

static bool ends_in(struct bytes name, const char *end)
{
	return bytes_ends_with(name, bytes_of(end));
}

static bool has(struct bytes name, const char *part)
{
	return bytes_find(name, bytes_of(part)) != NULL;
}

static bool is_java_package(struct bytes name)
{
	static const char *const packages[] = {
		"java/", "javax/", "jdk/", "net/", "org/", "com/", "io/", "sun/"};

	if (bytes_starts_with(name, BYTES("L")))
		name = (struct bytes){name.at + 1, name.len - 1};
	for (size_t i = 0; i < sizeof(packages) / sizeof(*packages); i++)
		if (bytes_starts_with(name, bytes_of(packages[i])))
			return true;
	return false;
}

static enum palette java_hue(struct bytes name)
{
	if (ends_in(name, "_[j]"))
		return PALETTE_GREEN;
	if (ends_in(name, "_[i]"))
		return PALETTE_AQUA;
	if (is_java_package(name) || has(name, ":::"))
		return PALETTE_GREEN;
	if (has(name, "::"))
		return PALETTE_YELLOW;
	return ends_in(name, "_[k]") ? PALETTE_ORANGE : PALETTE_RED;
}

/* Contains "/" and, behind it, ".js". */
static bool is_script_path(struct bytes name)
{
	const char *slash = name.len ? memchr(name.at, '/', name.len) : NULL;

	return slash && has((struct bytes){slash, name.len - (size_t)(slash - name.at)}, ".js");
}

static enum palette js_hue(struct bytes name)
{
	if (ends_in(name, "_[j]"))
		return has(name, "/") ? PALETTE_GREEN : PALETTE_AQUA;
	if (has(name, "::"))
		return PALETTE_YELLOW;
	if (is_script_path(name))
		return PALETTE_GREEN;
	if (has(name, ":"))
		return PALETTE_AQUA;
	if (bytes_equal(name, BYTES(" ")))
		return PALETTE_GREEN;
	return has(name, "_[k]") ? PALETTE_ORANGE : PALETTE_RED;
}

/* inferno tests annotations first, and takes more names for Java: those with a slash, a dot or an
 * initial capital. */
static enum palette inferno_java_hue(struct bytes name)
{
	struct bytes plain = name;

	if (ends_in(name, "_[k]"))
		return PALETTE_ORANGE;
	if (ends_in(name, "_[i]"))
		return PALETTE_AQUA;
	if (ends_in(name, "_[j]"))
		return PALETTE_GREEN;
	if (has(name, "::") || bytes_starts_with(name, BYTES("-[")) ||
		bytes_starts_with(name, BYTES("+[")))
		return PALETTE_YELLOW;
	if (bytes_starts_with(name, BYTES("L")))
		plain = (struct bytes){name.at + 1, name.len - 1};
	if (!plain.len)
		return PALETTE_RED;
	if (has(plain, "/") || (has(plain, ".") && *plain.at != '['))
		return PALETTE_GREEN;
	return *plain.at >= 'A' && *plain.at <= 'Z' ? PALETTE_GREEN : PALETTE_RED;
}

/* Packages installed by npm differ from the program's own files. */
static enum palette inferno_js_hue(struct bytes name)
{
	const char *slash = name.len ? memchr(name.at, '/', name.len) : NULL;
	struct bytes path = {slash, slash ? name.len - (size_t)(slash - name.at) : 0};

	if (name.len && !bytes_trim(name).len)
		return PALETTE_GREEN;
	if (ends_in(name, "_[k]"))
		return PALETTE_ORANGE;
	if (ends_in(name, "_[j]"))
		return slash ? PALETTE_GREEN : PALETTE_AQUA;
	if (has(name, ":"))
		return has(name, "::") ? PALETTE_YELLOW : PALETTE_AQUA;
	if (has(path, "node_modules/"))
		return PALETTE_PURPLE;
	return has(path, ".js") ? PALETTE_GREEN : PALETTE_RED;
}

static enum palette perl_hue(struct bytes name)
{
	if (has(name, "::"))
		return PALETTE_YELLOW;
	if (has(name, "Perl") || has(name, ".pl"))
		return PALETTE_GREEN;
	return ends_in(name, "_[k]") ? PALETTE_ORANGE : PALETTE_RED;
}

/* "python3.11": the folder of an interpreter's modules. */
static bool is_python_folder(struct bytes part)
{
	if (!bytes_starts_with(part, BYTES("python")) && !bytes_starts_with(part, BYTES("Python")))
		return false;
	for (size_t i = strlen("python"); i < part.len; i++)
		if (part.at[i] != '.' && !is_digit(part.at[i]))
			return false;
	return true;
}

/* By the folders of a path: installed packages are aqua, Python's own modules yellow. */
static enum palette python_hue(struct bytes name)
{
	static const char *const made_in[] = {"<built-in", "<method", "<frozen"};
	enum palette hue = PALETTE_RED;
	size_t start = 0;

	for (size_t i = 0; i < sizeof(made_in) / sizeof(*made_in); i++)
		if (bytes_starts_with(name, bytes_of(made_in[i])))
			hue = PALETTE_YELLOW;
	for (size_t i = 0; i <= name.len; i++) {
		struct bytes part = {name.at + start, i - start};

		if (i < name.len && name.at[i] != '/' && name.at[i] != '\\')
			continue;
		if (bytes_equal(part, BYTES("site-packages")))
			return PALETTE_AQUA;
		if (is_python_folder(part))
			hue = PALETTE_YELLOW;
		start = i + 1;
	}
	return hue;
}

/* The standard libraries are orange, all other module paths aqua. */
static enum palette rust_hue(struct bytes name)
{
	static const char *const own[] = {
		"core::", "std::", "alloc::", "<core::", "<std::", "<alloc::"};
	const char *tick = name.len ? memchr(name.at, '`', name.len) : NULL;

	if (tick) {
		name.len -= (size_t)(tick + 1 - name.at);
		name.at = tick + 1;
	}
	/* A generator is a function of the program. */
	if (!bytes_starts_with(name, BYTES("<core::future::from_generator::GenFuture<T>")))
		for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
			if (bytes_starts_with(name, bytes_of(own[i])))
				return PALETTE_ORANGE;
	return has(name, "::") ? PALETTE_AQUA : PALETTE_YELLOW;
}

static enum palette plain_hue(enum palette palette, struct bytes name)
{
	switch (palette) {
	case PALETTE_JAVA:
		return java_hue(name);
	case PALETTE_JS:
		return js_hue(name);
	case PALETTE_INFERNO_JAVA:
		return inferno_java_hue(name);
	case PALETTE_INFERNO_JS:
		return inferno_js_hue(name);
	case PALETTE_PERL:
		return perl_hue(name);
	case PALETTE_PYTHON:
		return python_hue(name);
	case PALETTE_RUST:
		return rust_hue(name);
	case PALETTE_WAKEUP:
		return PALETTE_AQUA;
	case PALETTE_CHAIN:
		return has(name, "_[w]") ? PALETTE_AQUA : PALETTE_BLUE;
	default:
		return palette;
	}
}

/* ---- Classic colours ---- */

static struct colour rgb(int red, int green, int blue)
{
	return (struct colour){(uint8_t)red, (uint8_t)green, (uint8_t)blue};
}

/* A channel is `base` plus up to `range`, scaled by the shade v1, v2 or v3. */
struct channel {
	int base, range, shade;
};
static const struct channel plain_hues[][3] = {
	[PALETTE_HOT] = {{205, 50, 3}, {0, 230, 1}, {0, 55, 2}},
	[PALETTE_MEM] = {{0, 0, 1}, {190, 50, 2}, {0, 210, 1}},
	[PALETTE_IO] = {{80, 60, 1}, {80, 60, 1}, {190, 55, 2}},
	[PALETTE_RED] = {{200, 55, 1}, {50, 80, 1}, {50, 80, 1}},
	[PALETTE_GREEN] = {{50, 60, 1}, {200, 55, 1}, {50, 60, 1}},
	[PALETTE_BLUE] = {{80, 60, 1}, {80, 60, 1}, {205, 50, 1}},
	[PALETTE_AQUA] = {{50, 60, 1}, {165, 55, 1}, {165, 55, 1}},
	[PALETTE_YELLOW] = {{175, 55, 1}, {175, 55, 1}, {50, 20, 1}},
	[PALETTE_PURPLE] = {{190, 65, 1}, {80, 60, 1}, {190, 65, 1}},
	[PALETTE_ORANGE] = {{190, 65, 1}, {90, 65, 1}, {0, 0, 1}},
	[PALETTE_BLACK] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}},
};

/* Rounded down, as in flamegraph.pl. */
static int channel_value(const struct channel *c, const struct shades *s)
{
	double v = c->shade == 1 ? s->v1 : c->shade == 2 ? s->v2 : s->v3;

	return c->base + (int)(c->range * v);
}

struct colour colour_classic(enum palette palette, enum colour_seed seed, struct bytes name,
	struct colour_sequence *sequence)
{
	struct shades s = shades_of(seed, name, sequence);
	const struct channel *hue = plain_hues[plain_hue(palette, name)];

	assert(hue[0].shade && "a palette of Kiln's own");
	return rgb(
		channel_value(&hue[0], &s), channel_value(&hue[1], &s), channel_value(&hue[2], &s));
}

/* ---- Kiln's own palettes ---- */

/* Both ends of each kind's family. Native code is warm, generated code green or pink, the kernel
 * blue, and frames that are not code are grey. Neighbours also differ in lightness, for people who
 * cannot distinguish the hues. */
static const struct colour families[FRAME_KINDS][2] = {
	[FRAME_NATIVE] = {{251, 205, 108}, {240, 139, 88}},
	[FRAME_KERNEL] = {{132, 184, 238}, {168, 166, 241}},
	[FRAME_JIT] = {{166, 218, 120}, {98, 200, 148}},
	[FRAME_INTERPRETED] = {{244, 176, 214}, {218, 158, 232}},
	[FRAME_INLINED] = {{255, 238, 184}, {252, 222, 176}},
	[FRAME_IDLE] = {{214, 220, 226}, {198, 205, 213}},
	[FRAME_GUEST] = {{128, 214, 212}, {108, 196, 210}},
	[FRAME_META] = {{210, 207, 202}, {192, 189, 184}},
	[FRAME_BASELINE] = {{214, 218, 112}, {188, 206, 96}},
	[FRAME_WAITING] = {{202, 200, 208}, {182, 180, 192}},
};

static uint8_t mix(uint8_t a, uint8_t b, unsigned share_of_b, unsigned whole)
{
	return (uint8_t)((a * (whole - share_of_b) + b * share_of_b) / whole);
}

static struct colour mix_colours(
	struct colour a, struct colour b, unsigned share_of_b, unsigned whole)
{
	return (struct colour){mix(a.red, b.red, share_of_b, whole),
		mix(a.green, b.green, share_of_b, whole), mix(a.blue, b.blue, share_of_b, whole)};
}

struct colour colour_by_kind(enum frame_kind kind, struct bytes name)
{
	unsigned share = (unsigned)(hash_bytes(name.at, name.len) >> 56);

	return mix_colours(families[kind][0], families[kind][1], share, 255);
}

void colour_family(enum frame_kind kind, struct colour ret_ends[2])
{
	memcpy(ret_ends, families[kind], sizeof(families[kind]));
}

struct colour colour_of_kind(enum frame_kind kind)
{
	return mix_colours(families[kind][0], families[kind][1], 1, 2);
}

/* A light colour of this hue (0..1535, six ramps of 256), mixed with five eighths of grey. */
static struct colour colour_of_hue(unsigned hue)
{
	unsigned ramp = hue & 255;
	struct colour pure;

	switch (hue >> 8) {
	case 0:
		pure = rgb(255, (int)ramp, 0);
		break;
	case 1:
		pure = rgb(255 - (int)ramp, 255, 0);
		break;
	case 2:
		pure = rgb(0, 255, (int)ramp);
		break;
	case 3:
		pure = rgb(0, 255 - (int)ramp, 255);
		break;
	case 4:
		pure = rgb((int)ramp, 0, 255);
		break;
	default:
		pure = rgb(255, 0, 255 - (int)ramp);
		break;
	}
	return mix_colours(pure, rgb(226, 226, 226), 5, 8);
}

#define HUES 30 /* more would not be distinguishable */

struct colour colour_by_module(enum frame_kind kind, struct bytes module, struct bytes name)
{
	uint64_t hash = hash_bytes(module.at, module.len);
	unsigned lighter = (unsigned)(hash_bytes(name.at, name.len) >> 56);

	if (kind == FRAME_KERNEL || kind == FRAME_IDLE || !frame_kind_is_code(kind) || !module.len)
		return colour_by_kind(
			module.len || kind == FRAME_WAITING ? kind : FRAME_META, name);
	return mix_colours(colour_of_hue((unsigned)(hash % HUES) * (1536 / HUES)),
		rgb(255, 255, 255), lighter, 600);
}

/* ---- By value ---- */

struct colour colour_of_change(int64_t change, int64_t max)
{
	double share = change < 0 ? -(double)change : (double)change;
	int rest = (int)(210 * ((double)max - share) / (double)max);

	if (!change)
		return rgb(255, 255, 255);
	return change > 0 ? rgb(255, rest, rest) : rgb(rest, rest, 255);
}

struct colour colour_of_change_inferno(int64_t change, int64_t max)
{
	int64_t size = change < 0 ? -change : change;
	int rest = 100 + (int)(150 * (double)(max - size) / (double)max);

	if (!change)
		return rgb(250, 250, 250);
	return change > 0 ? rgb(255, rest, rest) : rgb(rest, rest, 255);
}

struct colour colour_of_ratio(double ratio)
{
	static const struct colour same = {228, 228, 226}, more = {240, 92, 72},
				   less = {88, 144, 244};
	double share = fmin(fabs(ratio) / COLOUR_RATIO_FULL, 1);

	return mix_colours(same, ratio > 0 ? more : less, (unsigned)lrint(share * 1000), 1000);
}

/* The square root makes red fade slowly: a frame of half the width is still important. */
struct colour colour_of_share(double share)
{
	int step = (int)(sqrt(share) * 2000), rest = 100 + 150 * (2000 - step) / 2000;

	return step ? rgb(255, rest, rest) : rgb(250, 250, 250);
}

/* ---- Backgrounds ---- */

bool colour_of_hex(struct bytes text, struct colour *ret_colour)
{
	uint64_t hex;

	if (text.len != 7 || text.at[0] != '#' || !bytes_hex((struct bytes){text.at + 1, 6}, &hex))
		return false;
	*ret_colour = rgb((int)(hex >> 16), (int)(hex >> 8 & 255), (int)(hex & 255));
	return true;
}

bool background_by_name(struct bytes name, struct colour ret_colours[2])
{
	static const struct {
		const char *name;
		struct colour top, bottom;
	} gradients[] = {
		{"yellow", {0xee, 0xee, 0xee}, {0xee, 0xee, 0xb0}},
		{"blue", {0xee, 0xee, 0xee}, {0xe0, 0xe0, 0xff}},
		{"green", {0xee, 0xf2, 0xee}, {0xe0, 0xff, 0xe0}},
		{"grey", {0xf8, 0xf8, 0xf8}, {0xe8, 0xe8, 0xe8}},
	};

	for (size_t i = 0; i < sizeof(gradients) / sizeof(*gradients); i++) {
		if (bytes_equal(name, bytes_of(gradients[i].name))) {
			ret_colours[0] = gradients[i].top;
			ret_colours[1] = gradients[i].bottom;
			return true;
		}
	}
	if (!colour_of_hex(name, &ret_colours[0]))
		return false;
	ret_colours[1] = ret_colours[0];
	return true;
}

const char *background_of_palette(enum palette palette)
{
	switch (palette) {
	case PALETTE_KIND:
	case PALETTE_MODULE:
		return NULL;
	case PALETTE_MEM:
		return "green";
	case PALETTE_IO:
	case PALETTE_WAKEUP:
	case PALETTE_CHAIN:
		return "blue";
	case PALETTE_HOT:
	case PALETTE_JAVA:
	case PALETTE_JS:
	case PALETTE_PERL:
	case PALETTE_PYTHON:
	case PALETTE_RUST:
	case PALETTE_INFERNO_JAVA:
	case PALETTE_INFERNO_JS:
	case PALETTE_BLACK:
		return "yellow";
	default:
		return "grey";
	}
}
