// What each rank does and when its messages go: a row a rank, arrows between them.

import { draw_x_axis, ticks_beside } from "./axes.js";
import { element } from "./element.js";
import { draw_legend, figure, set_size } from "./figure.js";
import { bytes, counted, duration, moment_format } from "./format.js";
import { carried_words, message_color, message_groups } from "./microbatches.js";
import { activity_colors, color_of } from "./palette.js";

/**
 * What happened on the network, in columns; times in seconds. Ranks: workers, then servers.
 * @typedef {object} Trace
 * @property {number} workers
 * @property {number} servers
 * @property {string} [ports]
 * @property {string[]} [names] of the ranks, where they are not workers and then servers
 * @property {number} from
 * @property {number} until
 * @property {TraceMessages} messages
 * @property {TraceSpans} [spans]
 * @property {string} [carries] "microbatch" or "minibatch": what messages from stage to stage have a number of
 */

/**
 * posted: given to the network; start: its ports are free; first_bit, end: at its receiver.
 * @typedef {object} TraceMessages
 * @property {number[]} from
 * @property {number[]} to
 * @property {number[]} bytes
 * @property {number[]} posted
 * @property {number[]} start
 * @property {number[]} first_bit
 * @property {number[]} end
 * @property {(number | null)[]} [carried] the number; null: of no stage to the next
 */

/** @typedef {{rank: number[], activity: (keyof typeof activity_colors)[], from: number[], until: number[]}} TraceSpans */

/**
 * @typedef {object} MessageTimeline
 * @property {string} id
 * @property {string} title
 * @property {string} [note]
 * @property {HTMLElement[]} [controls]
 * @property {() => Trace} trace
 * @property {(message: number) => void} [clicked]
 * @property {() => {time: number, message: number | null}} [marked] a moment and a message to point out; say with show_mark()
 */

/** @param {number} value */
function within_one(value) {
  return Math.max(0, Math.min(1, value));
}

/**
 * The messages in flight at that moment, and how far each is: `latency`, the share of its latency
 * that has passed; `bits`, the share of its bits that has arrived. On their way from the sender to
 * the receiver its bits fill what is between `tail` and `head`.
 * @param {Trace} trace
 * @param {number} time
 */
export function messages_under_way({messages}, time) {
  const {from, to, start, first_bit, end} = messages;
  return from.flatMap((sender, message) => {
    if (!(start[message] <= time && time < end[message])) return [];
    const latency = first_bit[message] - start[message], transfer = end[message] - first_bit[message];
    const gone = (/** @type {number} */ since) => (latency > 0 ? within_one((time - since) / latency) : Number(time >= since));
    return [{
      message, from: sender, to: to[message],
      latency: gone(start[message]), bits: transfer > 0 ? within_one((time - first_bit[message]) / transfer) : 0,
      head: gone(start[message]), tail: gone(start[message] + transfer),
    }];
  });
}

/** @param {Trace} trace @param {number} rank */
export function rank_name({workers, servers, names}, rank) {
  if (names) return names[rank];
  if (rank < workers) return `worker ${rank}`;
  return servers === 1 ? "server" : `server ${rank - workers}`;
}

/**
 * "w3" of "worker 3", for where there is little room.
 * @param {Trace} trace @param {number} rank
 */
export function short_rank_name({workers, servers, names}, rank) {
  if (names) return names[rank].replace(/^(.)\S* /, "$1");
  return rank < workers ? `w${rank}` : servers === 1 ? "s" : `s${rank - workers}`;
}

/**
 * A message in words.
 * @param {Trace} trace @param {number} at
 */
export function message_words(trace, at) {
  const {from, to, bytes: sizes, posted, start, first_bit, end} = trace.messages;
  const moment = moment_format(trace.from, trace.until);
  const waited = start[at] > posted[at] ? `, after ${duration(start[at] - posted[at])} of waiting for its ports` : "";
  const carried = carried_words(trace, at);
  return `${rank_name(trace, from[at])} to ${rank_name(trace, to[at])}, ${bytes(sizes[at])}${carried && ` of ${carried}`}: starts at ${moment(start[at])}${waited}, ` +
    `first bit there at ${moment(first_bit[at])}, last at ${moment(end[at])}`;
}

const most_drawn = 4000;
/** Numbers beside arrows; of more they lie one over another. */
const most_numbered = 200;
const timeline_margin = {right: 12, top: 10, bottom: 40};

/** @typedef {{left: number, right: number, high: number, lane: number, at: (rank: number) => number, x: any}} Rows at: the middle of a rank's row */

/** @param {HTMLElement} parent @param {MessageTimeline} chart */
export function message_timeline(parent, chart) {
  /** @type {[number, number] | null} */
  let zoom = null;
  /** @type {Set<string>} */
  const hidden = new Set();
  let show_mark = () => {};
  const whole = element("button", {type: "button", class: "whole", disabled: true, onclick: () => zoom_to(null)}, "Whole");
  const frame = figure(parent, {
    id: chart.id, title: chart.title, controls: [...(chart.controls ?? []), whole],
    note: chart.note ?? "Drag over a part of the time to see more of it.",
    draw: (svg, width) => draw(svg, width),
    columns: () => trace_columns(chart.trace()),
  });

  /** @param {[number, number] | null} part */
  function zoom_to(part) {
    zoom = part;
    /** @type {HTMLButtonElement} */ (whole).disabled = zoom === null;
    frame.redraw();
  }

  /** @param {SVGSVGElement} svg @param {number} width */
  function draw(svg, width) {
    const trace = chart.trace();
    const rows = rows_of(trace, width, zoom ?? [trace.from, trace.until]);
    const end = timeline_margin.top + (trace.workers + trace.servers) * rows.high;
    set_size(svg, width, end + timeline_margin.bottom);
    const root = d3.select(svg);
    draw_rows(root, trace, rows, end);
    draw_legend(frame.legend, timeline_legend(trace), hidden, frame.redraw);
    const brush = d3.brushX().extent([[rows.left, timeline_margin.top], [rows.right, end]]).on("end", () => {
      if (d3.event.selection) zoom_to(d3.event.selection.map((/** @type {number} */ at) => rows.x.invert(at)));
    });
    root.append("g").attr("class", "brush unprinted").call(brush);
    const clip = `${chart.id}-clip`;
    root.append("clipPath").attr("id", clip).append("rect").attr("x", rows.left).attr("y", 0)
      .attr("width", rows.right - rows.left).attr("height", end);
    const plot = root.append("g").attr("clip-path", `url(#${clip})`);
    draw_spans(plot, trace, rows, hidden);
    draw_messages(plot, trace, rows, hidden, frame.say);
    const {clicked, marked} = chart;
    const number_of = (/** @type {unknown} */ _, /** @type {number} */ at, /** @type {Element[]} */ all) => Number(all[at].getAttribute("data-message"));
    if (clicked) {
      plot.selectAll(".message").classed("pointed", true)
        .on("click", (/** @type {[unknown, number, Element[]]} */ ...place) => clicked(number_of(...place)));
    }
    if (!marked) return;
    const line = plot.append("line").attr("class", "now unprinted").attr("y1", timeline_margin.top).attr("y2", end);
    show_mark = () => {
      const {time, message} = marked();
      line.attr("x1", rows.x(time)).attr("x2", rows.x(time));
      plot.selectAll(".message").classed("chosen", (/** @type {[unknown, number, Element[]]} */ ...place) => number_of(...place) === message);
    };
    show_mark();
  }
  return {...frame, show_mark: () => show_mark(), show_whole: () => zoom_to(null)};
}

/** @param {Trace} trace @param {number} width @param {[number, number]} time @returns {Rows} */
function rows_of(trace, width, time) {
  const ranks = trace.workers + trace.servers;
  const narrow = width < 500;
  const left = narrow ? 34 : 84;
  const high = Math.max(12, Math.min(56, Math.round(720 / ranks)));
  const lane = Math.max(3, Math.min(14, Math.round(high * 0.25)));
  const right = width - timeline_margin.right;
  return {left, right, high, lane, x: d3.scaleLinear().domain(time).range([left, right]),
    at: (rank) => timeline_margin.top + (rank + 0.5) * high};
}

/** @param {Trace} trace */
function timeline_legend(trace) {
  const known = new Set(trace.spans?.activity ?? []);
  const spans = Object.entries(activity_colors).filter(([name]) => known.has(/** @type {any} */ (name)))
    .map(([name, color]) => ({name, color}));
  return [...spans, ...message_groups(trace)];
}

/** @param {any} root @param {Trace} trace @param {Rows} rows @param {number} end */
function draw_rows(root, trace, rows, end) {
  const every = Math.ceil(14 / rows.high);
  for (let rank = 0; rank < trace.workers + trace.servers; ++rank) {
    root.append("line").attr("class", "rank-line").attr("stroke", "var(--rule)").attr("x1", rows.left).attr("x2", rows.right)
      .attr("y1", rows.at(rank)).attr("y2", rows.at(rank));
    if (rank % every !== 0) continue;
    const name = rank_name(trace, rank);
    root.append("text").attr("class", "row-name").attr("x", rows.left - 6).attr("y", rows.at(rank) + 4).attr("text-anchor", "end")
      .text(rows.left < 60 ? short_rank_name(trace, rank) : name).append("title").text(name);
  }
  const count = Math.max(2, Math.floor((rows.right - rows.left) / 90));
  draw_x_axis(root, rows.x, {ticks: ticks_beside(rows.x, count, false, duration), y: end, width: rows.right + timeline_margin.right});
  root.append("text").attr("class", "axis-label").attr("x", rows.right).attr("y", end + 34).attr("text-anchor", "end").text("time");
}

/** @param {any} plot @param {Trace} trace @param {Rows} rows @param {Set<string>} hidden */
function draw_spans(plot, trace, rows, hidden) {
  const moment = moment_format(trace.from, trace.until);
  const {rank, activity, from, until} = trace.spans ?? {rank: [], activity: [], from: [], until: []};
  rank.forEach((at, index) => {
    if (hidden.has(activity[index])) return;
    const x = rows.x(from[index]);
    plot.append("rect").attr("class", "mark span").attr("x", x).attr("width", Math.max(0.5, rows.x(until[index]) - x))
      .attr("y", rows.at(at) - rows.lane / 2).attr("height", rows.lane).attr("fill", activity_colors[activity[index]])
      .append("title").text(`${rank_name(trace, at)}: ${activity[index]} from ${moment(from[index])} to ${moment(until[index])}, ` +
        `${duration(until[index] - from[index])}`);
  });
}

/** @param {any} plot @param {Trace} trace @param {Rows} rows @param {Set<string>} hidden @param {(text: string) => void} say */
function draw_messages(plot, trace, rows, hidden, say) {
  const {from, start, end} = trace.messages;
  const [low, high] = rows.x.domain();
  const shown = message_groups(trace).filter(({name}) => !hidden.has(name));
  if (shown.length === 0) return;
  const seen = from.map((_, at) => at).filter((at) => end[at] >= low && start[at] <= high && shown.some(({messages}) => messages.has(at)));
  const with_spans = (trace.spans?.rank.length ?? 0) > 0;
  for (const at of seen.slice(0, most_drawn)) draw_message(plot, trace, rows, at, with_spans);
  if (seen.length <= most_numbered) for (const at of seen) draw_carried(plot, trace, rows, at, with_spans);
  if (seen.length > most_drawn) {
    plot.append("text").attr("x", rows.left + 8).attr("y", 10)
      .text(`${seen.length} messages; the first ${most_drawn} are drawn. Drag over a shorter time to see the others.`);
  }
  say(`${counted(seen.length, "message")} between ${counted(trace.workers + trace.servers, "rank")}; the table has them.`);
}

/**
 * Where its arrow begins and ends.
 * @param {Trace} trace @param {Rows} rows @param {number} at @param {boolean} with_spans
 */
function arrow_of({messages: {from, to, start, end}}, rows, at, with_spans) {
  const down = to[at] > from[at] ? 1 : -1;
  const edge = with_spans ? rows.lane / 2 + 1 : rows.lane + 1;
  return {a: {x: rows.x(start[at]), y: rows.at(from[at]) + down * edge}, b: {x: rows.x(end[at]), y: rows.at(to[at]) - down * edge}};
}

/** @param {any} plot @param {Trace} trace @param {Rows} rows @param {number} at @param {boolean} with_spans */
function draw_carried(plot, trace, rows, at, with_spans) {
  if (carried_words(trace, at) === "") return;
  const {a, b} = arrow_of(trace, rows, at, with_spans);
  plot.append("text").attr("class", "carried").attr("x", (a.x + b.x) / 2).attr("y", (a.y + b.y) / 2 + 4).attr("text-anchor", "middle")
    .attr("fill", message_color(trace, at, "var(--ink)")).text(trace.messages.carried?.[at]);
}

/** @param {any} plot @param {Trace} trace @param {Rows} rows @param {number} at @param {boolean} with_spans */
function draw_message(plot, trace, rows, at, with_spans) {
  const {from, to, start, first_bit, end} = trace.messages;
  const color = message_color(trace, at, with_spans ? "var(--ink)" : color_of(from[at]));
  const {a, b} = arrow_of(trace, rows, at, with_spans);
  const group = plot.append("g").attr("class", "mark message").attr("data-message", at);
  group.append("title").text(message_words(trace, at));
  if (!with_spans) {
    // Nothing else says what the ports do: sending above a rank's line, receiving below it, the
    // latency pale.
    for (const y of [rows.at(from[at]) - rows.lane, rows.at(to[at]) + 1]) {
      const port = (/** @type {number} */ since, /** @type {number} */ until, /** @type {number} */ opacity) => group.append("rect")
        .attr("x", rows.x(since)).attr("width", Math.max(0, rows.x(until) - rows.x(since) - 0.5)).attr("y", y)
        .attr("height", rows.lane - 1).attr("fill", color).attr("fill-opacity", opacity);
      port(start[at], first_bit[at], 0.3);
      port(first_bit[at], end[at], 0.9);
    }
  }
  group.append("line").attr("x1", a.x).attr("y1", a.y).attr("x2", b.x).attr("y2", b.y).attr("stroke", "transparent").attr("stroke-width", 8);
  group.append("line").attr("class", "arrow").attr("x1", a.x).attr("y1", a.y).attr("x2", b.x).attr("y2", b.y)
    .attr("stroke", color).attr("stroke-width", 1.2).attr("stroke-opacity", 0.75);
  const angle = Math.atan2(b.y - a.y, b.x - a.x);
  const corner = (/** @type {number} */ turn) => `${b.x - 7 * Math.cos(angle + turn)},${b.y - 7 * Math.sin(angle + turn)}`;
  group.append("path").attr("d", `M${b.x},${b.y}L${corner(0.4)}L${corner(-0.4)}Z`).attr("fill", color);
}

/**
 * Messages, and then what the ranks did, in one table.
 * @param {Trace} trace
 * @returns {import("./save.js").Column[]}
 */
export function trace_columns(trace) {
  const {messages, spans} = trace;
  const {from, to, bytes: sizes, posted, start, first_bit, end} = messages;
  const names = (/** @type {number[]} */ ranks) => ranks.map((rank) => rank_name(trace, rank));
  const lacking = (spans?.rank ?? []).map(() => null), carried = messages.carried;
  return [
    {heading: "what", values: [...from.map(() => "message"), ...(spans?.activity ?? [])]},
    {heading: "from", values: [...names(from), ...names(spans?.rank ?? [])]},
    {heading: "to", values: [...names(to), ...lacking]},
    {heading: "bytes", values: [...sizes, ...lacking]},
    ...(carried ? [{heading: trace.carries ?? "", values: [...carried, ...lacking]}] : []),
    {heading: "posted", values: [...posted, ...lacking]},
    {heading: "start", values: [...start, ...(spans?.from ?? [])]},
    {heading: "first bit", values: [...first_bit, ...lacking]},
    {heading: "end", values: [...end, ...(spans?.until ?? [])]},
  ];
}

/**
 * As `timeline --json` prints it.
 * @typedef {object} TimelineDocument
 * @property {number} from when the clock begins, or the first message of a list is posted
 * @property {number} makespan from then until all is done
 * @property {string[]} ranks their names
 * @property {string} title
 * @property {string} detail the network, and what is computed
 * @property {{from: number, to: number, bytes: number, posted: number, start: number, first_bit: number, end: number, microbatch?: number, minibatch?: number}[]} messages
 */

/**
 * Its messages in columns.
 * @param {TimelineDocument} content @returns {Trace}
 */
export function trace_of_timeline({from, makespan, ranks, messages}) {
  const column = (/** @type {"from" | "to" | "bytes" | "posted" | "start" | "first_bit" | "end"} */ key) => messages.map((message) => message[key]);
  const carries = /** @type {const} */ (["microbatch", "minibatch"]).find((word) => messages.some((message) => message[word] !== undefined));
  return {workers: ranks.length, servers: 0, names: ranks, from, until: from + makespan, ...(carries ? {carries} : {}), messages: {
    from: column("from"), to: column("to"), bytes: column("bytes"), posted: column("posted"),
    start: column("start"), first_bit: column("first_bit"), end: column("end"),
    ...(carries ? {carried: messages.map((message) => message[carries] ?? null)} : {}),
  }};
}

/** @param {TimelineDocument} content @returns {string[]} what a reader first wants to know */
export function timeline_sentences(content) {
  const {messages} = content, {from, until, messages: {posted, start, end}} = trace_of_timeline(content);
  if (messages.length === 0) return [`There are no messages; all is done after ${duration(content.makespan)}.`];
  const moment = moment_format(from, until);
  const first = posted.reduce((least, one) => Math.min(least, one)), last = end.reduce((most, one) => Math.max(most, one));
  const waiting = posted.filter((one, at) => start[at] > one).length;
  const waits = waiting === 0 ? `${messages.length === 1 ? "It does not have" : "None has"} to wait for a port.`
    : messages.length === 1 ? "It has to wait for a port first." : `${waiting} of them ${waiting === 1 ? "has" : "have"} to wait for a port first.`;
  const near = (/** @type {number} */ a, /** @type {number} */ b) => Math.abs(a - b) <= 1e-9 * Math.max(1e-3, until - from);
  const around = near(first, from) && near(last, until) ? "" : ` With what is computed before and after it all takes ${duration(content.makespan)}.`;
  return [`${counted(messages.length, "message")} between ${counted(content.ranks.length, "rank")}: from ${moment(first)}, ` +
    `when the first is sent off, to ${moment(last)}, when the last bit is there, ${duration(last - first)}. ${waits}${around}`];
}

/** @param {HTMLElement} parent @param {TimelineDocument} content */
export function timeline_page(parent, content) {
  const trace = trace_of_timeline(content);
  const color = trace.carries ? `the colour of the ${trace.carries}, whose number is beside its arrow` : "the sender's colour";
  parent.append(element("h1", {}, "Messages, port by port"),
    ...timeline_sentences(content).map((sentence) => element("p", {class: "answer"}, sentence)),
    element("p", {class: "setting"}, `${content.title}; ${content.detail}.`));
  message_timeline(parent, {
    id: "timeline", title: "What each port does", trace: () => trace,
    note: "A row a rank: above its line what it sends, below it what it receives, in " + color + "; pale while the latency " +
      "passes, full while bits arrive. Arrows go from the start of a message to its last bit. Drag over a part of the time to see more of it.",
  });
}
