// A grid of cells: the colour says who, its strength how much, and words stand where they have room.
// The arrow keys go from cell to cell, Enter is a click.

import { letter_width } from "./axes.js";
import { element } from "./element.js";
import { figure, set_size } from "./figure.js";
import { counted } from "./format.js";

/**
 * What is in a cell.
 * @typedef {object} HeatCell
 * @property {string} text short; where there is room for one line only, its first
 * @property {string} name all of it in words
 * @property {string} color
 * @property {number} strength 0 to 1
 */

/**
 * @typedef {object} HeatMap
 * @property {string} id
 * @property {string} title
 * @property {string} [note]
 * @property {HTMLElement[]} [controls]
 * @property {string[]} columns
 * @property {string[]} rows
 * @property {string} column_label what the columns are values of
 * @property {string} row_label
 * @property {(row: number, column: number) => HeatCell | null} cell null: nothing is drawn
 * @property {(row: number, column: number) => void} [clicked]
 * @property {{row: number, column: number}} [selected] at first, of cells that can be clicked
 * @property {boolean} [square] cells as high as wide
 * @property {boolean} [names] columns and rows are names, of which each is written, shortened where it is long
 * @property {HTMLElement[]} [legend]
 * @property {() => import("./save.js").Column[]} data behind the cells
 */

/** @typedef {{row: number, column: number}} Place */

const line_height = 14;
const least_name = 4;  // letters of a name that are worth writing

/**
 * The cell that an arrow key leads to: the next one in that direction with something in it.
 * @param {string} key
 * @param {Place} from
 * @param {(row: number, column: number) => boolean} is_there
 * @param {number} rows @param {number} columns
 * @returns {Place | null} null for other keys, and where there is none
 */
export function cell_after(key, from, is_there, rows, columns) {
  /** @type {Record<string, [number, number]>} */
  const steps = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]};
  const inside = (/** @type {number} */ row, /** @type {number} */ column) => row >= 0 && row < rows && column >= 0 && column < columns;
  if (key === "Home" || key === "End") {
    const order = Array.from({length: columns}, (_, at) => (key === "Home" ? at : columns - 1 - at));
    const column = order.find((at) => is_there(from.row, at));
    return column === undefined ? null : {row: from.row, column};
  }
  if (!(key in steps)) return null;
  const [down, right] = steps[key];
  let row = from.row + down, column = from.column + right;
  while (inside(row, column) && !is_there(row, column)) { row += down; column += right; }
  return inside(row, column) ? {row, column} : null;
}

/**
 * Of those lines, the ones that fit.
 * @param {string} text @param {number} width @param {number} height
 */
export function lines_that_fit(text, width, height) {
  const lines = text.split("\n");
  const fits = (/** @type {string[]} */ some) => some.length * line_height <= height &&
    some.every((line) => line.length * letter_width + 4 <= width);
  return [lines, lines.slice(0, 1)].find(fits) ?? [];
}

/** @param {HeatMap} map @param {number} width */
function heat_layout(map, width) {
  const longest = Math.max(map.row_label.length + 2, ...map.rows.map((row) => row.length));
  const left = Math.min(width * 0.35, longest * letter_width + 12);
  const wide = Math.max(2, Math.min((width - left - 2) / map.columns.length, map.square ? 44 : 110));
  const high = map.square ? wide : Math.max(30, Math.min(44, wide * 0.45));
  const column_text = Math.max(...map.columns.map((column) => column.length)) * letter_width + 8;
  const every = map.names && wide >= least_name * letter_width ? 1 : Math.ceil(column_text / wide);
  return {left, head: 42, wide, high, every, every_row: Math.ceil(line_height / high)};
}

/**
 * @param {HeatMap} map
 * @returns {Place | null} of the first cell with something in it
 */
function first_place(map) {
  for (let row = 0; row < map.rows.length; ++row) {
    const column = map.columns.findIndex((_, at) => map.cell(row, at) !== null);
    if (column >= 0) return {row, column};
  }
  return null;
}

/**
 * As much of a name as there is room for.
 * @param {string} name @param {number} width
 */
export function name_that_fits(name, width) {
  const letters = Math.max(1, Math.floor(width / letter_width));
  return name.length <= letters ? name : `${name.slice(0, Math.max(1, letters - 1))}…`;
}

/** @param {SVGSVGElement} svg @param {HeatMap} map @param {ReturnType<typeof heat_layout>} layout */
function draw_headings(svg, map, {left, head, wide, high, every, every_row}) {
  const root = d3.select(svg);
  root.append("text").attr("class", "axis-label").attr("x", left).attr("y", 14).text(`${map.column_label} →`);
  root.append("text").attr("class", "axis-label").attr("x", 0).attr("y", head - 8).text(`${map.row_label} ↓`);
  const names = root.append("g").attr("class", "axis");
  map.columns.forEach((name, at) => {
    if (at % every !== 0) return;
    names.append("text").attr("x", left + (at + 0.5) * wide).attr("y", head - 8).attr("text-anchor", "middle")
      .text(map.names ? name_that_fits(name, wide - 4) : name).append("title").text(name);
  });
  map.rows.forEach((name, at) => {
    if (at % every_row !== 0) return;
    names.append("text").attr("x", left - 6).attr("y", head + (at + 0.5) * high + 4).attr("text-anchor", "end")
      .text(map.names ? name_that_fits(name, left - 10) : name).append("title").text(name);
  });
}

/** @param {any} parent_group @param {HeatCell} content @param {Place} at @param {ReturnType<typeof heat_layout>} layout */
function draw_heat_cell(parent_group, content, {row, column}, {wide, high}) {
  const group = parent_group.append("g").attr("role", "gridcell").attr("aria-label", content.name)
    .attr("data-row", row).attr("data-column", column).attr("transform", `translate(${column * wide},${row * high})`);
  group.append("title").text(content.name);
  group.append("rect").attr("class", "mark").attr("x", 0.5).attr("y", 0.5).attr("width", wide - 1).attr("height", high - 1)
    .attr("fill", content.color).attr("fill-opacity", 0.18 + 0.44 * Math.max(0, Math.min(1, content.strength)));
  const lines = lines_that_fit(content.text, wide, high);
  lines.forEach((line, at) => group.append("text").attr("x", wide / 2).attr("text-anchor", "middle")
    .attr("y", high / 2 + 4 + (at - (lines.length - 1) / 2) * line_height).text(line));
  return group;
}

/**
 * For those who come by keys; a pointer has the title.
 * @param {HTMLElement} tip @param {HTMLElement} root of the figure @param {SVGGElement} group @param {string} text
 */
function show_cell_tip(tip, root, group, text) {
  if (!group.matches(":focus-visible")) return;
  const place = group.getBoundingClientRect(), origin = root.getBoundingClientRect();
  tip.textContent = text;
  tip.hidden = false;
  tip.style.left = `${Math.max(0, Math.min(place.left - origin.left, root.clientWidth - 240))}px`;
  tip.style.top = `${place.bottom - origin.top + 4}px`;
}

/** @param {SVGSVGElement} svg @param {Place | null} at @returns {SVGGElement | null} */
function cell_group(svg, at) {
  return at && svg.querySelector(`[data-row="${at.row}"][data-column="${at.column}"]`);
}

/** @param {HTMLElement} parent @param {HeatMap} map */
export function heat_map(parent, map) {
  let active = map.selected ?? first_place(map);
  let selected = map.selected ?? null;
  const tip = element("output", {class: "tip unprinted", hidden: true});
  const frame = figure(parent, {
    id: map.id, title: map.title, note: map.note, controls: map.controls, columns: map.data,
    draw: (svg, width) => draw(svg, width),
  });
  frame.legend.append(...(map.legend ?? []));
  frame.root.append(tip);

  /** @param {SVGSVGElement} svg @param {number} width */
  function draw(svg, width) {
    const layout = heat_layout(map, width);
    set_size(svg, width, layout.head + map.rows.length * layout.high + 6);
    svg.setAttribute("role", "grid");
    draw_headings(svg, map, layout);
    const grid = d3.select(svg).append("g").attr("transform", `translate(${layout.left},${layout.head})`);
    map.rows.forEach((_, row) => {
      const group = grid.append("g").attr("role", "row");
      map.columns.forEach((_name, column) => draw_cell(group, svg, layout, {row, column}));
    });
    tip.hidden = true;
    mark(svg, selected, true);
    frame.say(`${map.title}: ${counted(map.rows.length, "row")}, ${counted(map.columns.length, "column")}`);
  }

  /** @param {any} row_group @param {SVGSVGElement} svg @param {ReturnType<typeof heat_layout>} layout @param {Place} at */
  function draw_cell(row_group, svg, layout, at) {
    const content = map.cell(at.row, at.column);
    if (content === null) return;
    const here = active?.row === at.row && active.column === at.column;
    const group = draw_heat_cell(row_group, content, at, layout);
    group.attr("class", "cell").attr("tabindex", here ? 0 : -1).style("cursor", map.clicked ? "pointer" : null)
      .on("click", () => choose(svg, at)).on("keydown", () => key_pressed(svg, at))
      .on("focus", () => show_cell_tip(tip, frame.root, group.node(), content.name)).on("blur", () => { tip.hidden = true; });
  }

  /** @param {SVGSVGElement} svg @param {Place | null} at @param {boolean} chosen */
  function mark(svg, at, chosen) {
    cell_group(svg, at)?.setAttribute("class", chosen ? "cell selected" : "cell");
    cell_group(svg, at)?.setAttribute("aria-selected", String(chosen));
  }

  /** @param {SVGSVGElement} svg @param {Place} to */
  function move_to(svg, to) {
    cell_group(svg, active)?.setAttribute("tabindex", "-1");
    active = to;
    cell_group(svg, to)?.setAttribute("tabindex", "0");
  }

  /** @param {SVGSVGElement} svg @param {Place} at */
  function key_pressed(svg, at) {
    const {key} = d3.event;
    const next = cell_after(key, at, (row, column) => map.cell(row, column) !== null, map.rows.length, map.columns.length);
    if (key === "Enter" || key === " ") choose(svg, at);
    else if (next === null) return;
    else {
      move_to(svg, next);
      cell_group(svg, next)?.focus();
    }
    d3.event.preventDefault();
  }

  /** @param {SVGSVGElement} svg @param {Place} at */
  function choose(svg, at) {
    if (!map.clicked) return;
    mark(svg, selected, false);
    selected = at;
    mark(svg, selected, true);
    move_to(svg, at);
    map.clicked(at.row, at.column);
  }
  return frame;
}
