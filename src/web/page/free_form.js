// The form of the free page: schemes, one's own data, and all options by section.

import { element } from "./element.js";
import { counted } from "./format.js";
import { scheme_name, split_schemes, with_scheme } from "./free_state.js";

/** @typedef {import("./free_state.js").FreeState} FreeState */
/** @typedef {import("./free_state.js").FreeOption} FreeOption */
/** @typedef {import("./free_state.js").OwnData} OwnData */
/** @typedef {{name: string, summary: string}} Named */
/** @typedef {{show: (text: string | undefined) => void, refuse: (message: string) => void, text: () => string | undefined}} Field text: undefined where it is left at its default */

/**
 * @typedef {object} FormListener
 * @property {(next: {schemes: string, seeds: string, options: Record<string, string>}) => void} changed
 * @property {(data: OwnData | null) => void} uploaded null: generated data again
 * @property {() => void} run
 */

/**
 * @param {import("./free_page.js").FreeContent} content @param {FormListener} listener
 */
export function free_form(content, listener) {
  const schemes = scheme_field(content.schemes, () => tell());
  const seeds = /** @type {HTMLInputElement} */ (element("input", {type: "number", min: 1, max: 5, value: 1, name: "seeds", onchange: () => tell()}));
  const seeds_error = element("span", {class: "error", role: "alert"});
  const options = option_fields(content, () => tell());
  const tell = () => listener.changed({schemes: schemes.text(), seeds: seeds.value || "1", options: options.given()});
  const root = element("form", {class: "free unprinted", "aria-label": "What is compared", onsubmit: (/** @type {Event} */ event) => {
    event.preventDefault();
    listener.run();
  }}, schemes.root, data_field(listener.uploaded), options.root,
  element("p", {class: "controls"}, element("label", {}, "runs with different seeds ", seeds), seeds_error,
    element("button", {type: "submit", class: "run"}, "Run")));
  return {
    root,
    /** @param {FreeState} state */
    show: (state) => {
      schemes.show(state.schemes);
      seeds.value = state.seeds;
      options.show(state.options);
    },
    /**
     * Beside what it is about; false where that is not in the form.
     * @param {string} option @param {string} message
     */
    refuse: (option, message) => {
      schemes.refuse(option === "schemes" ? message : "");
      seeds_error.textContent = option === "seeds" ? message : "";
      return options.refuse(option, message) || option === "schemes" || option === "seeds";
    },
  };
}

/** @param {Named[]} all @param {() => void} changed */
function scheme_field(all, changed) {
  const error = element("span", {class: "error", role: "alert"});
  const text = /** @type {HTMLInputElement} */ (element("input", {type: "text", name: "schemes", spellcheck: "false", class: "wide",
    onchange: () => { show_boxes(); changed(); }}));
  const boxes = all.map(({name, summary}) => {
    const box = /** @type {HTMLInputElement} */ (element("input", {type: "checkbox", value: name, onchange: () => {
      text.value = with_scheme(text.value, name, box.checked);
      changed();
    }}));
    return {name, box, root: element("label", {class: "scheme", title: summary}, box, ` ${name}`)};
  });
  const show_boxes = () => {
    const chosen = new Set(split_schemes(text.value).map(scheme_name));
    for (const {name, box} of boxes) box.checked = chosen.has(name);
  };
  return {
    root: element("fieldset", {}, element("legend", {}, "Schemes"),
      element("label", {class: "wide"}, "as on the command line, like ring,gossip:torus,local-sgd{period=8} ", text), error,
      element("details", {}, element("summary", {}, "All schemes"), element("div", {class: "schemes"}, ...boxes.map(({root}) => root)))),
    text: () => text.value,
    show: (/** @type {string} */ now) => { text.value = now; show_boxes(); },
    refuse: (/** @type {string} */ message) => { error.textContent = message; },
  };
}

/** @param {(data: OwnData | null) => void} uploaded */
function data_field(uploaded) {
  const said = element("span", {role: "status"});
  const column = /** @type {HTMLInputElement} */ (element("input", {type: "text", placeholder: "0", size: 8, onchange: () => send()}));
  const file = /** @type {HTMLInputElement} */ (element("input", {type: "file", accept: ".csv,.tsv,.libsvm,.svm,.txt", onchange: () => send()}));
  const without = /** @type {HTMLButtonElement} */ (element("button", {type: "button", disabled: true, onclick: () => {
    file.value = "";
    without.disabled = true;
    said.textContent = "";
    uploaded(null);
  }}, "Generated data again"));
  const send = async () => {
    const chosen = file.files?.[0];
    if (!chosen) return;
    said.textContent = "The file is being read.";
    /** @type {Record<string, string>} */
    const reading = column.value ? {"label-column": column.value} : {};
    const answer = await send_file(chosen, reading);
    said.textContent = answer.words;
    if (!answer.token) return;
    without.disabled = false;
    uploaded({token: answer.token, name: chosen.name, reading});
  };
  return element("fieldset", {}, element("legend", {}, "Data of your own"), element("p", {class: "controls"},
    element("label", {}, "CSV, TSV or LIBSVM, up to 8 MB ", file), element("label", {}, "column of the label ", column), without), said);
}

/**
 * @param {File} file @param {Record<string, string>} reading
 * @returns {Promise<{words: string, token?: string}>}
 */
async function send_file(file, reading) {
  const query = new URLSearchParams({name: file.name, ...reading});
  try {
    const answer = await fetch(`/api/data?${query}`, {method: "POST", headers: {"Content-Type": "application/octet-stream"}, body: file});
    const content = await answer.json();
    if (!answer.ok) return {words: content.error};
    return {words: data_words(content), token: content.data};
  } catch {
    return {words: "The lab's server does not answer."};
  }
}

/**
 * What was read, in words.
 * @param {{name: string, rows: number, features: number, classes: number, remarks: string[]}} read
 */
export function data_words({name, rows, features, classes, remarks}) {
  const labels = classes > 0 ? `${classes} ${classes === 1 ? "class" : "classes"}` : "numbers as labels";
  return [`${name}: ${counted(rows, "row")} of ${counted(features, "feature")}, ${labels}.`, ...remarks].join(" ");
}

/** @param {import("./free_page.js").FreeContent} content @param {() => void} changed */
function option_fields({options, topologies, codecs, collectives, datasets}, changed) {
  /** @type {Map<string, Field>} */
  const fields = new Map();
  /** @type {{words: string, root: HTMLElement}[]} */
  const rows = [];
  /** @type {Map<string, HTMLElement>} */
  const sections = new Map();
  const suggestions = {topology: topologies, codec: codecs, collective: collectives ?? [], dataset: datasets};
  for (const option of options) {
    const section = sections.get(option.section) ?? element("details", {class: "options"}, element("summary", {}, option.section));
    sections.set(option.section, section);
    const field = option.argument === "" ? switch_field(option, changed)
      : text_field(option, /** @type {Record<string, Named[]>} */ (suggestions)[option.name] ?? [], changed);
    fields.set(option.name, field);
    rows.push({words: `${option.name} ${option.help}`.toLowerCase(), root: field.root});
    section.append(field.root);
  }
  const count = element("span", {role: "status"});
  const filter = /** @type {HTMLInputElement} */ (element("input", {type: "search", placeholder: "latency", oninput: () => {
    const wanted = filter.value.trim().toLowerCase();
    const found = rows.filter(({words, root}) => !(root.hidden = !words.includes(wanted)));
    count.textContent = wanted === "" ? "" : ` ${found.length} of ${rows.length}`;
    for (const section of sections.values()) {
      const is_found = found.some(({root}) => section.contains(root));
      section.hidden = !is_found;
      section.toggleAttribute("open", wanted !== "" && is_found);
    }
  }}));
  return {
    root: element("fieldset", {class: "all-options"}, element("legend", {}, "Options"),
      element("p", {class: "controls"}, element("label", {}, "find ", filter), count), ...sections.values()),
    given: () => Object.fromEntries([...fields].flatMap(([name, field]) => {
      const text = field.text();
      return text === undefined ? [] : [[name, text]];
    })),
    show: (/** @type {Record<string, string>} */ given) => {
      for (const [name, field] of fields) field.show(given[name]);
      for (const [name, section] of sections) {
        if (options.some((option) => option.section === name && given[option.name] !== undefined)) section.toggleAttribute("open", true);
      }
    },
    refuse: (/** @type {string} */ option, /** @type {string} */ message) => {
      for (const [name, field] of fields) field.refuse(name === option ? message : "");
      const wrong = options.find(({name}) => name === option);
      if (wrong) sections.get(wrong.section)?.toggleAttribute("open", true);
      return wrong !== undefined;
    },
  };
}

/** @param {FreeOption} option @param {Named[]} suggested @param {() => void} changed @returns {Field & {root: HTMLElement}} */
function text_field({name, argument, help, value}, suggested, changed) {
  const error = element("span", {class: "error", role: "alert", id: `error-${name}`});
  const list = suggested.length > 0 ? element("datalist", {id: `known-${name}`},
    ...suggested.map((one) => element("option", {value: one.name}, one.summary))) : "";
  const input = /** @type {HTMLInputElement} */ (element("input", {type: "text", name, placeholder: value, spellcheck: "false",
    list: list ? `known-${name}` : false, "aria-describedby": error.id, onchange: changed}));
  return {
    root: element("div", {class: "option"}, element("label", {}, element("span", {class: "option-name"}, name), input),
      element("span", {class: "help"}, element("code", {}, argument), ` ${help}`), error, list),
    show: (text) => { input.value = text ?? ""; },
    refuse: (message) => { error.textContent = message; },
    text: () => (input.value.trim() === "" ? undefined : input.value.trim()),
  };
}

/** @param {FreeOption} option @param {() => void} changed @returns {Field & {root: HTMLElement}} */
function switch_field({name, help}, changed) {
  const error = element("span", {class: "error", role: "alert"});
  const box = /** @type {HTMLInputElement} */ (element("input", {type: "checkbox", name, onchange: changed}));
  return {
    root: element("div", {class: "option"}, element("label", {}, element("span", {class: "option-name"}, name), box),
      element("span", {class: "help"}, help), error),
    show: (text) => { box.checked = text !== undefined; },
    refuse: (message) => { error.textContent = message; },
    text: () => (box.checked ? "" : undefined),
  };
}
