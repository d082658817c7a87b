// The page of a lab: its question, a picture that answers it, and sliders that the picture follows.

import { element } from "./element.js";
import { make_asker, window_tools } from "./lab_asking.js";
import { lab_navigation } from "./lab_index_page.js";
import { grid_key, hash_of_state, initial_state, question_of, state_of_hash, values_words } from "./lab_state.js";
import { live_figures } from "./live_figures.js";

/** @typedef {import("./lab_state.js").LabDefinition} LabDefinition */
/** @typedef {import("./lab_state.js").Values} Values */
/** @typedef {Record<string, any>} Comparison as `compare --json` prints it */

/**
 * first: of the initial values; grid: of all that the sliders can say, by grid_key(), in place of a
 * server.
 * @typedef {{lab: LabDefinition, first: Comparison, grid?: Record<string, Comparison> | null} & import("./lab_index_page.js").LabLinks} LabDocument
 */

export const old_words = "The figures shown are those of the previous settings.";

/**
 * Says what a picture is about, for people and for who waits for it: the number of the last question
 * drawn is data-drawn, and whether more is coming is data-state ("ready", "asking", "refused").
 * @param {HTMLElement} figures @param {HTMLElement} status
 */
export function picture_state(figures, status) {
  const page = document.documentElement.dataset;
  const set = (/** @type {string} */ state, /** @type {string} */ text) => {
    page.state = state;
    figures.toggleAttribute("data-old", state !== "ready");
    figures.setAttribute("aria-busy", String(state === "asking"));
    status.textContent = text;
  };
  let moved = false;
  return {
    set,
    /** A slider has moved: the time until its curve is taken from here. */
    moved: () => {
      moved = true;
      // Entries of a page that is moved a thousand times would pile up.
      performance.clearResourceTimings();
      performance.clearMarks("slider-moved");
      performance.mark("slider-moved");
      set("asking", "The figures shown are still those of the previous settings; the new ones are being computed.");
    },
    drawn: (/** @type {number} */ number) => {
      page.drawn = String(number);
      if (!moved) return;
      moved = false;
      performance.clearMeasures("slider-to-curve");
      performance.measure("slider-to-curve", "slider-moved");
    },
  };
}

/**
 * Answers from the grid, as the asker's from the server; a page has one or the other.
 * @param {Record<string, Comparison>} grid @param {import("./lab_asking.js").AskingListener} listener
 */
export function grid_asker(grid, listener) {
  let number = 0;
  return {
    /** @param {Values} values */
    ask(values) {
      const found = grid[grid_key(values)];
      if (found) listener.answered(found, ++number, true);
      else listener.refused("This export has no figures for these values.", "");
    },
  };
}

/** @param {HTMLElement} parent @param {LabDocument} content */
export function lab_page(parent, content) {
  const {lab, first} = content;
  let state = state_of_hash(lab, location.hash);
  const status = element("p", {class: "status", role: "status"});
  const figures = element("div", {class: "figures"});
  const sliders = lab_sliders(lab, (values) => {
    state = {...state, values};
    address.moved(hash_of_state(lab, state));
    ask();
  }, () => address.rest());
  const [lead, ...story] = lab.story.map((paragraph) => element("p", {}, paragraph));
  parent.append(lab_navigation(content, lab.name), element("h1", {}, lab.question), lead, sliders.root, status, figures);
  const picture = picture_state(figures, status);
  const drawn_figures = live_figures(figures, first, state.view, (view) => {
    state = {...state, view};
    address.replace(hash_of_state(lab, state));
  }, lab.show.log);
  // Beside the picture that it is about.
  drawn_figures.curves.after(element("section", {class: "story"}, ...story));
  const listener = {
    answered: (/** @type {Comparison} */ document, /** @type {number} */ number, /** @type {boolean} */ is_whole) => {
      const words = `Drawn: ${values_words(lab, state.values)}.`;
      drawn_figures.draw(document, is_whole, () => picture.set("ready", words));
      picture.drawn(number);
    },
    refused: (/** @type {string} */ message, /** @type {string} */ option) => {
      picture.set("refused", sliders.refuse(option, message) ? old_words : `${message} ${old_words}`);
    },
    waits: (/** @type {string} */ message) => picture.set("asking", message),
  };
  const asker = content.grid ? null : make_asker(window_tools(), listener);
  const from_grid = grid_asker(content.grid ?? {}, listener);
  const ask = () => {
    drawn_figures.forget();
    sliders.refuse("", "");
    picture.moved();
    if (asker) asker.ask(question_of(lab, state.values));
    else from_grid.ask(state.values);
  };
  const address = lab_address((hash) => {
    const before = grid_key(state.values);
    state = state_of_hash(lab, hash);
    sliders.show(state.values);
    drawn_figures.set_view(state.view);
    if (grid_key(state.values) !== before) ask();
  });
  sliders.show(state.values);
  picture.drawn(0);
  picture.set("ready", "");
  if (grid_key(state.values) !== grid_key(initial_state(lab).values)) ask();
}

/**
 * The state in the address. A drag is one step of the browser's history, whatever it passed.
 * @param {(hash: string) => void} came_back by Back, Forward or a link within the page
 */
export function lab_address(came_back) {
  let hash = location.hash, is_moving = false;
  const follow = () => {
    if (location.hash === hash) return;
    hash = location.hash;
    is_moving = false;
    came_back(hash);
  };
  addEventListener("popstate", follow);
  addEventListener("hashchange", follow);
  const put = (/** @type {string} */ next, /** @type {boolean} */ is_new) => {
    const url = next || location.pathname + location.search;
    if (is_new) history.pushState(null, "", url);
    else history.replaceState(null, "", url);
    hash = location.hash;
  };
  return {
    /** @param {string} next */
    moved: (next) => {
      put(next, !is_moving);
      is_moving = true;
    },
    /** The next move is a new step. */
    rest: () => { is_moving = false; },
    /** @param {string} next what Back need not undo */
    replace: (next) => put(next, false),
  };
}

/**
 * @param {LabDefinition} lab
 * @param {(values: Values) => void} moved
 * @param {() => void} released a drag is over
 */
function lab_sliders(lab, moved, released) {
  /** @type {Map<string, {show: (value: string) => void, refuse: (message: string) => void, value: () => string}>} */
  const sliders = new Map();
  let before = "";
  const changed = () => {
    const now = Object.fromEntries([...sliders].map(([option, {value}]) => [option, value()]));
    if (grid_key(now) === before) return;
    before = grid_key(now);
    moved(now);
  };
  const root = element("form", {class: "sliders unprinted", "aria-label": "What the picture is of",
    onsubmit: (/** @type {Event} */ event) => event.preventDefault()});
  for (const slider of lab.sliders) {
    const {option, label, texts} = slider;
    const output = element("output", {});
    const error = element("span", {class: "error", id: `error-${option}`, role: "alert"});
    const range = /** @type {HTMLInputElement} */ (element("input", {
      type: "range", min: 0, max: slider.values.length - 1, step: 1, name: option, "aria-describedby": error.id,
      oninput: () => { show_text(); changed(); }, onchange: () => { show_text(); changed(); released(); },
    }));
    const show_text = () => {
      output.textContent = texts[Number(range.value)];
      range.setAttribute("aria-valuetext", texts[Number(range.value)]);
    };
    sliders.set(option, {
      value: () => slider.values[Number(range.value)],
      show: (value) => { range.value = String(slider.values.indexOf(value)); show_text(); },
      refuse: (message) => { error.textContent = message; },
    });
    root.append(element("label", {}, element("span", {class: "slider-label"}, label), range, output, error));
  }
  return {
    root,
    /** @param {Values} now */
    show: (now) => {
      for (const [option, value] of Object.entries(now)) sliders.get(option)?.show(value);
      before = grid_key(now);
    },
    /**
     * Beside its slider; false where there is none for the option.
     * @param {string} option @param {string} message
     */
    refuse: (option, message) => {
      for (const [name, slider] of sliders) slider.refuse(name === option ? message : "");
      return sliders.has(option);
    },
  };
}
