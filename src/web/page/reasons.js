// Who was first, by how much, and why: a sentence or two for each contestant, from the figures of its
// runs and nothing else.

import { mean_of } from "./curves.js";
import { bit_rate, bytes, duration, percent, significant, times, times_as } from "./format.js";
import { paired_ratio } from "./paired.js";

/** @typedef {import("./curves.js").Group} Group */
/** @typedef {import("./curves.js").Run} Run */
/** @typedef {{name: string, outcome: string, reason: string, seconds: number | null, within: string, is_ranked: boolean}} Verdict outcome: what it did, empty where nothing says it; within: of one that stands apart; is_ranked: it has a place in an order of merit */

/** @type {{target: string, figure: string, name: string, best: (...values: number[]) => number, needs?: string}[]} needs: the figure without which it is another one */
const measures = [
  {target: "target_loss", figure: "train_loss", name: "training loss", best: Math.min},
  {target: "target_accuracy", figure: "validation_accuracy", name: "validation accuracy", best: Math.max, needs: "validation_loss"},
  {target: "target_accuracy", figure: "test_accuracy", name: "test accuracy", best: Math.max},
  {target: "target_gradient", figure: "squared_gradient_norm", name: "squared gradient norm", best: Math.min},
];

/**
 * Of their target: with a common one, a seed of which all runs diverged has none.
 * @param {Run[]} runs @returns {typeof measures[0] | undefined}
 */
function measure_of(runs) {
  return measures.find(({target, needs}) => runs.some((run) => typeof run[target] === "number" && (!needs || typeof run[needs] === "number")));
}

/**
 * "a training loss of 0.34"; empty where nothing was to be reached.
 * @param {Run} run
 */
export function target_text(run) {
  const measure = measure_of([run]);
  return measure ? `a ${measure.name} of ${significant(run[measure.target])}` : "";
}

/**
 * Whether nobody asked for a target: it is then the lowest loss that all reached.
 * @param {Run} run
 */
export function has_common_target(run) {
  return run.target_loss !== null && !/^target-loss = /m.test(run.configuration ?? "");
}

/**
 * Means over the seeds that were there.
 * @param {Group} group
 */
export function arrival(group) {
  const there = group.runs.filter((run) => run.seconds_to_target !== null && !run.diverged);
  return {
    group, reached: there.length,
    seconds: mean_of(there, (run) => run.seconds_to_target),
    epochs: mean_of(there, (run) => run.epochs_to_target),
  };
}

/**
 * Of a worker's time, what it computed, sent and waited for.
 * @param {Group} group
 */
export function time_shares(group) {
  const share = (/** @type {string} */ part) =>
    mean_of(group.runs, (run) => (run.seconds > 0 && run.time_split ? run.time_split[part] / run.seconds : null));
  return {compute: share("compute"), transfer: share("transfer"), wait: share("wait")};
}

/**
 * The part of a message of the mean length that is latency; null where that is not known.
 * @param {Run} run
 */
export function latency_share(run) {
  if (!(run.messages > 0) || !(run.latency_s > 0)) return null;
  if (run.bandwidth_bps === null) return 1;
  const transfer = (8 * run.bytes_sent) / run.messages / run.bandwidth_bps;
  return run.latency_s / (run.latency_s + transfer);
}

/**
 * What most of its time went into.
 * @param {Group} group
 */
export function reason_of(group) {
  const shares = time_shares(group);
  const run = group.runs[0];
  const parts = [];
  if (shares.transfer !== null && shares.transfer >= 0.2) {
    parts.push(`its workers had messages on the wire for ${percent(shares.transfer)} of their time${message_text(run)}`);
  }
  if (shares.wait !== null && shares.wait >= 0.2) {
    const [who, whole] = parts.length > 0 ? ["they", "it"] : ["its workers", "their time"];
    parts.push(`${who} waited ${percent(shares.wait)} of ${whole} for others`);
  }
  if (parts.length === 0 && shares.compute !== null) {
    const pauses = /^pause = "(?!none")/m.test(run.configuration ?? "") ? " or paused" : "";
    parts.push(`its workers computed${pauses} ${percent(shares.compute)} of their time`);
  }
  const lines = mean_of(group.runs, (one) => (one.seconds > 0 ? one.lines_s / one.seconds : null)) ?? 0;
  if (lines >= 0.05) parts.push(`${percent(lines)} of it for cache lines that others had written, by a model of them`);
  const stale = mean_of(group.runs, (one) => one.staleness?.mean);
  if (stale !== null && stale >= 0.5) parts.push(`its gradients were ${significant(stale, 2)} updates old on average`);
  const said = parts.length === 0 ? "" : `${parts[0][0].toUpperCase()}${parts.join("; ").slice(1)}.`;
  return [said, step_size_text(run)].filter((text) => text !== "").join(" ");
}

/**
 * "Its step size, the best of a grid: 32."
 * @param {Run} run
 */
function step_size_text(run) {
  const sizes = Object.entries(run.tuned ?? {}).map(([name, text]) => (name === "lr" ? text : `${name} ${text}`));
  return sizes.length === 0 ? "" : `Its step size, the best of a grid: ${sizes.join(", ")}.`;
}

/**
 * Of links that differ, latency and bandwidth are only some links' own.
 * @param {Run} run
 */
export function has_one_kind_of_link(run) {
  return !/^(links = |racks = (?!1$)|jitter = (?!"none"$)|fault = (?!"none"$))/m.test(run.configuration ?? "");
}

/** @param {Run} run */
function message_text(run) {
  if (!has_one_kind_of_link(run)) return "";
  const latency = latency_share(run);
  if (latency === null) return "";
  const size = bytes(run.bytes_sent / run.messages);
  const mean = `a message has ${size} on average, so that`;
  if (latency >= 0.5) return ` (${mean} latency, ${duration(run.latency_s)}, is ${percent(latency)} of the way)`;
  return ` (${mean} its transfer at ${bit_rate(run.bandwidth_bps)} is ${percent(1 - latency)} of the way)`;
}

/**
 * Why it took longer: more passes over the data, or longer ones.
 * @param {Arrival} one @param {Arrival} first
 */
function passes_text(one, first) {
  if (!one.seconds || !first.seconds || !one.epochs || !first.epochs) return "";
  const passes = one.epochs / first.epochs;
  const each = one.seconds / one.epochs / (first.seconds / first.epochs);
  const more = passes > 1.05 ? `${times(passes)} as many passes over the data`
    : passes < 0.95 ? `only ${significant(passes, 2)} times as many passes over the data` : "as many passes over the data";
  const longer = each > 1.05 ? `each took ${times(each)} as long`
    : each < 0.95 ? `each took only ${significant(each, 2)} times as long` : "each took as long";
  return `: ${more}, and ${longer}`;
}

/**
 * The best value of any evaluation, null where none is finite.
 * @param {Run[]} runs @param {typeof measures[0]} measure @returns {number | null}
 */
function best_of(runs, {figure, best}) {
  /** @type {number | null} */
  let found = null;
  for (const run of runs) {
    for (const value of run.evaluations?.[figure] ?? []) {
      if (value !== null) found = found === null ? value : best(found, value);
    }
  }
  return found;
}

/**
 * " with all 3 seeds", " with 2 of 3 seeds"; empty of a single one.
 * @param {number} some @param {number} all
 */
function seeds_text(some, all) {
  return all === 1 ? "" : some === all ? ` with all ${all} seeds` : ` with ${some} of ${all} seeds`;
}

/**
 * Cut off before it came to its end or to the target: what it would have reached nobody knows.
 * @param {Run} run
 */
export function is_cut_off(run) {
  return Boolean(run.interrupted) && !run.diverged && (run.seconds_to_target ?? null) === null;
}

/**
 * A rank of it crashed, and it does not go on without (--on-failure stop).
 * @param {Run} run
 */
function is_ended_by_crash(run) {
  return Boolean(run.crashed) && !run.diverged && !is_cut_off(run) && (run.seconds_to_target ?? null) === null;
}

/**
 * What became of those that were not there.
 * @param {Run[]} runs
 * @param {number} all seeds, those that were there as well
 * @returns {string[]}
 */
function fates_of(runs, all) {
  const diverged = runs.filter((run) => run.diverged), cut = runs.filter(is_cut_off), crashed = runs.filter(is_ended_by_crash);
  const rest = runs.filter((run) => !run.diverged && !is_cut_off(run) && !is_ended_by_crash(run));
  const measure = measure_of(rest);
  const said = [];
  if (rest.length > 0 && measure) {
    const best = best_of(rest, measure);
    const word = measure.best === Math.min ? "lowest" : "highest";
    said.push(`did not get there${all > 1 && rest.length === all ? ` with any of ${all} seeds` : seeds_text(rest.length, all)}${best === null ? "" : `; its ${word} ${measure.name} was ${significant(best)}`}`);
  }
  if (diverged.length > 0) said.push(`diverged${seeds_text(diverged.length, all)}`);
  if (crashed.length > 0) said.push(`was ended by a crash before it got there${seeds_text(crashed.length, all)}`);
  if (cut.length > 0) said.push(`was cut off before it got there${seeds_text(cut.length, all)}`);
  return said;
}

/**
 * Why nobody can say that one took longer than another: seeds that do not bear it out, one
 * measurement each and less than a factor of two, or one seed and less than an evaluation between
 * them; empty where one can. Where both made as many passes in simulated time they have the same
 * curve.
 * @param {Arrival} one @param {Arrival} other @param {string} whom of the two the sentence is not about
 */
function doubt_of(one, other, whom) {
  const in_order = (/** @type {Arrival} */ {group}) => [...group.runs].sort((a, b) => a.seed - b.seed);
  const times_of = (/** @type {Arrival} */ arrived) => in_order(arrived).map((run) => run.seconds_to_target);
  const seconds = [Number(one.seconds), Number(other.seconds)];
  const is_measured = one.group.runs[0].time === "wall";
  const interval = Math.min(...[one, other].map(({group}) => Math.max(...group.runs.map((run) => run.target_interval_s ?? 0))));
  const is_one_curve = !is_measured && Math.abs(Number(one.epochs) / Number(other.epochs) - 1) < 1e-3;
  const near = !is_one_curve && Math.abs(seconds[0] - seconds[1]) < interval ? `less than one evaluation apart from ${whom}` : "";
  const ratio = paired_ratio(times_of(one), times_of(other));
  if (ratio !== null) return ratio.is_borne_out ? near : `not told apart from ${whom} by ${one.group.runs.length} seeds`;
  if (is_measured) return Math.max(...seconds) < 2 * Math.min(...seconds) ? `not told apart from ${whom} by one seed's measurements` : "";
  return near;
}

/**
 * At the target before any message had arrived: an average that no worker holds is there
 * (study/unheard.hpp). Who shares memory sends none.
 * @param {Group} group
 */
function is_unheard({runs}) {
  // A server's model has no such distance: only messages move it.
  const is_average = (/** @type {Run} */ run) => typeof run.consensus_distance === "number" && !run.scheme.startsWith("hogwild");
  const is_apart = (/** @type {Run} */ run) => is_average(run) && (run.messages === 0
    || run.seconds_to_target < (run.latency_s ?? 0) + (run.bandwidth_bps ? 8 * run.bytes_sent / run.messages / run.bandwidth_bps : 0));
  return runs.some((run) => run.workers > 1 && run.scheme !== "sequential" && run.seconds_to_target !== null && is_apart(run));
}

/**
 * Of those that were there, against the first one; without it, where they are not ranked.
 * @param {Arrival} one @param {Arrival | null} first @param {Arrival | undefined} next
 * @param {boolean} is_contested by one that was there sooner, but not with all seeds
 */
function arrival_text(one, first, next, is_contested) {
  const all = one.group.runs.length, seconds = Number(one.seconds);
  const seeds = one.reached < all ? seeds_text(one.reached, all) : "";
  if (seconds === 0) return `was there from the start${seeds}`;
  if (is_unheard(one.group)) return `was there after ${duration(seconds)}${seeds}, before any message had arrived, with an average that no worker holds`;
  const when = `${duration(seconds)}${seeds}`;
  if (first === null || first.seconds === 0 || first.reached < first.group.runs.length || one.reached < all) return `was there after ${when}`;
  const best = Number(first.seconds);
  if (one !== first) {
    const doubt = doubt_of(first, one, first.group.name);
    if (doubt) return `was there after ${when}, ${doubt}`;
    const why = seconds / best < 1.005 ? "" : passes_text(one, first);
    return `took ${times_as(seconds / best, "long")}, ${when}${why}`;
  }
  const rival = next !== undefined && next.seconds !== null && next.reached === next.group.runs.length ? next.seconds / seconds : null;
  if (is_contested) return `was there first of those that were with all seeds, after ${when}`;
  if (rival === null) return `was there first, after ${when}`;
  const doubt = next === undefined || next.seconds === null || rival < 1.005 ? "" : doubt_of(one, next, next.group.name);
  if (doubt) return `was there after ${when}, ${doubt}`;
  return rival < 1.005 ? `was there after ${when}, as soon as the next` : `was there first, after ${when}, ${times_as(rival, "fast")} as the next`;
}

/**
 * At the run's end, where `train_loss` is that of the model that is kept (--patience).
 * @param {Run} run
 */
function last_loss(run) {
  return typeof run.kept_epoch === "number" ? run.evaluations?.train_loss?.at(-1) ?? run.train_loss : run.train_loss;
}

/**
 * Where there is no target: from where to where it came.
 * @param {Run[]} runs
 */
function way_text(runs) {
  const whole = runs.filter((run) => !run.diverged);
  const said = [];
  const from = mean_of(whole, (run) => run.evaluations?.train_loss?.[0]), to = mean_of(whole, last_loss);
  const seconds = mean_of(whole, (run) => run.seconds);
  if (from !== null && to !== null && seconds !== null) {
    const turn = to > from ? ", higher than where it began," : "";
    said.push(`came from a training loss of ${significant(from)} to ${significant(to)}${turn} in ${duration(seconds)}` +
      `${runs.length > 1 ? `, on average over ${whole.length === runs.length ? "" : `${whole.length} of `}${runs.length} seeds` : ""}`);
  }
  const diverged = runs.filter((run) => run.diverged), cut = runs.filter(is_cut_off), crashed = runs.filter(is_ended_by_crash);
  if (diverged.length > 0) {
    said.push(`diverged${seeds_text(diverged.length, runs.length)}${runs.length === 1 ? `, within ${duration(runs[0].seconds)}` : ""}`);
  }
  if (crashed.length > 0) said.push(`was ended by a crash${seeds_text(crashed.length, runs.length)}`);
  if (cut.length > 0) said.push(`was cut off before its end${seeds_text(cut.length, runs.length)}`);
  return said.join("; ");
}

/**
 * Why nobody is called first; empty where the contestants can be ranked. A mean over other seeds is
 * a mean over other luck.
 * @param {Group[]} groups @param {string[]} [lacking] runs that were asked for and are not there
 */
export function unranked_words(groups, lacking = []) {
  const absent = lacking.length === 0 ? "" : ` Not there at all: ${lacking.join("; ")}.`;
  if (groups.length < 2 && absent === "") return "";
  if (absent !== "" || groups.some(({runs}) => runs.some(is_cut_off))) {
    return `Not all runs came to their end, so that nobody can say who was first.${groups.length < 2 ? "" : " They stand in no order of merit."}${absent}`;
  }
  const seeds = (/** @type {Group} */ {runs}) => [...new Set(runs.map(({seed}) => seed))].sort((a, b) => a - b).join(", ");
  const other = groups.find((group) => seeds(group) !== seeds(groups[0]));
  return other === undefined ? "" : "They did not all run with the same seeds, and stand in no order of merit: " +
    `${groups[0].name} ran with seeds ${seeds(groups[0])}; ${other.name} with ${seeds(other)}.`;
}

/** @param {Group[]} groups */
export function has_target(groups) {
  return measure_of(groups.flatMap(({runs}) => runs)) !== undefined;
}

/** @param {Group[]} groups @param {string[]} [lacking] */
export function answer_title(groups, lacking = []) {
  if (groups.length === 1) return `${groups[0].name}: where it got, and where its time went`;
  return has_target(groups) && unranked_words(groups, lacking) === "" ? "Who was first, and why" : "Where they got, and where their time went";
}

/** @typedef {ReturnType<typeof arrival>} Arrival */

/**
 * Where its workers are, who share memory, where the network that was asked for lies between
 * machines: it stands apart; empty of others.
 * @param {Group} group @returns {string}
 */
export function within_of({runs}) {
  return runs[0].within ?? "";
}

/**
 * The first one first; those of which not all seeds were there come after those whose seeds all
 * were, and then who never was; last those that stand apart. Where they cannot be ranked, in their
 * own order.
 * @param {Group[]} groups @param {string[]} [lacking] @returns {Verdict[]}
 */
export function verdicts_of(groups, lacking = []) {
  const share = (/** @type {Arrival} */ one) => one.reached / one.group.runs.length;
  const is_ranked = unranked_words(groups, lacking) === "";
  const all = groups.map(arrival);
  const apart = (/** @type {Arrival} */ one) => (within_of(one.group) !== "" ? 2 : is_unheard(one.group) ? 1 : 0);
  if (is_ranked) all.sort((a, b) => apart(a) - apart(b) || share(b) - share(a) || (a.seconds ?? Infinity) - (b.seconds ?? Infinity));
  const ranked = is_ranked ? all.filter((one) => !apart(one)) : [];
  const is_contested = ranked.some((one) => one.reached < one.group.runs.length && (one.seconds ?? Infinity) < (ranked[0].seconds ?? 0));
  return all.map((one) => {
    const {name, runs} = one.group;
    const verdict = (/** @type {string} */ text) => ({name, seconds: one.seconds, within: within_of(one.group), is_ranked: ranked.includes(one) && one.seconds !== null, outcome: text === "" ? "" : `${text}.`, reason: reason_of(one.group)});
    if (!has_target(groups)) return verdict(way_text(runs));
    const late = fates_of(runs.filter((run) => run.diverged || run.seconds_to_target === null), runs.length);
    const there = one.seconds === null ? [] : [arrival_text(one, ranked.includes(one) && ranked.length > 1 ? ranked[0] : null, rival_of(ranked), is_contested)];
    const depth = there.length > 0 && late.length === 0 && runs.some(has_common_target) ? depth_text(runs) : "";
    return verdict([...there, ...late].join("; ") + depth);
  });
}

/**
 * Whom the first one is told against: who may be as soon, or else the next one.
 * @param {Arrival[]} ranked
 */
function rival_of(ranked) {
  const there = ranked.slice(1).filter((one) => one.seconds !== null && one.reached === one.group.runs.length);
  return there.find((one) => doubt_of(ranked[0], one, "") !== "") ?? ranked[1];
}

/**
 * A target that all have reached says nothing of who goes on below it.
 * @param {Run[]} runs
 */
function depth_text(runs) {
  const lowest = mean_of(runs.filter((run) => !run.diverged), (run) => best_of([run], measures[0]));
  return lowest === null ? "" : `. It came down to ${significant(lowest)}${runs.length > 1 ? " on average" : ""}${risen_text(runs)}`;
}

/**
 * Where it did not stay at the target: it ended above it by more than a twentieth of the way down
 * to it, as the notes have it, too (study/risen_again.hpp).
 * @param {Run[]} runs
 */
function risen_text(runs) {
  const risen = runs.filter((run) =>
    last_loss(run) - run.target_loss > 0.05 * Math.max(0, (run.evaluations?.train_loss?.[0] ?? Infinity) - run.target_loss));
  const end = mean_of(risen, last_loss);
  return end === null ? "" : `, and went up again, to ${significant(end)} at its end${risen.length < runs.length ? seeds_text(risen.length, runs.length) : ""}`;
}
