// views.mjs: which main views are there? One file and one line each.
//
// A main view has a panel, the element `panel-NAME` of view.html, and is made once, with the page
// (page.mjs) for which it works; its controls are those of view.html with `data-view=NAME`:
//
//     name, title          in the page's address; for people
//     address(state)       what it asks the server for; what has one address is the same answer
//     ask(address, state, signal) => Promise of the answer, as take() takes it
//     take(answer)         the answer has come, for the page's state or one that was dragged over
//     show()               draw what was taken as the state says now
//     forget()             the state is that of another address, not what one has done
//     describe() => text   of what is at the pointer, or has the focus
//     keys                 actions by keys, while hasFocus()
//     focus()              for the keyboard
//     match(step)          go to the next match of the search (1), or the one before (-1)
//     escape() => bool     give up something of its own; false: there was nothing
//     themeChanged()       draw again
//     onScreen() => {...}  members of the state that tests look at
import { FlameView } from "./views/flame.mjs";

export const VIEWS = [FlameView];
