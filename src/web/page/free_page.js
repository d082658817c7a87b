// The free page: every scheme and every option that the lab takes, one's own data, and what to take
// home of what one sees.

import { all_columns } from "./comparison_page.js";
import { element } from "./element.js";
import { free_form } from "./free_form.js";
import { command_line, free_question, free_state_of_hash, hash_of_free_state, toml_text } from "./free_state.js";
import { answers_in } from "./lab_answers.js";
import { make_asker, window_tools } from "./lab_asking.js";
import { lab_navigation } from "./lab_index_page.js";
import { lab_address, old_words, picture_state } from "./lab_page.js";
import { live_figures } from "./live_figures.js";
import { offer_file } from "./save.js";
import { table } from "./table.js";

/** @typedef {import("./free_state.js").FreeState} FreeState */
/** @typedef {import("./free_state.js").OwnData} OwnData */
/** @typedef {{name: string, summary: string}} Named */

/**
 * first: what the program compares where nothing is given.
 * @typedef {object} FreeContent
 * @property {import("./free_state.js").FreeOption[]} options
 * @property {Named[]} schemes
 * @property {Named[]} topologies
 * @property {Named[]} codecs
 * @property {Named[]} [collectives]
 * @property {Named[]} datasets
 * @property {Record<string, any>} first comparison document
 */

/** @typedef {FreeContent & import("./lab_index_page.js").LabLinks} FreeDocument */

/** @param {HTMLElement} parent @param {FreeDocument} content */
export function free_page(parent, content) {
  const {first, options: known} = content;
  const labels = [...new Set(first.runs.map((/** @type {{label: string}} */ run) => run.label))];
  /** @type {FreeState} */
  const beginning = {schemes: labels.join(","), seeds: "1", options: {}, view: {x: "seconds", y: "train_loss", of: "ring", log: "", hidden: ""}};
  let state = free_state_of_hash(location.hash, beginning, known);
  /** @type {OwnData | null} */
  let data = null;
  const status = element("p", {class: "status", role: "status"}), figures = element("div", {class: "figures"});
  const form = free_form(content, {
    changed: (next) => {
      state = {...state, ...next};
      address.moved(hash_of_free_state(state, beginning));
      address.rest();
      ask();
    },
    uploaded: (own) => { data = own; ask(); },
    run: () => ask(),
  });
  parent.append(lab_navigation(content, "free", answers_in(location.hash)), element("h1", {}, "Everything at once"),
    element("p", {}, "Choose schemes and options, or bring your own data; the figures follow. A field that is left empty has the value shown in grey. " +
      "Your choices are in the page's address; your data are not: the server keeps the last eight files of all windows, until it ends."),
    form.root, status, figures);
  const picture = picture_state(figures, status);
  const live = live_figures(figures, first, state.view, (view) => {
    state = {...state, view};
    address.replace(hash_of_free_state(state, beginning));
  });
  const all = element("section", {id: "all-figures"});
  figures.append(all);
  const take_home = exports_of(() => ({state, data}), content, form.refuse);
  parent.append(take_home.root);
  const draw_table = (/** @type {any[]} */ runs) =>
    all.replaceChildren(element("h2", {}, "All figures"), table(all_columns(runs), "All figures of all runs; a heading sorts"));
  const asker = make_asker(window_tools(), {
    answered: (document, number, is_whole) => {
      live.draw(document, is_whole, () => {
        draw_table(document.runs);
        picture.set("ready", "");
      });
      picture.drawn(number);
    },
    refused: (message, option) => picture.set("refused", form.refuse(option, message) ? old_words : `${message} ${old_words}`),
    waits: (message) => picture.set("asking", message),
  });
  const ask = () => {
    live.forget();
    form.refuse("", "");
    picture.moved();
    take_home.show();
    asker.ask(free_question(state, data));
  };
  const address = lab_address((hash) => {
    const before = hash_of_free_state({...state, view: beginning.view}, beginning);
    state = free_state_of_hash(hash, beginning, known);
    form.show(state);
    live.set_view(state.view);
    if (hash_of_free_state({...state, view: beginning.view}, beginning) !== before) ask();
  });
  form.show(state);
  draw_table(first.runs);
  take_home.show();
  picture.drawn(0);
  picture.set("ready", "");
  if (hash_of_free_state({...state, view: beginning.view}, beginning) !== "") ask();
}

/**
 * The command line, the configuration and the report of what is asked.
 * @param {() => {state: FreeState, data: OwnData | null}} now @param {FreeDocument} content
 * @param {(option: string, message: string) => boolean} refuse
 */
function exports_of(now, {options}, refuse) {
  const command = element("pre", {tabindex: "0", id: "command"}), toml = element("pre", {tabindex: "0", id: "toml"});
  const said = element("p", {class: "status", role: "status"});
  const copy = (/** @type {HTMLElement} */ from) => element("button", {type: "button",
    onclick: () => navigator.clipboard?.writeText(from.textContent ?? "")}, "Copy");
  const report = element("button", {type: "button", class: "report", onclick: async () => {
    const {state, data} = now();
    said.textContent = "The report is being made.";
    said.textContent = await save_report(JSON.stringify(free_question(state, data)), refuse);
  }}, "Save a report");
  const root = element("section", {id: "take-home", class: "unprinted"}, element("h2", {}, "To take home"),
    element("p", {}, "The same on the command line:"), command, copy(command),
    element("p", {}, "The same as a configuration:"), toml, copy(toml), " ",
    element("button", {type: "button", onclick: () => offer_file("comparison.toml", "application/toml", toml.textContent ?? "")}, "Save the file"),
    element("p", {}, "The same as a page that needs no server: ", report), said);
  return {
    root,
    show: () => {
      const {state, data} = now();
      command.textContent = command_line(state, data, options);
      toml.textContent = toml_text(state, data, options);
    },
  };
}

/**
 * What to say of it then.
 * @param {string} body @param {(option: string, message: string) => boolean} refuse
 */
async function save_report(body, refuse) {
  try {
    const answer = await fetch("/api/report", {method: "POST", headers: {"Content-Type": "application/json"}, body});
    if (answer.ok) {
      offer_file("report.html", "text/html", await answer.text());
      return "The report is saved.";
    }
    const {error, option} = await answer.json();
    refuse(option ?? "", error);
    return error;
  } catch {
    return "The lab's server does not answer.";
  }
}
