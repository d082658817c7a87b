// The figures of a comparison that changes while one looks: verdicts, curves, times and the first
// steps. Each chart is made once and drawn anew with each answer, so that its switches stay as they
// are set, and nothing piles up.

import { answer_parts, run_options, target_level, time_chart } from "./comparison_page.js";
import { groups_of, outcome_quantities, progress_quantities, series_of, those_known } from "./curves.js";
import { choice, element } from "./element.js";
import { line_chart } from "./line_chart.js";
import { message_animation } from "./message_animation.js";
import { message_timeline } from "./message_timeline.js";
import { answer_title } from "./reasons.js";

/** @typedef {import("./curves.js").Run} Run */
/** @typedef {import("./lab_state.js").View} View */
/** @typedef {import("./comparison_page.js").Answered} Answered */
/**
 * before: the runs of the setting before, and in which settings it was another one.
 * @typedef {{runs: Run[], answered: Answered, view: View, view_changed: () => void, before: {runs: Run[], words: string} | null}} Shown what is drawn now
 */

/**
 * The quantity of that name, or the first one that is known.
 * @param {typeof progress_quantities} quantities @param {Run[]} runs @param {string} key
 */
export function quantity_of(quantities, runs, key) {
  const known = those_known(quantities, runs);
  return known.find((one) => one.key === key) ?? known[0] ?? quantities[0];
}

/**
 * The run whose first steps are asked for, or the first one that has any.
 * @param {Run[]} runs @param {string} label @returns {Run | null}
 */
export function run_of_steps(runs, label) {
  const known = runs.filter((run) => (run.first_steps?.messages.from.length ?? 0) > 0);
  return known.find((run) => run.label === label) ?? known[0] ?? null;
}

/**
 * Said where the lab's time was over before the runs were: a scheme has not lost then.
 * @param {Answered} answered
 */
function cut_short({runs, lacking = []}) {
  if (lacking.length === 0 && !runs.some(({interrupted}) => interrupted)) return "";
  return element("p", {class: "cut-short"},
    "The time that the lab has for a question was over before the runs were: the machine is busy, or the question is large.");
}

/**
 * stage: where the curves are drawn, in place of `parent`; covered: whether somebody still guesses.
 * @typedef {{stage?: HTMLElement, covered?: () => boolean, height?: (width: number) => number}} LiveContent
 */

/**
 * @param {HTMLElement} parent
 * @param {Record<string, any>} first comparison document
 * @param {View} view
 * @param {(view: View) => void} view_changed
 * @param {LiveContent} [content]
 */
export function live_figures(parent, first, view, view_changed, content = {}) {
  /** @type {Shown} */
  const shown = {runs: first.runs, answered: /** @type {Answered} */ (first), view, view_changed: () => view_changed(shown.view), before: null};
  const answer = element("section", {id: "answer"});
  const progress = element("p", {class: "progress", hidden: true}, "The first quarter of the runs; the whole is being computed.");
  const stage = content.stage ?? parent;
  stage.append(progress);
  const curves = live_curves(stage, shown, content);
  parent.append(answer);
  const times = time_chart(parent, () => groups_of(shown.runs));
  const steps = live_steps(parent, shown);
  const draw_answer = () => {
    const groups = groups_of(shown.runs);
    answer.replaceChildren(element("h2", {}, answer_title(groups, shown.answered.lacking)), cut_short(shown.answered),
      ...answer_parts(shown.answered, groups));
    answer.removeAttribute("data-old");
    times.redraw();
  };
  draw_answer();
  steps.redraw();
  let later = 0;
  return {
    curves: curves.root, answer,
    /** The curves are drawn for the first time: as they were made, from left to right. */
    sweep: () => {
      curves.redraw();
      curves.sweep();
    },
    /**
     * @param {Record<string, any>} document @param {boolean} is_whole else the curves alone, as all other
     * figures are about whole runs
     * @param {() => void} drawn all that there is
     */
    draw: (document, is_whole, drawn) => {
      progress.hidden = is_whole;
      shown.runs = document.runs;
      shown.answered = /** @type {Answered} */ (document);
      curves.redraw();
      clearTimeout(later);
      if (!is_whole) {
        answer.setAttribute("data-old", "");
        return;
      }
      draw_answer();
      // Hundreds of messages take as long as all the rest: the browser shows the curves before.
      later = Number(setTimeout(() => { steps.redraw(); drawn(); }, 20));
    },
    /** What is drawn now stays as ghosts, while others are drawn over them; false where it is no whole answer. */
    keep_ghosts: () => {
      if (progress.hidden) shown.before = {runs: shown.runs, words: ""};
      return progress.hidden;
    },
    /** @param {string} words what was otherwise then */
    name_ghosts: (words) => {
      if (shown.before) shown.before.words = words;
    },
    /** What is not drawn yet need not be: a newer answer comes. */
    forget: () => clearTimeout(later),
    /** @param {View} now */
    set_view: (now) => {
      if (now.x !== shown.view.x || now.y !== shown.view.y) curves.let_go();
      shown.view = now;
      curves.set_switches();
      curves.redraw();
      steps.redraw();
    },
  };
}

/**
 * The target, where the curves are of the loss or of how far it is above its minimum.
 * @param {Run[]} runs @param {string} key
 */
export function level_of(runs, key) {
  const level = target_level(runs);
  if (level === null || key === "train_loss") return key === "train_loss" ? level : null;
  const loss = runs[0].evaluations?.train_loss?.[0], above = runs[0].evaluations?.suboptimality?.[0];
  return key === "suboptimality" && Number.isFinite(loss) && Number.isFinite(above) ? {...level, y: level.y - (loss - above)} : null;
}

/** @param {HTMLElement} parent @param {Shown} shown @param {LiveContent} content */
function live_curves(parent, shown, {covered, height}) {
  const x = () => quantity_of(progress_quantities, shown.runs, shown.view.x);
  const y = () => quantity_of(outcome_quantities, shown.runs, shown.view.y);
  const axes = element("span", {class: "axes-choice"});
  const chart = line_chart(parent, {
    id: "curves", title: "On the way", x, y, controls: [axes], covered, height,
    series: () => series_of(groups_of(shown.runs), x().key, y().key),
    level: () => level_of(shown.runs, y().key),
    holds: true,
    ghosts: () => shown.before && {words: shown.before.words, series: series_of(groups_of(shown.before.runs), x().key, y().key)
      .map((series, style) => ({style, ...series}))},
    switched: () => {
      shown.view = {...shown.view, log: `${chart.log.x ? "x" : ""}${chart.log.y ? "y" : ""}`, hidden: [...chart.hidden].join(";")};
      shown.view_changed();
    },
  });
  const set_switches = () => {
    const {log, hidden} = shown.view;
    chart.set_switches({x: log.includes("x"), y: log.includes("y")}, hidden.split(";").filter((name) => name !== ""));
  };
  set_switches();
  const axis_choice = (/** @type {string} */ words, /** @type {"x" | "y"} */ axis, /** @type {typeof progress_quantities} */ quantities) =>
    choice(words, those_known(quantities, shown.runs).map(({key, label}) => [key, label]), (axis === "x" ? x() : y()).key, (key) => {
      shown.view = {...shown.view, [axis]: key};
      chart.let_go();
      chart.redraw();
      shown.view_changed();
    });
  let drawn = "";
  const redraw = () => {
    const choices = JSON.stringify([x().key, y().key, ...[progress_quantities, outcome_quantities].map((all) => those_known(all, shown.runs))]);
    // A choice that is made anew would lose the keyboard's focus.
    if (choices !== drawn) axes.replaceChildren(axis_choice("show", "y", outcome_quantities), axis_choice("over", "x", progress_quantities));
    drawn = choices;
    // A part of the old curves' area need not have anything of the new ones.
    chart.show_whole();
  };
  redraw();
  return {redraw, root: chart.root, let_go: chart.let_go, sweep: chart.sweep, set_switches};
}

/** @param {HTMLElement} parent @param {Shown} shown */
function live_steps(parent, shown) {
  const section = element("section", {id: "steps"}, element("h2", {}, "The first steps, message by message"));
  const which = element("p", {class: "controls"});
  section.append(which);
  parent.append(section);
  const run = () => run_of_steps(shown.runs, shown.view.of);
  const trace = () => run()?.first_steps ?? empty_trace;
  let mark = {time: 0, message: /** @type {number | null} */ (null)};
  const animation = message_animation(section, {id: "animation", trace, changed: (time, message) => {
    mark = {time, message};
    timeline?.show_mark();
  }});
  /** @type {ReturnType<typeof message_timeline> | null} */
  let timeline = null;
  timeline = message_timeline(section, {
    id: "first-steps", title: "What each rank did, and when its messages went", trace,
    clicked: animation.choose, marked: () => mark,
  });
  let drawn = "";
  const redraw = () => {
    const known = shown.runs.filter((one) => run_of_steps([one], one.label));
    section.hidden = known.length === 0;
    const options = run_options(known).map(([at, name]) => /** @type {[string, string]} */ ([known[Number(at)].label, name]));
    const choices = JSON.stringify([options, run()?.label]);
    if (choices !== drawn) {
      which.replaceChildren(choice("of", options, run()?.label ?? "", (label) => {
        shown.view = {...shown.view, of: label};
        redraw_trace();
        shown.view_changed();
      }));
    }
    drawn = choices;
    redraw_trace();
  };
  const redraw_trace = () => {
    animation.redraw();
    timeline?.show_whole();
  };
  return {redraw};
}

const empty_trace = {workers: 1, servers: 0, from: 0, until: 0,
  messages: {from: [], to: [], bytes: [], posted: [], start: [], first_bit: [], end: []}};
