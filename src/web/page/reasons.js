// Who was first, by how much, and why: a sentence or two for each contestant, from the figures of its
// runs and nothing else.

import { mean_of } from "./curves.js";
import { bit_rate, bytes, duration, percent, significant, times, times_as } from "./format.js";

/** @typedef {import("./curves.js").Group} Group */
/** @typedef {import("./curves.js").Run} Run */
/** @typedef {{name: string, outcome: string, reason: string, seconds: number | null}} Verdict */

/**
 * "a training loss of 0.34"; empty where nothing was to be reached.
 * @param {Run} run
 */
export function target_text(run) {
  if (run.target_loss !== null) return `a training loss of ${significant(run.target_loss)}`;
  if (run.target_accuracy !== null) return `a test accuracy of ${significant(run.target_accuracy)}`;
  if (run.target_gradient !== null) return `a squared gradient norm of ${significant(run.target_gradient)}`;
  return "";
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
    parts.push(`its workers computed ${percent(shares.compute)} of their time`);
  }
  const stale = mean_of(group.runs, (one) => one.staleness?.mean);
  if (stale !== null && stale >= 0.5) parts.push(`its gradients were ${significant(stale, 2)} updates old on average`);
  return parts.length === 0 ? "" : `${parts[0][0].toUpperCase()}${parts.join("; ").slice(1)}.`;
}

/** @param {Run} run */
function message_text(run) {
  const latency = latency_share(run);
  if (latency === null) return "";
  const size = bytes(run.bytes_sent / run.messages);
  const mean = `a message has ${size} on average, so that`;
  if (latency >= 0.5) return ` (${mean} latency, ${duration(run.latency_s)}, is ${percent(latency)} of the way)`;
  return ` (${mean} its transfer at ${bit_rate(run.bandwidth_bps)} is ${percent(1 - latency)} of the way)`;
}

/**
 * Why it took longer: more passes over the data, or longer ones.
 * @param {ReturnType<typeof arrival>} one @param {ReturnType<typeof arrival>} first
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
 * The lowest training loss of any evaluation, null where none is finite.
 * @param {Run[]} runs @returns {number | null}
 */
function lowest_loss(runs) {
  let lowest = Infinity;
  for (const run of runs) {
    for (const loss of run.evaluations?.train_loss ?? []) {
      if (loss !== null && loss < lowest) lowest = loss;
    }
  }
  return Number.isFinite(lowest) ? lowest : null;
}

/**
 * What became of those that were not there.
 * @param {Run[]} runs
 */
function without_target(runs) {
  const diverged = runs.filter((run) => run.diverged).length;
  if (diverged === runs.length) return "diverged";
  if (runs.some((run) => run.interrupted)) return "was interrupted before it got there";
  const lowest = lowest_loss(runs);
  const some = diverged > 0 ? `; ${diverged} of ${runs.length} seeds diverged` : "";
  return `did not get there${lowest === null ? "" : `; its lowest training loss was ${significant(lowest)}`}${some}`;
}

/**
 * Of those that were there.
 * @param {ReturnType<typeof arrival>} one @param {ReturnType<typeof arrival>} first @param {ReturnType<typeof arrival> | undefined} next
 */
function arrival_text(one, first, next) {
  const all = one.group.runs.length;
  const seeds = one.reached < all ? ` (${one.reached} of ${all} seeds)` : "";
  const seconds = Number(one.seconds), best = Number(first.seconds);
  if (seconds === 0) return `was there from the start${seeds}`;
  if (one !== first && best > 0 && seconds >= best) {
    const why = seconds / best < 1.005 ? "" : passes_text(one, first);
    return `took ${times_as(seconds / best, "long")}, ${duration(seconds)}${seeds}${why}`;
  }
  // Before the first one in time, but with fewer of its seeds.
  if (one !== first) return `was there after ${duration(seconds)}${seeds}`;
  if (next === undefined) return `was there after ${duration(seconds)}${seeds}`;
  const lead = next.seconds === null || next.seconds < seconds ? "" : `, ${times_as(next.seconds / seconds, "fast")} as the next`;
  return `was there first, after ${duration(seconds)}${seeds}${lead}`;
}

/**
 * The first one first; those of which not all seeds were there come after those whose seeds all
 * were, and last who never was.
 * @param {Group[]} groups @returns {Verdict[]}
 */
export function verdicts_of(groups) {
  const share = (/** @type {ReturnType<typeof arrival>} */ one) => one.reached / one.group.runs.length;
  const all = groups.map(arrival)
    .sort((a, b) => share(b) - share(a) || (a.seconds ?? Infinity) - (b.seconds ?? Infinity));
  return all.map((one) => {
    const text = one.seconds === null ? without_target(one.group.runs) : arrival_text(one, all[0], all[1]);
    return {name: one.group.name, seconds: one.seconds, outcome: `${text}.`, reason: reason_of(one.group)};
  });
}
