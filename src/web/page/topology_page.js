// The pages of `topology` and `consensus`: the graph of each round, its matrix and figures; how far
// averaging alone brings the ranks together.

import { choice, element } from "./element.js";
import { bytes, counted, significant } from "./format.js";
import { graph_chart } from "./graph.js";
import { heat_map } from "./heat_map.js";
import { line_chart } from "./line_chart.js";
import { table } from "./table.js";

/**
 * Figures of a graph over so many workers, as `topology --json` prints them; what is used here.
 * @typedef {object} TopologyRow
 * @property {number} workers
 * @property {number} period rounds of a cycle
 * @property {boolean} symmetric
 * @property {boolean} doubly_stochastic
 * @property {boolean} connected
 * @property {number} messages_per_step of a worker
 * @property {number} bytes_per_step
 * @property {number} rho
 * @property {number} rms_contraction
 * @property {number | null} rounds_to_exact
 * @property {number[][][] | null} W of each round; null where that is too much to print
 */

/** @typedef {{topology: string, seed: number, model_bytes: number, rows: TopologyRow[]}} TopologyDocument */
/** @typedef {{round: number, x: number[], consensus_distance: number}} ConsensusRound */
/** @typedef {{topology: string, workers: number, mean: number, rounds: ConsensusRound[]}} ConsensusDocument */

const widest_matrix = 32;

/**
 * An edge for each weight between two ranks: from the one whose number is taken to the one that
 * takes it. Of a symmetric matrix each pair once.
 * @param {number[][]} matrix @param {boolean} symmetric
 */
export function edges_of_matrix(matrix, symmetric) {
  return matrix.flatMap((row, to) => row.flatMap((weight, from) => {
    if (weight === 0 || from === to || (symmetric && from > to)) return [];
    const title = symmetric ? `each takes the other's with weight ${significant(weight)}`
      : `taken with weight ${significant(weight)}`;
    return [{from, to, weight, title}];
  }));
}

/** @param {TopologyRow} row @param {"rounds_to_exact" | "rounds_to_1e-3" | "rounds_to_1e-6"} key */
export function rounds_words(row, key) {
  const rounds = /** @type {any} */ (row)[key];
  if (rounds !== null) return String(rounds);
  const converges = row.connected && row.doubly_stochastic && key !== "rounds_to_exact";
  return converges ? "more than were tried" : "never";
}

/**
 * What rms_contraction is: of one matrix a bound, of a cycle a bound on the mean, and without
 * columns that sum to 1 what counts in the end.
 * @param {TopologyRow} row
 */
function leaves_words({period, doubly_stochastic, rms_contraction}) {
  const leaves = significant(rms_contraction);
  if (!doubly_stochastic) return `In the long run a round leaves ${leaves} of the distance to consensus`;
  return period > 1 ? `On average over the cycle a round leaves at most ${leaves} of the distance to consensus`
    : `A round leaves at most ${leaves} of the distance to consensus`;
}

/** @param {TopologyRow} row @param {string} name @returns {string[]} */
function single_topology_sentences(row, name) {
  if (row.workers === 1) return [`Over the graph ${name} one worker by itself has nobody to agree with.`];
  const thousandth = rounds_words(row, "rounds_to_1e-3");
  const reached = /^\d/.test(thousandth) ? `a thousandth of it is left after ${counted(Number(thousandth), "round")}`
    : `it does not come down to a thousandth${thousandth === "never" ? "" : " in the rounds that were tried"}`;
  const exact = row.rounds_to_exact === null ? "" : ` All ranks hold the exact mean after ${counted(row.rounds_to_exact, "round")}.`;
  const cycle = row.period > 1 ? ` The graph changes: ${row.period} rounds make a cycle.` : "";
  return [`Over the graph ${name} each of ${counted(row.workers, "worker")} sends ${counted(row.messages_per_step, "message")} ` +
    `(${bytes(row.bytes_per_step)}) a step${Number.isInteger(row.messages_per_step) ? "" : " on average"}.${cycle}`,
  `${leaves_words(row)}; where rank i begins with the number i, ${reached}.${exact}`];
}

/** @param {TopologyDocument} content @returns {string[]} what a reader first wants to know */
export function topology_sentences(content) {
  const {rows, topology} = content;
  if (rows.length === 1) return single_topology_sentences(rows[0], topology);
  const [first, last] = [rows[0], rows[rows.length - 1]];
  const [low, high] = [first, last].map(({rms_contraction}) => significant(rms_contraction));
  return [`Over the graph ${topology} a worker sends ${counted(first.messages_per_step, "message")} a step among ${counted(first.workers, "worker")} ` +
    `and ${significant(last.messages_per_step)} among ${last.workers}.`,
  `What a round leaves of the distance to consensus, at most, ${low === high ? `is ${low} for both` : `goes from ${low} to ${high}`}; ` +
    `rounds until a thousandth is left: ${rounds_words(first, "rounds_to_1e-3")} and ${rounds_words(last, "rounds_to_1e-3")}.`];
}

/** @type {[string, string][]} what is drawn over the number of workers */
const topology_quantities = [
  ["rms_contraction", "what a round leaves of the distance (rms)"],
  ["rho", "rho"],
  ["spectral_gap", "spectral gap"],
  ["messages_per_step", "messages of a worker and step"],
  ["bytes_per_step", "bytes of a worker and step"],
  ["rounds_to_1e-3", "rounds to a thousandth"],
  ["rounds_to_1e-6", "rounds to a millionth"],
];

/** @param {HTMLElement} parent @param {TopologyDocument} content */
export function topology_page(parent, content) {
  const {rows, topology} = content;
  const over = rows.length === 1 ? counted(rows[0].workers, "worker") : `${rows.map(({workers}) => workers).join(", ")} workers`;
  parent.append(element("h1", {}, `The graph ${topology}, ${over}`),
    ...topology_sentences(content).map((sentence) => element("p", {class: "answer"}, sentence)));
  if (rows.length > 1) draw_over_workers(parent, rows);
  let row = rows[0], round = 0;
  const place = element("div", {}), rounds = element("span", {});
  const show_rounds = () => rounds.replaceChildren(...(row.period > 1 ? [choice("round of the cycle",
    Array.from({length: row.period}, (_, at) => [String(at), String(at)]), String(round),
    (value) => { round = Number(value); draw_round(place, row, round); })] : []));
  const workers = rows.length > 1 ? [choice("workers", rows.map((one, at) => [String(at), String(one.workers)]), "0", (value) => {
    row = rows[Number(value)];
    round = 0;
    show_rounds();
    draw_round(place, row, round);
  })] : [];
  parent.append(element("p", {class: "controls"}, ...workers, rounds), place);
  show_rounds();
  draw_round(place, row, round);
  parent.append(element("section", {id: "figures"}, table(topology_columns(rows), `Figures of ${topology}`)));
}

/** @param {HTMLElement} parent @param {TopologyRow[]} rows */
function draw_over_workers(parent, rows) {
  let [key, label] = topology_quantities[0];
  const chart = line_chart(parent, {
    id: "over-workers", title: "Over the number of workers", log: {x: true, y: false},
    x: () => ({label: "workers", at: rows.map(({workers}) => workers)}), y: () => ({label, format: key === "bytes_per_step" ? bytes : significant}),
    series: () => [{name: label, points: rows.map((row) => ({x: row.workers, y: /** @type {any} */ (row)[key]}))}],
    controls: [choice("show", topology_quantities, key, (value) => {
      [key, label] = topology_quantities.find(([one]) => one === value) ?? topology_quantities[0];
      chart.redraw();
    })],
  });
}

/**
 * The figures as a table: those of one graph beneath each other, of several one a row.
 * @param {TopologyRow[]} rows
 */
function topology_columns(rows) {
  const plain = (/** @type {any} */ value) => (typeof value === "boolean" ? (value ? "yes" : "no") : value);
  const keys = Object.keys(rows[0]).filter((key) => key !== "W");
  const cell = (/** @type {any} */ row, /** @type {string} */ key) =>
    row[key] === null && key.startsWith("rounds_to") ? rounds_words(row, /** @type {any} */ (key)) : plain(row[key]);
  if (rows.length > 1) return keys.map((key) => ({heading: key, values: rows.map((row) => cell(row, key))}));
  return [{heading: "figure", values: keys}, {heading: "value", values: keys.map((key) => cell(rows[0], key))}];
}

/** @param {HTMLElement} place @param {TopologyRow} row @param {number} round */
function draw_round(place, row, round) {
  place.replaceChildren();
  const matrix = row.W?.[round];
  if (!matrix) {
    place.append(element("p", {}, `The matrices of ${counted(row.workers, "worker")} are too large for this page.`));
    return;
  }
  const of_round = row.period > 1 ? ` in round ${round}` : "";
  graph_chart(place, {
    id: "graph", title: `Who averages with whom${of_round}`,
    note: row.symmetric ? "A line: both take the other's model, with the weight as its width."
      : "An arrow: the model goes that way; its width is the weight with which it is taken.",
    nodes: matrix.map((weights, rank) => ({name: `rank ${rank}`, title: `keeps ${significant(weights[rank])} of its own`})),
    edges: () => edges_of_matrix(matrix, row.symmetric), directed: () => !row.symmetric,
  });
  if (row.workers <= widest_matrix) draw_matrix(place, matrix, of_round);
}

/** @param {HTMLElement} place @param {number[][]} matrix @param {string} of_round */
function draw_matrix(place, matrix, of_round) {
  const ranks = matrix.map((_, rank) => String(rank));
  const largest = Math.max(...matrix.flat().map(Math.abs));
  heat_map(place, {
    id: "matrix", title: `The matrix W${of_round}`,
    note: "Row i says with which weights rank i takes the models of the ranks j.",
    columns: ranks, rows: ranks, column_label: "from rank j", row_label: "rank i", square: true,
    cell: (row, column) => {
      const weight = matrix[row][column];
      return {text: weight === 0 ? "" : significant(weight, 2), name: `rank ${row} takes rank ${column}'s with weight ${significant(weight)}`,
        color: weight === 0 ? "var(--rule)" : weight < 0 ? "var(--series-1)" : "var(--series-0)", strength: Math.abs(weight) / largest};
    },
    data: () => [{heading: "rank i", values: ranks},
      ...ranks.map((rank, column) => ({heading: `from ${rank}`, values: matrix.map((row) => row[column])}))],
  });
}

/**
 * Not so where the graph falls apart: then each part has a mean of its own.
 * @param {ConsensusDocument} content
 */
function all_come_closer({rounds, mean}) {
  const [first, last] = [rounds[0].x, rounds[rounds.length - 1].x].map((x) => x.map((value) => Math.abs(value - mean)));
  const scale = Math.max(...first);
  return last.every((distance, rank) => distance < first[rank] || distance <= 1e-3 * scale);
}

/** @param {ConsensusDocument} content @returns {string[]} what a reader first wants to know */
export function consensus_sentences(content) {
  const {topology, workers, rounds, mean} = content;
  const distances = rounds.map((round) => round.consensus_distance);
  const last = distances[distances.length - 1], exact = distances.findIndex((distance) => distance === 0);
  const start = `Averaging over the graph ${topology}, ${counted(workers, "worker")}: the distance to consensus is ${significant(distances[0])} at first`;
  if (exact > 0) return [`${start} and exactly 0 after ${counted(exact, "round")}: then all hold the mean, ${significant(mean)}.`];
  if (rounds.length < 2 || distances[0] === 0) return [`${start}.`];
  const each = (last / distances[0]) ** (1 / (rounds.length - 1));
  return [`${start} and ${significant(last)} after ${counted(rounds.length - 1, "round")}; a round leaves ${significant(each, 3)} of it on average.`,
    `The mean${all_come_closer(content) ? ", which all have come closer to," : " of what they began with"} is ${significant(mean)}.`];
}

/**
 * Of ticks, only those that are rounds.
 * @param {number} value
 */
function round_text(value) {
  return Number.isInteger(value) ? String(value) : "";
}

/** @param {HTMLElement} parent @param {ConsensusDocument} content */
export function consensus_page(parent, content) {
  const {topology, workers, rounds, mean} = content;
  parent.append(element("h1", {}, `How ${counted(workers, "worker")} ${workers === 1 ? "comes" : "come"} to agree over ${topology}`),
    ...consensus_sentences(content).map((sentence) => element("p", {class: "answer"}, sentence)));
  const is_exact = rounds.some((round) => round.consensus_distance === 0);
  line_chart(parent, {
    // A distance of 0 has no place on a logarithmic axis.
    id: "distance", title: "Distance to consensus", log: {x: false, y: !is_exact},
    note: "(1/n) Σ (x_i − mean)², over the n ranks i.",
    x: () => ({label: "round", format: round_text}), y: () => ({label: "distance"}),
    series: () => [{name: topology, points: rounds.map((one) => ({x: one.round, y: one.consensus_distance}))}],
  });
  const many = workers > 14;
  line_chart(parent, {
    id: "values", title: "What each rank holds",
    note: many ? "One line a rank." : "",
    x: () => ({label: "round", format: round_text}), y: () => ({label: "x_i"}), level: () => ({y: mean, label: "mean"}),
    series: () => rounds[0].x.map((_, rank) => ({name: `rank ${rank}`, thin: many,
      points: rounds.map((one) => ({x: one.round, y: one.x[rank]}))})),
  });
}
