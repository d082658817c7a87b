// Who was first, by how much, and why: a sentence or two for each contestant, from the figures of its
// runs and nothing else.

import { mean_of } from "./curves.js";
import { bit_rate, bytes, duration, percent, significant, times } from "./format.js";

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

/** @param {ReturnType<typeof arrival>} one */
function without_target(one) {
  const {runs} = one.group;
  if (runs.some((run) => run.diverged)) return "diverged";
  const best = Math.min(...runs.flatMap((run) => (run.evaluations?.train_loss ?? []).filter(Number.isFinite)));
  return `did not get there; its lowest training loss was ${significant(best)}`;
}

/**
 * The first one first, those that never were there last.
 * @param {Group[]} groups @returns {Verdict[]}
 */
export function verdicts_of(groups) {
  const all = groups.map(arrival).sort((a, b) => (a.seconds ?? Infinity) - (b.seconds ?? Infinity));
  const first = all[0];
  return all.map((one, place) => {
    const reason = reason_of(one.group);
    const {name} = one.group;
    if (one.seconds === null) return {name, seconds: null, outcome: `${without_target(one)}.`, reason};
    const seeds = one.reached < one.group.runs.length ? ` (${one.reached} of ${one.group.runs.length} seeds)` : "";
    const next = all[1]?.seconds;
    const outcome = place > 0
      ? `took ${times(one.seconds / (first.seconds ?? one.seconds))} as long, ${duration(one.seconds)}${seeds}${passes_text(one, first)}`
      : `was there first, after ${duration(one.seconds)}${seeds}${next ? `, ${times(next / one.seconds)} as fast as the next` : ""}`;
    return {name, seconds: one.seconds, outcome: `${outcome}.`, reason};
  });
}
