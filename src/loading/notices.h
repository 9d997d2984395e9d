/* notices.h: what should the user know about a profile before he trusts a picture of it? */
#ifndef KILN_LOADING_NOTICES_H
#define KILN_LOADING_NOTICES_H

#include "loading/listener.h"
#include "model/view.h"

/* Tell the notes that the profile and the view have, and what was lost of the values that the view
 * shows. `input` is the input's name. */
void notices_tell(const struct view *v, const struct loading_listener *listener, const char *input);

/* Tell which events there are beside the one that the view shows: a user who named none may not
 * know of them. */
void notices_tell_other_events(
	const struct view *v, const struct loading_listener *listener, const char *input);

#endif
