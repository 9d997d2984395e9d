/* otlp.c: profiles of OpenTelemetry in protobuf: one message ProfilesData. */
#include "readers/otlp/otlp_profiles.h"

#include "base/spool.h"

#define EXPECTS "a protobuf message with resource profiles and a dictionary"

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct otlp *o = otlp_new(options, false, out);
	struct spool spool = {0};
	struct bytes content;
	bool done = spool_input(&spool, in, &content, err) && otlp_take(o, content, err) &&
		    otlp_finish(o, "byte", content.len, err);

	otlp_release(o);
	spool_release(&spool);
	return done;
}

#define FIELDS_MIN                                                                                 \
	4 /* that are evidence: one inside the other, of the types they should have                \
	   */
#define FIELDS_LIMIT 6

static int bid(struct bytes head)
{
	int fields = protobuf_match(head, &otlp_data_shape, true);

	if (fields < FIELDS_MIN)
		return 0;
	return 8 * (fields < FIELDS_LIMIT ? fields : FIELDS_LIMIT);
}

const struct reader reader_otlp = {
	.name = "otlp",
	.about = "profiles of OpenTelemetry (OTLP, v1development), in protobuf",
	.expects = EXPECTS,
	.proof = "messages that match the published .proto; not tested with a real producer",
	.bid = bid,
	.read = read,
};
