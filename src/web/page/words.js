// A sentence for each scheme and figure, from the program's tables, for who points at its name.

/**
 * What a contestant's scheme does; empty for one that is not in the table.
 * @param {string} label "gossip:torus", "ssp{staleness=2}"
 */
export function scheme_words(label) {
  return table_words.schemes[label.split(/[:{,]/)[0]] ?? "";
}

/** @param {string} path in JSON: "time_split.wait" */
export function figure_words(path) {
  return table_words.figures[path] ?? "";
}
