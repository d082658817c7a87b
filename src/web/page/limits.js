// What limits those who were first, and what their own figures say of the levers: arithmetic on one
// run's figures, no guess at what another run would do.

import { mean_of } from "./curves.js";
import { bytes, counted, duration, percent, significant, times } from "./format.js";
import { arrival, has_common_target, has_one_kind_of_link, latency_share, time_shares, verdicts_of, within_of } from "./reasons.js";

/** @typedef {import("./curves.js").Group} Group */

/**
 * Whatever becomes of messages, workers compute as long: no run is shorter than that.
 * @param {Group} group @returns {string[]}
 */
function ceiling_words(group) {
  const {compute, transfer, wait} = time_shares(group);
  const pauses = /^pause = "(?!none")/m.test(group.runs[0].configuration ?? "");
  if (compute === null || !(compute > 0) || pauses) return [];
  const idle = (transfer ?? 0) + (wait ?? 0);
  if (idle < 0.02) return [`computing, ${percent(compute)} of its workers' time: no network would make it much faster.`];
  const what = compute >= 0.5 ? "computing" : (transfer ?? 0) >= (wait ?? 0) ? "messages" : "waiting";
  return [`${what}: with messages that take no time and nobody to wait for it would be at most ${times(1 / compute)} as fast, as ${percent(compute)} of its workers' time is computing.`];
}

/**
 * Of a message of the mean length, by α + βb.
 * @param {Group} group @returns {string[]}
 */
function mean_message_words({runs: [run]}) {
  const share = latency_share(run);
  const transfer = run.time_split && run.seconds > 0 ? run.time_split.transfer / run.seconds : 0;
  if (share === null || run.bandwidth_bps === null || transfer < 0.1 || !has_one_kind_of_link(run)) return [];
  return [`Its message of ${bytes(run.bytes_sent / run.messages)}, the mean, would take ${percent(share / 2)} less time at half the latency, and ${percent((1 - share) / 2)} less at twice the bandwidth.`];
}

/**
 * Who makes the shortest passes over the data, and who needs the fewest: two ways to be first.
 * @param {Group[]} groups at least two, ranked
 */
function passes_words(groups) {
  const there = groups.map(arrival).filter(({seconds, epochs, reached, group}) => seconds && epochs && reached === group.runs.length);
  if (there.length < 3) return [];
  const pass = (/** @type {typeof there[0]} */ {seconds, epochs}) => Number(seconds) / Number(epochs);
  const least = (/** @type {(one: typeof there[0]) => number} */ of) => there.reduce((best, one) => (of(one) < of(best) ? one : best));
  const shortest = least(pass), fewest = least(({epochs}) => Number(epochs));
  if (shortest === fewest || Number(fewest.epochs) > 0.98 * Number(shortest.epochs)) return [];
  return [`Shortest passes over the data: ${shortest.group.name}, ${duration(pass(shortest))} each. Fewest passes to the target: ${fewest.group.name}, ${significant(Number(fewest.epochs), 3)} against its ${significant(Number(shortest.epochs), 3)}.`];
}

/**
 * Of a target that nobody asked for, the other end.
 * @param {Group[]} groups
 */
function depth_words(groups) {
  if (groups.length < 2 || !groups.some(({runs}) => runs.some(has_common_target))) return [];
  const ends = groups.flatMap(({name, runs}) => {
    const loss = runs.some(({diverged}) => diverged) ? null : mean_of(runs, (run) => run.train_loss);
    return loss === null ? [] : [{name, loss, seconds: mean_of(runs, (run) => run.seconds) ?? 0}];
  });
  if (ends.length < 2) return [];
  const lowest = ends.reduce((best, one) => (one.loss < best.loss ? one : best));
  return [`Lowest training loss at the end: ${lowest.name}, ${significant(lowest.loss)} after ${duration(lowest.seconds)}.`];
}

/**
 * What most of each one's time went into.
 * @param {Group[]} groups
 */
function census_words(groups) {
  if (groups.length <= 10) return [];
  const shares = groups.map(time_shares);
  const most = (/** @type {"compute" | "transfer" | "wait"} */ part) => shares.filter((one) => (one[part] ?? 0) > 0.5).length;
  return [`Of ${counted(groups.length, "contestant")}, ${most("compute")} computed for more than half of their time, ${most("transfer")} had messages on the wire, ${most("wait")} waited for others.`];
}

/**
 * A few sentences, each with the one whom it is about where it is about one.
 * @param {Group[]} groups that found one network @param {string[]} [lacking] runs that are not there
 * @returns {{about: string, text: string}[]}
 */
export function limits_of(groups, lacking = []) {
  const among = groups.filter((group) => within_of(group) === "");
  const verdicts = verdicts_of(groups, lacking);
  const first = groups.length === 1 ? groups[0] : verdicts[0]?.is_ranked ? among.find(({name}) => name === verdicts[0].name) : undefined;
  const own = first ? [...ceiling_words(first), ...mean_message_words(first)] : [];
  return [...(first && own.length > 0 ? [{about: first.name, text: own.join(" ")}] : []),
    ...[...(verdicts[0]?.is_ranked ? passes_words(among) : []), ...depth_words(among), ...census_words(groups)].map((text) => ({about: "", text}))];
}
