// Horizontal bars, each a row of parts put end to end.

import { draw_x_axis, letter_width, ticks_beside } from "./axes.js";
import { draw_legend, figure, set_size } from "./figure.js";
import { significant } from "./format.js";

/**
 * @typedef {object} BarChart
 * @property {string} id
 * @property {string} title
 * @property {string} [note]
 * @property {HTMLElement[]} [controls]
 * @property {string} heading of the rows' names, in the data
 * @property {{name: string, color: string}[]} parts
 * @property {() => {name: string, values: (number | null)[], color?: string}[]} rows a value for each part; color: in place of the part's
 * @property {() => string} label of the axis
 * @property {() => import("./format.js").Format} [format]
 * @property {string} [missing] what a row says that has no value
 */

/**
 * A name, or as much of it as there is room for.
 * @param {string} name @param {number} wide in pixels
 */
export function fitting(name, wide) {
  const room = Math.max(4, Math.floor(wide / letter_width));
  return name.length > room ? `${name.slice(0, room - 1)}…` : name;
}

const bar = 18, gap = 8, top = 8, bottom = 40;

/** @param {HTMLElement} parent @param {BarChart} chart */
export function bar_chart(parent, chart) {
  /** @type {Set<string>} */
  const hidden = new Set();
  const frame = figure(parent, {
    id: chart.id, title: chart.title, note: chart.note, controls: chart.controls,
    draw: (svg, width) => draw(svg, width),
    columns: () => {
      const rows = chart.rows();
      return [{heading: chart.heading, values: rows.map(({name}) => name)},
        ...chart.parts.map((part, at) => ({heading: `${part.name}`, values: rows.map(({values}) => values[at])}))];
    },
  });

  /** @param {SVGSVGElement} svg @param {number} width */
  function draw(svg, width) {
    if (chart.parts.length > 1) draw_legend(frame.legend, chart.parts, hidden, frame.redraw);
    const rows = chart.rows();
    const longest = Math.max(4, ...rows.map(({name}) => name.length));
    // Names too long for the width stand above their bars.
    const above = longest * 7 + 12 > width * 0.4;
    const left = above ? 4 : longest * 7 + 12;
    const high = bar + gap + (above ? 16 : 0), end = top + rows.length * high;
    set_size(svg, width, end + bottom);
    const parts = chart.parts.map((part, index) => ({...part, index})).filter(({name}) => !hidden.has(name));
    const format = chart.format?.() ?? significant;
    const total = (/** @type {(number | null)[]} */ values) => d3.sum(parts, (/** @type {any} */ part) => values[part.index] ?? 0);
    const totals = rows.map((row) => total(row.values));
    const room = Math.max(65, ...totals.map((value) => letter_width * format(value).length)) + 5;
    const x = d3.scaleLinear().domain([0, d3.max(totals) || 1]).range([left, width - room]);
    const root = d3.select(svg);
    draw_x_axis(root, x, {ticks: ticks_beside(x, Math.max(2, Math.floor((width - left) / 110)), false, format), y: end, width});
    root.append("text").attr("class", "axis-label").attr("x", width - 4).attr("text-anchor", "end")
      .attr("y", end + 34).text(chart.label());
    rows.forEach((row, at) => {
      const y = top + at * high + high - bar - gap;
      const group = root.append("g").attr("class", "row").attr("data-row", row.name);
      group.append("text").attr("class", "row-name").attr("x", above ? left : left - 6).attr("y", above ? y - 4 : y + bar * 0.75)
        .attr("text-anchor", above ? "start" : "end").text(fitting(row.name, width - left)).append("title").text(row.name);
      let from = 0;
      const known = parts.filter(({index}) => row.values[index] !== null);
      for (const part of known) {
        const value = Number(row.values[part.index]);
        group.append("rect").datum(value).attr("class", "mark").attr("data-part", part.name)
          .attr("x", x(from)).attr("y", y).attr("width", Math.max(0, x(from + value) - x(from))).attr("height", bar)
          .attr("fill", row.color ?? part.color).append("title").text(`${row.name}, ${part.name}: ${format(value)}`);
        from += value;
      }
      group.append("text").attr("class", "row-total").attr("x", x(from) + 5).attr("y", y + bar * 0.75)
        .text(known.length > 0 ? format(from) : row.values.every((value) => value === null) ? chart.missing ?? "–" : "");
    });
  }
  return frame;
}
