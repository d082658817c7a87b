// The page of `run`, `compare` and `report`: who was first and why, then everything behind it.

import { bar_chart } from "./bar_chart.js";
import { groups_of, mean_of, name_of, outcome_quantities, progress_quantities, questions_of, series_of, those_known } from "./curves.js";
import { choice, element } from "./element.js";
import { facets_of, family_of, mark_of, most_together, bar_rows } from "./family.js";
import { filter_field } from "./filter.js";
import { bytes, counted, duration, percent, significant } from "./format.js";
import { graph_chart } from "./graph.js";
import { histogram } from "./histogram.js";
import { line_chart } from "./line_chart.js";
import { message_timeline } from "./message_timeline.js";
import { notes_list } from "./notes.js";
import { activity_colors } from "./palette.js";
import { answer_title, has_common_target, target_text, time_shares, unranked_words, verdicts_of } from "./reasons.js";
import { small_multiples } from "./small_multiples.js";
import { table } from "./table.js";
import { limits_list, verdict_lists } from "./verdict_list.js";
import { figure_words } from "./words.js";

/** @typedef {import("./curves.js").Run} Run */
/** @typedef {import("./curves.js").Group} Group */

/** @param {HTMLElement} parent @param {Record<string, any>} content of the document */
export function comparison_page(parent, content) {
  /** @type {Run[]} */
  const runs = content.runs ?? [content];
  const questions = questions_of(runs);
  const body = element("div", {});
  const show = (/** @type {string} */ place) => {
    body.replaceChildren();
    draw_runs(body, {...content, runs: questions[Number(place)].runs});
  };
  if (questions.length > 1) {
    parent.append(element("p", {class: "controls"},
      choice("These runs answer different questions, and are not compared with each other:",
        questions.map(({name}, at) => [String(at), name]), "0", show)));
  }
  parent.append(body);
  show("0");
}

/**
 * lacking: runs that were asked for and are not there.
 * @typedef {{runs: Run[], lacking?: string[], notes?: import("./notes.js").Note[]}} Answered a comparison document; what is used here
 */

/** More rows of bars than that are one for each family. */
const most_bars = 24;
/** So many histograms are one below the other. */
const most_strips = 10;

/**
 * What the reader has chosen of the curves, which stays when others are looked for.
 * @typedef {{x: string, y: string, log: {x: boolean, y: boolean}}} CurveView
 */

/** @param {HTMLElement} parent @param {Answered} answered runs of one question */
function draw_runs(parent, answered) {
  const groups = groups_of(answered.runs);
  draw_answer(parent, answered, groups);
  /** @type {CurveView} */
  const view = {x: "", y: "", log: {x: false, y: false}};
  const figures = element("div", {class: "figures-of"});
  const draw = (/** @type {Group[]} */ some) => draw_figures(figures, some, view, answered, field?.choose);
  const field = groups.length > most_together ? filter_field(parent, groups, draw) : null;
  parent.append(figures);
  draw(groups);
}

/**
 * @param {HTMLElement} parent @param {Group[]} groups those that are looked for @param {CurveView} view
 * @param {Answered} answered @param {(name: string) => void} [choose] what is looked for
 */
function draw_figures(parent, groups, view, answered, choose) {
  const runs = groups.flatMap((group) => group.runs);
  parent.replaceChildren();
  if (runs.length === 0) return;
  draw_curves(parent, groups, view, answered, choose);
  time_chart(parent, () => groups);
  draw_ranks(parent, runs);
  draw_bytes(parent, groups);
  draw_staleness(parent, runs);
  draw_first_steps(parent, runs);
  parent.append(element("section", {id: "all-figures"}, element("h2", {}, "All figures"),
    table(all_columns(runs), "All figures of all runs; a heading sorts"),
    element("p", {class: "printed"}, "On paper the first columns alone; the page has all.")));
  draw_configurations(parent, runs);
}

/**
 * Who was first, and why.
 * @param {HTMLElement} parent @param {Answered} answered @param {Group[]} groups
 */
function draw_answer(parent, answered, groups) {
  const [setting, ...rest] = answer_parts(answered, groups);
  const notes = rest.filter((part) => part.classList.contains("notes"));
  parent.append(element("h1", {}, answer_title(groups, answered.lacking)), setting,
    ...rest.filter((part) => !notes.includes(part)), ...limits_list(groups, answered.lacking), ...notes);
}

/**
 * What was asked, what became of each, and what else there is to say.
 * @param {Answered} answered runs of one question @param {Group[]} groups
 */
export function answer_parts({runs, lacking, notes}, groups) {
  const unranked = unranked_words(groups, lacking);
  return [element("p", {class: "setting"}, setting_words(runs)),
    ...(unranked ? [element("p", {class: "unranked"}, unranked)] : []), ...verdict_lists(groups, lacking), ...notes_list(notes)];
}

/**
 * What was trained on what, and until when.
 * @param {Run[]} runs of one question
 */
export function setting_words(runs) {
  const {dataset, model, time} = runs[0];
  const each = (/** @type {(run: Run) => any} */ of) => [...new Set(runs.map(of))];
  const target = setting_target(runs), workers = each((run) => run.workers), sizes = each((run) => run.lr);
  const is_one_size = each((run) => run.scheme).length > 1 && sizes.length === 1 && runs.every((run) => typeof run.lr === "number" && Object.keys(run.tuned ?? {}).length === 0);
  return `${model.name} on ${dataset.name}: ${counted(dataset.rows, "row")} of ${counted(dataset.features, "feature")}, ` +
    `${workers.length === 1 ? counted(workers[0], "worker") : `${workers.join(", ")} workers`}, ${time === "virtual" ? "in simulated time" : "on the machine's clock"}, ` +
    `${counted(each((run) => run.seed).length, "seed")}${is_one_size ? `, one step size for all, ${significant(sizes[0])}, which need not suit each alike` : ""}` +
    `${target ? `; to be reached: ${target}` : ""}.`;
}

/**
 * Without a target of their own, runs have one a seed: the loss that all reached with it.
 * @param {Run[]} runs
 */
function setting_target(runs) {
  const targets = [...new Set(runs.map(target_text).filter((text) => text !== ""))];
  if (targets.length === 0 || !runs.some(has_common_target)) return targets.join(" or ");
  const missed = runs.filter((run) => run.seconds_to_target === null).length;
  const whose = missed === 0 ? "that all reached" : `that all but ${missed} of ${runs.length} runs reached`;
  return targets.length === 1 ? `${targets[0]}, the lowest ${whose}` : `with each seed the lowest training loss ${whose}`;
}

/**
 * One picture of all that are looked for: of many a small one for each family.
 * @param {HTMLElement} parent @param {Group[]} groups @param {CurveView} view @param {Answered} answered
 * @param {(name: string) => void} [choose] what is looked for
 */
function draw_curves(parent, groups, view, answered, choose) {
  const runs = groups.flatMap((group) => group.runs);
  const xs = those_known(progress_quantities, runs), ys = those_known(outcome_quantities, runs);
  if (xs.length === 0 || ys.length === 0) return;
  const pick = (/** @type {typeof xs} */ from, /** @type {string} */ key) => from.find((one) => one.key === key) ?? from[0];
  const options = (/** @type {typeof xs} */ from) => from.map(({key, label}) => /** @type {[string, string]} */ ([key, label]));
  const x = () => pick(xs, view.x), y = () => pick(ys, view.y);
  const facets = facets_of(groups);
  const is_folded = groups.length > most_together && facets.length > 1;
  const kept = {
    id: "curves", title: "On the way", x, y, log: view.log,
    level: () => (y().key === "train_loss" ? target_level(runs) : null),
    lowers: () => /loss|gradient_norm/.test(y().key),
    controls: [choice("show", options(ys), y().key, (key) => { view.y = key; chart.redraw(); }),
      choice("over", options(xs), x().key, (key) => { view.x = key; chart.redraw(); })],
  };
  const seeds = runs.length > groups.length;
  /** @type {{redraw: () => void, log?: {x: boolean, y: boolean}}} */
  const chart = is_folded
    ? small_multiples(parent, {...kept, parts: () => parts_of(facets, answered, x().key, y().key), chosen: (name) => choose?.(name),
      note: seeds ? "Of several seeds the mean." : ""})
    : line_chart(parent, {...kept, series: () => series_of(groups, x().key, y().key),
      note: seeds ? "Thick: the mean over seeds; shaded: from the lowest seed to the highest." : "",
      switched: () => { Object.assign(view.log, chart.log); }});
}

/**
 * Of each the curve, or the mean over its seeds; the first of all runs comes first.
 * @param {import("./family.js").Facet[]} facets @param {Answered} answered @param {string} x @param {string} y
 * @returns {import("./small_multiples.js").Part[]}
 */
function parts_of(facets, {lacking}, x, y) {
  return facets.map(({name, words, groups}) => {
    const verdicts = verdicts_of(groups, lacking), order = new Map(verdicts.map((verdict, at) => [verdict.name, at]));
    const ordered = [...groups].sort((a, b) => (order.get(a.name) ?? 0) - (order.get(b.name) ?? 0));
    const [{name: best, seconds}] = verdicts;
    return {name, words, first: seconds === null ? best : `${best}, ${duration(seconds)}`, curves: series_of(ordered, x, y).filter(({thin}) => !thin)
      .map((series) => ({name: series.name, points: /** @type {{x: number, y: number}[]} */ (series.points)}))};
  });
}

/**
 * A line in the chart of losses.
 * @param {Run[]} runs @returns {{y: number, label: string} | null}
 */
export function target_level(runs) {
  const {target_loss, seed} = runs[0];
  if (target_loss === null) return null;
  const is_one = runs.every((run) => run.target_loss === target_loss);
  return {y: target_loss, label: is_one ? "target" : `target of seed ${seed}`};
}

const activities = [
  {name: "compute", color: activity_colors.compute},
  {name: "transfer", color: activity_colors.transfer},
  {name: "wait", color: activity_colors.wait},
];

/**
 * @param {HTMLElement} parent @param {() => Group[]} groups
 */
export function time_chart(parent, groups) {
  let by_share = true;
  const chart = bar_chart(parent, {
    id: "time", title: "Where a worker's time went", heading: "contestant",
    note: "Mean over workers: computing, its messages on the wire, waiting for others.",
    parts: activities, format: () => (by_share ? percent : duration),
    label: () => (by_share ? "share of the run" : "time"),
    rows: () => bar_rows(groups(), most_bars, (group) => {
      const shares = time_shares(group);
      const scale = by_share ? 1 : mean_of(group.runs, (run) => run.seconds) ?? 1;
      return [shares.compute, shares.transfer, shares.wait].map((one) => (one === null ? null : one * scale));
    }),
    controls: [choice("as", [["share", "shares"], ["time", "times"]], "share", (value) => {
      by_share = value === "share";
      chart.redraw();
    })],
  });
  return chart;
}

/** @param {Run[]} runs @returns {[string, string][]} */
export function run_options(runs) {
  const seeds = new Set(runs.map((run) => run.seed)).size > 1;
  return runs.map((run, at) => [String(at), `${name_of(run)}${seeds ? `, seed ${run.seed}` : ""}`]);
}

/** @param {HTMLElement} parent @param {Run[]} runs */
function draw_ranks(parent, runs) {
  const known = runs.filter((run) => run.ranks);
  if (known.length === 0) return;
  let run = known[0];
  const chart = bar_chart(parent, {
    id: "ranks", title: "The same, rank by rank", heading: "rank", parts: activities, format: () => duration,
    label: () => "time",
    rows: () => run.ranks.rank.map((/** @type {number} */ rank, /** @type {number} */ at) => ({
      name: `${run.ranks.role[at]} ${rank}`,
      values: [run.ranks.compute_s[at], run.ranks.transfer_s[at], run.ranks.wait_s[at]],
    })),
    controls: [choice("of", run_options(known), "0", (value) => { run = known[Number(value)]; chart.redraw(); })],
  });
}

/** @param {HTMLElement} parent @param {Group[]} groups */
function draw_bytes(parent, groups) {
  if (groups.every(({runs}) => runs.every((run) => run.messages === 0))) return;
  let key = "bytes_sent";
  const chart = bar_chart(parent, {
    id: "sent", title: "What was sent", heading: "contestant", parts: [{name: "all ranks", color: "var(--series-0)"}],
    format: () => (key === "bytes_sent" ? bytes : significant),
    label: () => (key === "bytes_sent" ? "bytes" : "messages"),
    rows: () => bar_rows(groups, most_bars, ({runs}) => [mean_of(runs, (run) => run[key])]),
    controls: [choice("as", [["bytes_sent", "bytes"], ["messages", "messages"]], key, (value) => { key = value; chart.redraw(); })],
  });
}

/** @param {HTMLElement} parent @param {Run[]} runs */
function draw_staleness(parent, runs) {
  const all = runs.filter((run) => run.updates_by_staleness), known = all.slice(0, most_strips);
  if (known.length === 0) return;
  histogram(parent, {
    id: "staleness", title: "How old gradients were when they were applied",
    note: `In updates that others had made since the model was read; a bar is a share of the scheme's updates.${known.length < all.length ? ` The first ${known.length} of ${all.length}.` : ""}`,
    label: "staleness in updates", counted: "updates",
    series: () => known.map((run, at) => ({name: run_options(known)[at][1],
      values: run.updates_by_staleness.staleness, counts: run.updates_by_staleness.updates})),
  });
}

/**
 * Who sent to whom how much, of recorded messages.
 * @param {Record<string, any>} trace
 */
export function traffic_of(trace) {
  /** @type {Map<string, {from: number, to: number, bytes: number, messages: number}>} */
  const edges = new Map();
  const {from, to, bytes: sizes} = trace.messages;
  from.forEach((/** @type {number} */ sender, /** @type {number} */ at) => {
    const key = `${sender} ${to[at]}`;
    const edge = edges.get(key) ?? {from: sender, to: to[at], bytes: 0, messages: 0};
    edge.bytes += sizes[at];
    edge.messages += 1;
    edges.set(key, edge);
  });
  return [...edges.values()];
}

/** @param {HTMLElement} parent @param {Run[]} runs */
function draw_first_steps(parent, runs) {
  const known = runs.filter((run) => run.first_steps && run.first_steps.messages.from.length > 0);
  if (known.length === 0) return;
  let trace = known[0].first_steps;
  const redraw = (/** @type {string} */ value) => {
    trace = known[Number(value)].first_steps;
    timeline.redraw();
    draw_graph();
  };
  parent.append(element("h2", {}, "The first steps, message by message"),
    element("p", {class: "controls"}, choice("of", run_options(known), "0", redraw)));
  const timeline = message_timeline(parent, {
    id: "first-steps", title: "What each rank did, and when its messages went", trace: () => trace,
  });
  const place = element("div", {});
  parent.append(place);
  const draw_graph = () => {
    place.replaceChildren();
    graph_chart(place, {
      id: "traffic", title: "Who sent to whom",
      nodes: Array.from({length: trace.workers + trace.servers}, (_, rank) => ({
        name: rank < trace.workers ? `worker ${rank}` : `server ${rank - trace.workers}`, server: rank >= trace.workers,
      })),
      edges: () => traffic_of(trace).map(({from, to, bytes: sent, messages}) =>
        ({from, to, weight: sent, title: `${bytes(sent)} in ${counted(messages, "message")}`})),
    });
  };
  draw_graph();
}

/**
 * Every word and number of a run that stands alone, by its path: "staleness.mean".
 * @param {Run} run
 */
export function scalars_of(run) {
  /** @type {Map<string, any>} */
  const found = new Map();
  const visit = (/** @type {any} */ value, /** @type {string} */ path) => {
    if (Array.isArray(value)) return;
    if (value !== null && typeof value === "object") {
      for (const [key, inner] of Object.entries(value)) visit(inner, path ? `${path}.${key}` : key);
    } else if (!["configuration", "command"].includes(path)) {
      found.set(path, value);
    }
  };
  const {evaluations, ranks, updates_by_staleness, first_steps, ...rest} = run;
  visit(rest, "");
  return found;
}

/** What a reader looks for first, before all other columns; of many runs also their families. */
const first_columns = ["label", "train_loss", "seconds_to_target"];

/**
 * A column for every figure that some run has.
 * @param {Run[]} runs
 */
export function all_columns(runs) {
  const rows = runs.map(scalars_of);
  const has_families = groups_of(runs).length > most_together;
  rows.forEach((row, at) => {
    row.set("label", `${row.get("label")}${mark_of([runs[at]])}`);
    if (has_families) row.set("family", family_of(runs[at]));
  });
  const paths = [...new Set([...first_columns, ...rows.flatMap((row) => [...row.keys()].filter((path) => path === "family" || path.startsWith("varied."))),
    ...rows.flatMap((row) => [...row.keys()])])];
  return paths.map((heading) => ({heading, words: figure_words(heading) || undefined, values: rows.map((row) => row.get(heading) ?? null)}))
    .filter(({values}) => values.some((value) => value !== null));
}

/** @param {HTMLElement} parent @param {Run[]} runs */
function draw_configurations(parent, runs) {
  const known = runs.filter((run) => run.configuration);
  if (known.length === 0) return;
  const command = element("pre", {tabindex: "0"}), text = element("pre", {tabindex: "0"});
  const machine = element("p", {});
  const show = (/** @type {string} */ value) => {
    const run = known[Number(value)];
    command.textContent = run.command;
    text.textContent = run.configuration;
    machine.textContent = run.machine ? `It ran on: ${run.machine}.` : "";
  };
  const copy = (/** @type {HTMLElement} */ from) => element("button", {type: "button", class: "unprinted",
    onclick: () => navigator.clipboard?.writeText(from.textContent ?? "")}, "Copy");
  parent.append(element("section", {id: "again"}, element("h2", {}, "The same again"),
    element("p", {class: "controls"}, choice("of", run_options(known), "0", show)),
    element("p", {}, "This command asks for the same run, and in simulated time repeats it: "), command, copy(command),
    element("p", {}, "So does ", element("code", {}, "trainyard run FILE"), " with a file of this: "), text, copy(text), machine));
  show("0");
}
