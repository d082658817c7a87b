// Messages on their way, moment by moment: the ranks as a graph, in which each message goes along
// its edge as its bits do, and each rank has the colour of what it does.

import { traffic_of } from "./comparison_page.js";
import { choice, element } from "./element.js";
import { figure, set_size } from "./figure.js";
import { moment_format } from "./format.js";
import { edge_way, graph_spots, spot_on } from "./graph.js";
import { message_words, messages_under_way, rank_name, trace_columns } from "./message_timeline.js";
import { carried_words, message_color } from "./microbatches.js";
import { activity_colors, color_of } from "./palette.js";

/** @typedef {import("./message_timeline.js").Trace} Trace */

/**
 * The times at which something begins or ends, each once.
 * @param {Trace} trace
 */
export function moments_of({messages, spans, from, until}) {
  const all = [from, until, ...messages.start, ...messages.end, ...(spans?.from ?? []), ...(spans?.until ?? [])];
  return [...new Set(all.filter((time) => time >= from && time <= until))].sort((a, b) => a - b);
}

/**
 * The moment after that time, or before it; at an end the end itself.
 * @param {number[]} moments @param {number} time @param {1 | -1} direction
 */
export function moment_beside(moments, time, direction) {
  const found = direction > 0 ? moments.find((one) => one > time) : moments.filter((one) => one < time).pop();
  return found ?? (direction > 0 ? moments[moments.length - 1] : moments[0]);
}

/**
 * What a rank does then; empty where nothing says it.
 * @param {Trace} trace @param {number} rank @param {number} time
 */
export function activity_at({spans}, rank, time) {
  const at = (spans?.rank ?? []).findIndex((one, span) =>
    one === rank && (spans?.from[span] ?? 0) <= time && time < (spans?.until[span] ?? 0));
  return at < 0 ? "" : spans?.activity[at] ?? "";
}

/**
 * What begins and ends at that moment, in a sentence each.
 * @param {Trace} trace @param {number} time
 */
export function moment_words(trace, time) {
  const {from, to, start, end} = trace.messages;
  const pair = (/** @type {number} */ at) => {
    const carried = carried_words(trace, at);
    return `${rank_name(trace, from[at])} to ${rank_name(trace, to[at])}${carried && ` with ${carried}`}`;
  };
  const said = (/** @type {number[]} */ times, /** @type {string} */ verb) => {
    const pairs = times.flatMap((one, at) => (one === time ? [pair(at)] : []));
    if (pairs.length === 0) return [];
    return [`${verb}: ${pairs.length <= 3 ? pairs.join(", ") : `${pairs.length} messages`}.`];
  };
  return [...said(end, "Arrives"), ...said(start, "Starts")].join(" ");
}

const seconds_at_speed = {slow: 40, medium: 15, fast: 5};

/**
 * A clock that goes through the trace while it plays. Who wants less motion gets from moment to
 * moment.
 * @param {() => Trace} trace @param {() => void} changed
 */
function make_clock(trace, changed) {
  let time = 0, handle = 0, last = 0;
  /** @type {keyof typeof seconds_at_speed} */
  let speed = "slow";
  let is_playing = false, is_calm = false;
  const clock = {
    time: () => time, is_playing: () => is_playing,
    set_speed: (/** @type {string} */ one) => { speed = /** @type {any} */ (one); },
    go_to: (/** @type {number} */ to) => {
      const {from, until} = trace();
      time = Math.max(from, Math.min(until, to));
      if (time >= until) clock.pause();
      changed();
    },
    play: () => {
      if (time >= trace().until) time = trace().from;
      is_calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
      is_playing = true;
      last = performance.now();
      changed();
      next();
    },
    pause: () => {
      is_playing = false;
      if (is_calm) clearTimeout(handle);
      else cancelAnimationFrame(handle);
    },
  };
  const next = () => { handle = is_calm ? Number(setTimeout(tick, 900)) : requestAnimationFrame(tick); };
  const tick = () => {
    const now = performance.now(), {from, until} = trace();
    const to = is_calm ? moment_beside(moments_of(trace()), time, 1)
      : time + ((until - from) * (now - last)) / 1000 / seconds_at_speed[speed];
    last = now;
    clock.go_to(to);
    if (is_playing) next();
  };
  return clock;
}

/**
 * @param {HTMLElement} parent
 * @param {{id: string, trace: () => Trace, changed: (time: number, message: number | null) => void}} chart
 */
export function message_animation(parent, chart) {
  /** @type {number | null} */
  let chosen = null;
  /** @type {Paint} */
  let paint = () => {};
  const clock = make_clock(chart.trace, show);
  const step = (/** @type {1 | -1} */ direction) => () => {
    clock.pause();
    clock.go_to(moment_beside(moments_of(chart.trace()), clock.time(), direction));
  };
  const play = element("button", {type: "button", class: "play", onclick: () => {
    if (clock.is_playing()) { clock.pause(); show(); } else clock.play();
  }}, "Play");
  const range = /** @type {HTMLInputElement} */ (element("input", {type: "range", min: 0, max: 1000, step: 1, class: "moment",
    "aria-label": "time", oninput: () => {
      const {from, until} = chart.trace();
      clock.pause();
      clock.go_to(from + ((until - from) * Number(range.value)) / 1000);
    }}));
  const shown_time = element("output", {class: "moment-time"}), words = element("p", {class: "moment-words"});
  const frame = figure(parent, {
    id: chart.id, title: "Messages on their way",
    note: "A message leaves with its first bit and is there with its last: how long it is drawn is how much of it is on the way. " +
      "Stop it, or go from one moment to the next; click a message to follow it.",
    controls: [play, element("button", {type: "button", class: "back", onclick: step(-1)}, "Back"),
      element("button", {type: "button", class: "step", onclick: step(1)}, "Step"), range, shown_time,
      choice("speed", [["slow", "slow"], ["medium", "medium"], ["fast", "fast"]], "slow", clock.set_speed)],
    draw: (svg, width) => { paint = draw_ground(svg, width, chart.trace(), choose); show(); },
    columns: () => trace_columns(chart.trace()),
  });
  play_when_seen(frame.root, () => clock.play());
  const carries = element("span", {class: "entry"});
  const say_carries = () => {
    const word = chart.trace().carries;
    carries.textContent = word ? `messages have the colour and the number of their ${word}` : "";
  };
  say_carries();
  frame.legend.append(...activity_legend(), carries);
  frame.legend.after(words);

  /** @param {number} message */
  function choose(message) {
    chosen = message;
    clock.pause();
    const {start, end} = chart.trace().messages;
    // Where it is under way already, it stays where it is.
    clock.go_to(start[message] <= clock.time() && clock.time() < end[message] ? clock.time() : start[message]);
  }

  function show() {
    const trace = chart.trace(), time = clock.time();
    if (chosen !== null && chosen >= trace.messages.from.length) chosen = null;
    play.textContent = clock.is_playing() ? "Pause" : "Play";
    range.value = String(Math.round((1000 * (time - trace.from)) / (trace.until - trace.from || 1)));
    const shown = moment_format(trace.from, trace.until)(time);
    range.setAttribute("aria-valuetext", shown);
    shown_time.textContent = shown;
    if (!clock.is_playing()) {
      const followed = chosen === null ? "" : `${message_words(trace, chosen)}. `;
      words.textContent = followed + (moment_words(trace, time) || "No message starts or arrives at this moment.");
    }
    paint(time, chosen);
    chart.changed(time, chosen);
  }
  return {
    root: frame.root, choose,
    /** The trace is another one: from its beginning. */
    redraw: () => {
      chosen = null;
      say_carries();
      // What is drawn is of the old trace's ranks.
      paint = () => {};
      clock.pause();
      clock.go_to(chart.trace().from);
      frame.redraw();
    },
  };
}

/**
 * Once, when whoever scrolls arrives; not for who wants less motion, nor for who was there before.
 * @param {HTMLElement} root @param {() => void} play
 */
function play_when_seen(root, play) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const seen = new IntersectionObserver((entries) => {
    if (!entries.some(({isIntersecting}) => isIntersecting)) return;
    seen.disconnect();
    play();
  }, {threshold: 0.7});
  seen.observe(root);
  for (const event of ["pointerdown", "click", "keydown", "input"]) root.addEventListener(event, () => seen.disconnect(), {once: true, capture: true});
}

function activity_legend() {
  return Object.entries(activity_colors).map(([name, color]) => {
    const swatch = element("span", {class: "swatch"});
    swatch.style.background = color;
    return element("span", {class: "entry"}, swatch, name);
  });
}

/** @typedef {(time: number, chosen: number | null) => void} Paint */

/**
 * Edges and ranks, which stay; what is then drawn for a moment.
 * @param {SVGSVGElement} svg @param {number} width @param {Trace} trace @param {(message: number) => void} choose
 * @returns {Paint}
 */
function draw_ground(svg, width, trace, choose) {
  const side = Math.min(width, 420), ranks = trace.workers + trace.servers;
  set_size(svg, width, side);
  const root = d3.select(svg).append("g").attr("transform", `translate(${(width - side) / 2},0)`);
  const nodes = Array.from({length: ranks}, (_, rank) => ({name: rank_name(trace, rank), server: rank >= trace.workers}));
  const {spots, radius} = graph_spots(nodes, side);
  const way_of = (/** @type {number} */ from, /** @type {number} */ to) => edge_way(spots[from], spots[to], radius, true);
  for (const {from, to} of traffic_of(trace)) {
    const way = way_of(from, to);
    root.append("path").attr("class", "ground").attr("d", `M${way.from.x},${way.from.y}Q${way.middle.x},${way.middle.y} ${way.to.x},${way.to.y}`);
  }
  const moving = root.append("g");
  const circles = nodes.map(({name, server}, rank) => {
    const {x, y} = spots[rank];
    const circle = root.append("circle").attr("class", "rank").attr("cx", x).attr("cy", y).attr("r", radius);
    circle.append("title").text(name);
    if (radius >= 9) root.append("text").attr("x", x).attr("y", y + 4).attr("text-anchor", "middle").text(server ? `S${rank - trace.workers}` : rank);
    return circle;
  });
  const color = (/** @type {any} */ one) => message_color(trace, one.message, color_of(one.from));
  const place = (/** @type {any} */ one) => {
    const {x, y} = spot_on(way_of(one.from, one.to), one.head);
    return `translate(${x},${y})`;
  };
  return (time, chosen) => {
    circles.forEach((circle, rank) => {
      const activity = activity_at(trace, rank, time);
      circle.attr("fill", activity === "" ? "var(--panel)" : activity_colors[activity]).attr("fill-opacity", activity === "" ? 1 : 0.45);
    });
    const drawn = moving.selectAll("g.moving").data(messages_under_way(trace, time), (/** @type {any} */ one) => one.message);
    drawn.exit().remove();
    const entered = drawn.enter().append("g").attr("class", "moving")
      .on("click", (/** @type {any} */ one) => choose(one.message));
    entered.append("title").text((/** @type {any} */ one) => message_words(trace, one.message));
    entered.append("path").attr("fill", "none").attr("stroke-linecap", "round");
    entered.append("circle").attr("r", 5);
    entered.append("text").attr("class", "carried").attr("dx", 10).attr("dy", -6)
      .text((/** @type {any} */ one) => trace.messages.carried?.[one.message] ?? "");
    const all = entered.merge(drawn).classed("chosen", (/** @type {any} */ one) => one.message === chosen);
    all.select("path").attr("stroke", color)
      .attr("d", (/** @type {any} */ one) => part_of_way(way_of(one.from, one.to), one.tail, one.head));
    all.select("circle").attr("fill", color).attr("transform", place);
    all.select("text").attr("fill", color).attr("transform", place);
  };
}

/** @param {ReturnType<typeof edge_way>} way @param {number} from @param {number} to shares of it */
function part_of_way(way, from, to) {
  const points = Array.from({length: 9}, (_, at) => spot_on(way, from + ((to - from) * at) / 8));
  return `M${points.map(({x, y}) => `${x},${y}`).join("L")}`;
}
