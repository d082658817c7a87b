// The page of a lab: its question, a picture that answers it, and sliders that the picture follows.

import { element } from "./element.js";
import { address_from_lab, shell_word } from "./free_state.js";
import { answers_of_text, answers_part, with_answer } from "./lab_answers.js";
import { make_asker, window_tools } from "./lab_asking.js";
import { with_unit } from "./lab_drawn_guess.js";
import { guess_card, guess_words, guessables } from "./lab_guess.js";
import { lab_navigation } from "./lab_index_page.js";
import { above_minimum, difference_words, grid_key, hash_of_state, initial_state, pairs_of_hash, question_of, state_of_hash, values_words } from "./lab_state.js";
import { live_figures } from "./live_figures.js";

/** @typedef {import("./lab_state.js").LabDefinition} LabDefinition */
/** @typedef {import("./lab_state.js").Values} Values */
/** @typedef {Record<string, any>} Comparison as `compare --json` prints it */

/**
 * first: of the initial values; grid: of all that the sliders can say, by grid_key(), in place of a
 * server; start: what the free page begins with, where there is one.
 * @typedef {{lab: LabDefinition, first: Comparison, grid?: Record<string, Comparison> | null, start?: import("./free_state.js").FreeStart} & import("./lab_index_page.js").LabLinks} LabDocument
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

/** @param {LabDefinition} lab @param {string} guess */
function kept_words({guess: {drawn}}, guess) {
  return `Your guess is kept: ${drawn ? with_unit(drawn, Number(guess)) : guess}.`;
}

/** @param {string} difference */
function ghost_words(difference) {
  return difference === "" ? "" : `Faint: before, with ${difference}.`;
}

/**
 * What prints the same figures in a terminal.
 * @param {LabDefinition} lab @param {Values} values
 */
export function command_of(lab, values) {
  const first = initial_state(lab).values;
  return ["trainyard", "compare", `lab:${lab.name}`, ...Object.entries(values).flatMap(([option, value]) =>
    (value === first[option] ? [] : [`--${option}`, shell_word(value)]))].join(" ");
}

/** @param {LabDocument} content */
function lab_command({lab, free, start}) {
  const text = element("pre", {tabindex: "0", id: "command"});
  const further = start && free ? element("a", {id: "further"}, "Everything at once, from here") : null;
  return {
    root: element("section", {class: "unprinted"}, element("h2", {}, "The same in a terminal"), text,
      element("button", {type: "button", onclick: () => navigator.clipboard?.writeText(text.textContent ?? "")}, "Copy"),
      ...(further ? [element("p", {}, further, ": the free page with all these settings, to change any of them.")] : [])),
    show: (/** @type {Values} */ values, /** @type {import("./lab_state.js").View} */ view) => {
      text.textContent = command_of(lab, values);
      if (start) further?.setAttribute("href", `${free}${address_from_lab(start, values, view)}`);
    },
  };
}

/**
 * A paragraph whose links, "[a sentence](latency=6ms&workers=8)", move the sliders there.
 * @param {LabDefinition} lab @param {string} text
 */
export function story_paragraph(lab, text) {
  const first = initial_state(lab);
  return element("p", {}, ...text.split(/(\[[^\]]+\]\([^)]+\))/).map((part) => {
    const [, words, place] = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(part) ?? [];
    if (words === undefined) return part;
    const {values} = state_of_hash(lab, `#${place}`);
    return element("a", {class: "task", href: hash_of_state(lab, {...first, values}) || "#"}, words);
  }));
}

/** The picture is seen whole without scrolling, below what stands above it. */
const above_picture = 330;

/** @param {number} width */
function picture_height(width) {
  return Math.round(Math.max(240, Math.min(width * 0.5, innerHeight - above_picture, 440)));
}

/** @param {HTMLElement} parent @param {LabDocument} content */
export function lab_page(parent, content) {
  const {lab} = content, first = above_minimum(lab, content.first);
  let state = state_of_hash(lab, location.hash);
  const answered_before = answers_of_text(state.answers).get(lab.name);
  if (state.guess === "" && answered_before !== undefined) state = {...state, guess: answered_before};
  // Who comes with an address that says something has seen the picture, or was sent to it.
  let covered = answered_before === undefined && [...pairs_of_hash(location.hash).keys()].every((key) => key === "answers");
  // Of what is drawn, and of the ghosts below it.
  let drawn_values = initial_state(lab).values, ghost_values = drawn_values;
  const status = element("p", {class: "status", role: "status"});
  const figures = element("div", {class: "figures"}), stage = element("div", {class: "stage"});
  const told = element("p", {class: "told", role: "status"}), rest = element("div", {class: "rest"});
  const sliders = lab_sliders(lab, (values) => {
    uncover(state.guess);
    if (address.moved(hash_of_state(lab, {...state, values}))) leave_ghosts();
    state = {...state, values};
    ask();
  }, () => address.rest());
  const [lead, ...story] = lab.story.map((paragraph) => story_paragraph(lab, paragraph));
  figures.append(element("div", {class: "bench"}, element("div", {}, sliders.root, told, status), stage), rest);
  parent.classList.add("wide");
  let navigation = lab_navigation(content, lab.name, state.answers);
  const answers = answers_part(content.labs, state.answers);
  parent.append(navigation, element("h1", {}, element("span", {class: "number"}, `${lab.number} `), lab.question), lead, figures);
  const picture = picture_state(figures, status);
  const drawn_figures = live_figures(rest, first, state.view, (view) => {
    state = {...state, view};
    address.replace(hash_of_state(lab, state));
    command.show(drawn_values, view);
  }, {stage, covered: () => covered, height: picture_height});
  const command = lab_command(content);
  rest.append(command.root, answers.root);
  drawn_figures.answer.before(element("section", {class: "story"}, ...story));
  drawn_figures.answer.hidden = lab.untold ?? false;
  const card = guess_card(first.runs, lab.guess, (guessed) => {
    uncover(guessed || "none");
    address.replace(hash_of_state(lab, state));
  });
  const show_told = () => {
    const is_at_first = grid_key(drawn_values) === grid_key(initial_state(lab).values);
    if (state.guess === "" || !is_at_first) told.textContent = "";
    else if (lab.untold) told.textContent = state.guess === "none" ? "" : kept_words(lab, state.guess);
    else told.textContent = guess_words(guessables(first.runs, lab.guess), lab.guess, state.guess);
  };
  const keep_answer = (/** @type {string} */ guess) => {
    state = {...state, answers: with_answer(state.answers, lab.name, guess || "none")};
    const linked = lab_navigation(content, lab.name, state.answers);
    navigation.replaceWith(linked);
    navigation = linked;
    answers.show(state.answers);
  };
  const uncover = (/** @type {string} */ guess) => {
    state = {...state, guess};
    if (!covered) return;
    covered = false;
    sliders.root.inert = false;
    figures.toggleAttribute("data-covered", false);
    keep_answer(guess);
    card.remove();
    rest.hidden = false;
    show_told();
    drawn_figures.sweep();
  };
  if (covered) {
    rest.hidden = true;
    // A guess comes first: what a slider shows, or a saved figure, would be the answer.
    sliders.root.inert = true;
    figures.toggleAttribute("data-covered", true);
    drawn_figures.curves.querySelector("svg")?.before(card);
  }
  show_told();
  command.show(drawn_values, state.view);
  const listener = {
    answered: (/** @type {Comparison} */ document, /** @type {number} */ number, /** @type {boolean} */ is_whole) => {
      const words = `Drawn: ${values_words(lab, state.values)}.`;
      drawn_values = state.values;
      drawn_figures.name_ghosts(ghost_words(difference_words(lab, ghost_values, drawn_values)));
      show_told();
      command.show(drawn_values, state.view);
      drawn_figures.draw(above_minimum(lab, document), is_whole, () => picture.set("ready", words));
      picture.drawn(number);
    },
    refused: (/** @type {string} */ message, /** @type {string} */ option) => {
      picture.set("refused", sliders.refuse(option, message) ? old_words : `${message} ${old_words}`);
    },
    waits: (/** @type {string} */ message) => picture.set("asking", message),
  };
  const asker = content.grid ? null : make_asker(window_tools(), listener);
  const from_grid = grid_asker(content.grid ?? {}, listener);
  // A drag has one setting before it, whatever it passes.
  const leave_ghosts = () => {
    if (drawn_figures.keep_ghosts()) ghost_values = drawn_values;
  };
  const ask = () => {
    drawn_figures.forget();
    sliders.refuse("", "");
    picture.moved();
    if (asker) asker.ask(question_of(lab, state.values));
    else from_grid.ask(state.values);
  };
  const address = lab_address((hash) => {
    const before = grid_key(state.values);
    const {guess, answers: kept} = state;
    state = state_of_hash(lab, hash);
    state = {...state, answers: state.answers || kept};
    uncover(state.guess || guess);
    address.replace(hash_of_state(lab, state));
    sliders.show(state.values);
    drawn_figures.set_view(state.view);
    command.show(drawn_values, state.view);
    if (grid_key(state.values) === before) return;
    leave_ghosts();
    ask();
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
    /**
     * Whether a drag begins with it.
     * @param {string} next
     */
    moved: (next) => {
      const begins = !is_moving;
      put(next, begins);
      is_moving = true;
      return begins;
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
