// Counts of whole numbers as bars: a strip for each series, over one axis, so that two are compared by
// where they stand.

import { draw_x_axis, ticks_beside } from "./axes.js";
import { figure, set_size } from "./figure.js";
import { percent, significant } from "./format.js";
import { color_of } from "./palette.js";

/** @typedef {{name: string, values: number[], counts: number[]}} Counted values: whole, from small to large */
/** @typedef {{from: number, count: number, share: number}} Bin share: of all counts of its series */

/**
 * So many whole numbers a bin that no more than so many bins are needed: 1, 2, 5, 10, 20, …
 * @param {number} largest @param {number} most
 */
export function bin_width(largest, most) {
  for (let power = 1; ; power *= 10) {
    const wide = [1, 2, 5].find((digit) => (largest + 1) / (digit * power) <= most);
    if (wide !== undefined) return wide * power;
  }
}

/** @param {Counted} series @param {number} wide @returns {Bin[]} those that are not empty */
export function bins_of({values, counts}, wide) {
  const total = counts.reduce((sum, count) => sum + count, 0);
  /** @type {Map<number, number>} */
  const bins = new Map();
  values.forEach((value, at) => {
    const from = Math.floor(value / wide) * wide;
    bins.set(from, (bins.get(from) ?? 0) + counts[at]);
  });
  return [...bins].filter(([, count]) => count > 0).sort(([a], [b]) => a - b).map(([from, count]) => ({from, count, share: count / total}));
}

const strip = 84, strip_bar = 56;

/**
 * @param {HTMLElement} parent
 * @param {{id: string, title: string, note?: string, label: string, counted: string, series: () => Counted[]}} chart counted: what of
 */
export function histogram(parent, chart) {
  return figure(parent, {
    id: chart.id, title: chart.title, note: chart.note,
    draw: (svg, width, frame) => {
      const all = chart.series(), end = 6 + all.length * strip;
      const largest = Math.max(0, ...all.flatMap(({values}) => values));
      set_size(svg, width, end + 40);
      const wide = bin_width(largest, Math.min(60, Math.floor(width / 12)));
      // A bar of one number stands on it, one of several from the first of them on.
      const lead = wide === 1 ? 0.5 : 0;
      const x = d3.scaleLinear().domain([-lead, (Math.floor(largest / wide) + 1) * wide - lead]).range([10, width - 60]);
      const root = d3.select(svg);
      draw_x_axis(root, x, {ticks: ticks_beside(x, Math.max(2, Math.floor(width / 90)), false, significant), y: end, width});
      root.append("text").attr("class", "axis-label").attr("x", width - 4).attr("text-anchor", "end").attr("y", end + 34).text(chart.label);
      all.forEach((series, at) => draw_strip(root, series, x, wide, {y: 6 + (at + 1) * strip, color: color_of(at), counted: chart.counted}));
      frame.say(`${chart.title}: ${all.map(({name}) => name).join(", ")}; the table has the numbers.`);
    },
    columns: () => {
      const rows = chart.series().flatMap(({name, values, counts}) => values.map((value, at) => ({name, value, count: counts[at]})));
      return [{heading: "series", values: rows.map(({name}) => name)}, {heading: chart.label, values: rows.map(({value}) => value)},
        {heading: chart.counted, values: rows.map(({count}) => count)}];
    },
  });
}

/** @param {any} root @param {Counted} series @param {any} x @param {number} wide @param {{y: number, color: string, counted: string}} at y: of its floor */
function draw_strip(root, series, x, wide, {y, color, counted}) {
  const bins = bins_of(series, wide);
  const tallest = Math.max(0, ...bins.map(({share}) => share));
  const group = root.append("g").attr("class", "series strip").attr("data-series", series.name);
  group.append("line").attr("class", "floor").attr("x1", x.range()[0]).attr("x2", x.range()[1]).attr("y1", y).attr("y2", y);
  const step = x(wide) - x(0), left = (/** @type {number} */ from) => x(from) - (wide === 1 ? step / 2 : 0);
  for (const {from, count, share} of bins) {
    const high = (strip_bar * share) / tallest;
    const where = wide === 1 ? String(from) : `${from} to ${from + wide - 1}`;
    group.append("rect").datum({x: from, y: count}).attr("class", "mark").attr("x", left(from) + 0.5).attr("width", Math.max(1, step - 1))
      .attr("y", y - high).attr("height", high).attr("fill", color).append("title")
      .text(`${series.name}, ${where}: ${count} ${counted}, ${percent(share)}`);
  }
  const top = bins.find(({share}) => share === tallest);
  // The name where the tallest bar, which has its share above it, is not.
  const [first, last] = x.range(), is_right = top !== undefined && x(top.from) > (first + last) / 2;
  group.append("text").attr("class", "row-name").attr("x", is_right ? first : last).attr("y", y - strip_bar - 8)
    .attr("text-anchor", is_right ? "start" : "end").text(series.name);
  if (top) {
    group.append("text").attr("class", "row-total").attr("x", left(top.from) + step / 2).attr("y", y - strip_bar - 5)
      .attr("text-anchor", x(top.from) < 30 ? "start" : "middle").text(percent(tallest));
  }
}
