// views.mjs: which main views are there? One file and one line each.
//
// A main view is made once, with the page (page.mjs) for which it works. Its panel and controls are
// elements of view.html with NAME in their `data-view`:
//
//     name, title          in the page's address; for people
//     address(state)       of its request; equal addresses have equal answers
//     ask(address, state, signal) => Promise of the answer, as take() takes it
//     isAskedEarly         the request can be sent first: it depends on the state alone
//     take(answer)         the answer has arrived, for the current state or an earlier one
//     show()               draw the last answer, with the current state
//     reset()              the address has changed: drop what belongs to the old state
//     ofFunction           it shows one function: the state's
//     current() => name    of the function that has the focus, or ""
//     describe() => text   of the item at the pointer, or with the focus
//     keys                 actions by keys, while hasFocus()
//     focus()              for the keyboard
//     match(step)          go to the next match of the search (1), or the one before (-1)
//     escape() => bool     cancel or clear something of its own; false: there was nothing
//     themeChanged()       draw again
//     onScreen() => {...}  members of the state that tests look at
import { ChartView } from "./views/chart.mjs";
import { FlameView } from "./views/flame.mjs";
import { SandwichView } from "./views/sandwich.mjs";
import { SourceView } from "./views/source.mjs";

export const VIEWS = [FlameView, ChartView, SandwichView, SourceView];
