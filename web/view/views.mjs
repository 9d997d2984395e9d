// views.mjs: which main views are there? One file and one line each.
//
// A main view is made once, with the page (page.mjs) for which it works. Its panel and controls are
// elements of view.html with NAME in their `data-view`:
//
//     name, title          in the page's address; for people
//     address(state)       what it asks the server for; what has one address is the same answer
//     ask(address, state, signal) => Promise of the answer, as take() takes it
//     isAskedEarly         that address is one question, and hangs on nothing but the state
//     take(answer)         the answer has come, for the page's state or one that was dragged over
//     show()               draw what was taken as the state says now
//     forget()             the state is that of another address, not what one has done
//     ofFunction           it shows one function: the state's
//     current() => name    of the function that has the focus, or ""
//     describe() => text   of what is at the pointer, or has the focus
//     keys                 actions by keys, while hasFocus()
//     focus()              for the keyboard
//     match(step)          go to the next match of the search (1), or the one before (-1)
//     escape() => bool     give up something of its own; false: there was nothing
//     themeChanged()       draw again
//     onScreen() => {...}  members of the state that tests look at
import { ChartView } from "./views/chart.mjs";
import { FlameView } from "./views/flame.mjs";
import { SandwichView } from "./views/sandwich.mjs";
import { SourceView } from "./views/source.mjs";

export const VIEWS = [FlameView, ChartView, SandwichView, SourceView];
