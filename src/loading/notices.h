/* notices.h: what should the user know about a profile before trusting a picture of it? */
#ifndef KILN_LOADING_NOTICES_H
#define KILN_LOADING_NOTICES_H

#include "loading/listener.h"
#include "model/view.h"

/* Report the notes of the profile and the view, what was lost of the shown values, and that the
 * view shows no sample although there are some. `input` is the input's name. */
void notices_report(
	const struct view *v, const struct loading_listener *listener, const char *input);

/* Report which other events there are: a user who has not chosen one may not know of them. */
void notices_report_other_events(
	const struct view *v, const struct loading_listener *listener, const char *input);

#endif
