// One row a thing, one dot a value, on an axis that may be logarithmic: for values that bars, which
// begin at zero, cannot show side by side.

import { draw_x_axis, scale_over, ticks_beside } from "./axes.js";
import { toggle } from "./element.js";
import { draw_legend, figure, set_size } from "./figure.js";
import { counted } from "./format.js";

/** @typedef {{name: string, values: (number | null)[], words?: string}} DotRow words: in place of what is not a number */

/**
 * @typedef {object} DotChart
 * @property {string} id
 * @property {string} title
 * @property {string} [note]
 * @property {HTMLElement[]} [controls]
 * @property {string} heading of the rows' names, in the data
 * @property {{name: string, color: string}[]} parts
 * @property {() => DotRow[]} rows a value for each part
 * @property {() => string} label of the axis
 * @property {import("./format.js").Format} format
 * @property {boolean} [log] at first
 * @property {boolean} [stems] lines from the left edge to the dots: "up to here"
 * @property {() => {x: number, label: string} | null} [level] a vertical line
 * @property {number[]} [include] values that the axis reaches in any case
 */

const row_height = 24;

/**
 * Dots on one spot stay apart for the eye: the first is a ring, the second filled, others diamonds.
 * @param {any} group @param {number} index @param {string} color @param {number} x @param {number} y
 */
function draw_dot(group, index, color, x, y) {
  if (index > 1) {
    return group.append("path").attr("d", `M${x - 4},${y}L${x},${y - 4}L${x + 4},${y}L${x},${y + 4}Z`).attr("fill", color);
  }
  const dot = group.append("circle").attr("cx", x).attr("cy", y).attr("r", index === 0 ? 6 : 3.5);
  return index === 0 ? dot.attr("fill", "none").attr("stroke", color).attr("stroke-width", 2) : dot.attr("fill", color);
}

/** @param {HTMLElement} parent @param {DotChart} chart */
export function dot_chart(parent, chart) {
  /** @type {Set<string>} */
  const hidden = new Set();
  let log = chart.log ?? false;
  const frame = figure(parent, {
    id: chart.id, title: chart.title, note: chart.note,
    controls: [...(chart.controls ?? []), toggle("log x", log, (on) => { log = on; frame.redraw(); })],
    draw: (svg, width) => draw(svg, width),
    columns: () => {
      const rows = chart.rows();
      const words = rows.some((row) => row.words !== undefined)
        ? [{heading: "in words", values: rows.map((row) => row.words ?? null)}] : [];
      return [{heading: chart.heading, values: rows.map(({name}) => name)},
        ...chart.parts.map((part, at) => ({heading: part.name, values: rows.map(({values}) => values[at])})), ...words];
    },
  });

  /** @param {SVGSVGElement} svg @param {number} width */
  function draw(svg, width) {
    if (chart.parts.length > 1) draw_legend(frame.legend, chart.parts, hidden, frame.redraw);
    const rows = chart.rows();
    const level = chart.level?.() ?? null;
    const longest = Math.max(4, ...rows.map(({name}) => name.length)) * 7 + 12;
    // Names too long for the width stand above their row.
    const above = longest > width * 0.4;
    const left = above ? 10 : longest, high = above ? row_height + 14 : row_height;
    const head = level ? 28 : 10, end = head + rows.length * high;
    set_size(svg, width, end + 40);
    const shown = (/** @type {DotRow} */ row) => row.values.map((value, index) => ({value, index})).filter(({value, index}) =>
      value !== null && !hidden.has(chart.parts[index].name) && !(log && value <= 0));
    const values = rows.flatMap((row) => shown(row).map(({value}) => Number(value))).concat(level ? [level.x] : [], chart.include ?? []);
    const words = (/** @type {DotRow} */ row) => {
      const dots = shown(row);
      return row.words ?? (dots.length === 1 ? chart.format(Number(dots[0].value)) : "");
    };
    const room = Math.max(8, ...rows.map((row) => words(row).length * 6.7)) + 14;
    const x = scale_over(values, [left + 12, width - room], log);
    const root = d3.select(svg);
    draw_ticks(root, x, end, width);
    if (level) draw_vertical(root, x(level.x), head, end, level.label, width);
    rows.forEach((row, at) => {
      const y = head + at * high + high - row_height / 2;
      const group = root.append("g").attr("class", "row").attr("data-row", row.name);
      group.append("text").attr("class", "row-name").attr("x", above ? 4 : left - 6).attr("y", above ? y - 13 : y + 4)
        .attr("text-anchor", above ? "start" : "end").text(row.name);
      const dots = shown(row);
      for (const {value, index} of dots) draw_value(group, row, Number(value), index, x, y, left);
      const last = d3.max(dots, (/** @type {any} */ dot) => x(dot.value)) ?? left;
      group.append("text").attr("class", "row-total").attr("x", last + 10).attr("y", y + 4).text(words(row));
    });
    frame.say(`${chart.title}: ${counted(rows.length, "row")}; the table has the numbers.`);
  }

  /** @param {any} group @param {DotRow} row @param {number} value @param {number} index @param {any} x @param {number} y @param {number} left */
  function draw_value(group, row, value, index, x, y, left) {
    const {name, color} = chart.parts[index];
    if (chart.stems) {
      group.append("line").attr("class", "stem").attr("stroke", color).attr("stroke-width", 3)
        .attr("x1", left).attr("x2", x(value)).attr("y1", y).attr("y2", y);
    }
    draw_dot(group, chart.parts.length === 1 ? 1 : index, color, x(value), y).attr("class", "mark").attr("data-part", name)
      .append("title").text(`${row.name}, ${name}: ${chart.format(value)}`);
  }

  /** @param {any} root @param {any} x @param {number} end @param {number} width */
  function draw_ticks(root, x, end, width) {
    draw_x_axis(root, x, {ticks: ticks_beside(x, Math.max(2, Math.floor((x.range()[1] - x.range()[0]) / 90)), log, chart.format), y: end, width});
    root.append("text").attr("class", "axis-label").attr("x", width - 4).attr("text-anchor", "end").attr("y", end + 34).text(chart.label());
  }
  return frame;
}

/** @param {any} root @param {number} x @param {number} from @param {number} to @param {string} label @param {number} width */
function draw_vertical(root, x, from, to, label, width) {
  root.append("line").attr("class", "level").attr("x1", x).attr("x2", x).attr("y1", from - 8).attr("y2", to);
  root.append("text").attr("class", "level-label").attr("x", x).attr("y", from - 12)
    .attr("text-anchor", x > width * 0.7 ? "end" : x < width * 0.3 ? "start" : "middle").text(label);
}
