// Who sends to whom: ranks on a circle, servers in its middle, an edge for what goes between two,
// as wide as it weighs.

import { figure, set_size } from "./figure.js";
import { counted } from "./format.js";

/** @typedef {{name: string, title?: string, server?: boolean}} GraphNode title: more in words, like "keeps 0.5" */
/** @typedef {{from: number, to: number, weight: number, title: string}} GraphEdge by places of nodes */
/** @typedef {{x: number, y: number}} Spot */

/**
 * @typedef {object} GraphChart
 * @property {string} id
 * @property {string} title
 * @property {string} [note]
 * @property {HTMLElement[]} [controls]
 * @property {GraphNode[]} nodes
 * @property {() => GraphEdge[]} edges
 * @property {() => boolean} [directed] yes, where it is left out; else each pair of nodes comes once
 * @property {string} [weight_name] heading of the weights in the data
 */

const most_edges_drawn = 4000;

/**
 * Places within a square of that side.
 * @param {GraphNode[]} nodes
 * @param {number} side
 * @returns {{spots: Spot[], radius: number}} radius: of a node
 */
export function graph_spots(nodes, side) {
  const workers = nodes.filter(({server}) => !server).length, servers = nodes.length - workers;
  const outer = side / 2 - 26;
  const inner = servers > 1 ? outer * 0.3 : 0;
  const gap_of = (/** @type {number} */ radius, /** @type {number} */ count) => (2 * Math.PI * radius) / Math.max(1, count);
  const tightest = Math.min(gap_of(outer, workers), servers > 1 ? gap_of(inner, servers) : Infinity);
  const radius = Math.max(2, Math.min(14, tightest * 0.36));
  let worker = 0, server = 0;
  const spots = nodes.map((node) => {
    const turn = node.server ? server++ / servers : worker++ / workers;
    const reach = node.server ? inner : outer;
    // The first one is at the top, the others clockwise.
    return {x: side / 2 + reach * Math.sin(2 * Math.PI * turn), y: side / 2 - reach * Math.cos(2 * Math.PI * turn)};
  });
  return {spots, radius};
}

/**
 * The way of an edge, from rim to rim; a directed one is bent to its right, so that the way back is
 * another.
 * @param {Spot} from @param {Spot} to @param {number} radius of the nodes @param {boolean} directed
 */
export function edge_way(from, to, radius, directed) {
  const dx = to.x - from.x, dy = to.y - from.y;
  const distance = Math.hypot(dx, dy) || 1;
  const bend = directed ? 0.14 : 0;
  const middle = {x: (from.x + to.x) / 2 - bend * dy, y: (from.y + to.y) / 2 + bend * dx};
  const towards = (/** @type {Spot} */ end, /** @type {number} */ by) => {
    const length = Math.hypot(middle.x - end.x, middle.y - end.y) || 1;
    const share = Math.min(by, distance * 0.4) / length;
    return {x: end.x + share * (middle.x - end.x), y: end.y + share * (middle.y - end.y)};
  };
  return {from: towards(from, radius + 1), middle, to: towards(to, radius + 2)};
}

/**
 * Where on a way something is that has gone this share of it.
 * @param {{from: Spot, middle: Spot, to: Spot}} way @param {number} share
 */
export function spot_on(way, share) {
  const rest = 1 - share;
  const mix = (/** @type {"x" | "y"} */ axis) =>
    rest * rest * way.from[axis] + 2 * rest * share * way.middle[axis] + share * share * way.to[axis];
  return {x: mix("x"), y: mix("y")};
}

/** @param {{from: Spot, middle: Spot, to: Spot}} way @param {number} size */
function head_path(way, size) {
  const angle = Math.atan2(way.to.y - way.middle.y, way.to.x - way.middle.x);
  const corner = (/** @type {number} */ turn) =>
    `${way.to.x - size * Math.cos(angle + turn)},${way.to.y - size * Math.sin(angle + turn)}`;
  return `M${way.to.x},${way.to.y}L${corner(0.45)}L${corner(-0.45)}Z`;
}

/** @param {HTMLElement} parent @param {GraphChart} chart */
export function graph_chart(parent, chart) {
  const is_directed = () => chart.directed?.() ?? true;
  const frame = figure(parent, {
    id: chart.id, title: chart.title, note: chart.note, controls: chart.controls,
    draw: (svg, width) => draw(svg, width),
    columns: () => {
      const edges = chart.edges();
      const name = (/** @type {number} */ at) => chart.nodes[at].name;
      const between = is_directed() ? ["from", "to"] : ["one", "other"];
      return [{heading: between[0], values: edges.map(({from}) => name(from))},
        {heading: between[1], values: edges.map(({to}) => name(to))},
        {heading: chart.weight_name ?? "weight", values: edges.map(({weight}) => weight)},
        {heading: "in words", values: edges.map(({title}) => title)}];
    },
  });

  /** @param {SVGSVGElement} svg @param {number} width */
  function draw(svg, width) {
    const edges = chart.edges();
    const side = Math.min(width, 480);
    set_size(svg, width, side);
    const root = d3.select(svg).append("g").attr("transform", `translate(${(width - side) / 2},0)`);
    const {spots, radius} = graph_spots(chart.nodes, side);
    if (edges.length > most_edges_drawn) {
      root.append("text").attr("x", side / 2).attr("y", side / 2).attr("text-anchor", "middle")
        .text(`${edges.length} edges are too many to tell apart; the data has them.`);
    } else {
      draw_edges(root, edges, spots, radius);
    }
    draw_nodes(root, spots, radius, side);
    frame.say(`${chart.title}: ${counted(chart.nodes.length, "node")}, ${counted(edges.length, "edge")}; the table has them.`);
  }

  /** @param {any} root @param {GraphEdge[]} edges @param {Spot[]} spots @param {number} radius */
  function draw_edges(root, edges, spots, radius) {
    const heaviest = Math.max(...edges.map(({weight}) => Math.abs(weight)), Number.MIN_VALUE);
    const directed = is_directed();
    for (const {from, to, weight, title} of edges) {
      const thickness = 0.6 + (radius > 6 ? 3 : 1.4) * (Math.abs(weight) / heaviest);
      const way = edge_way(spots[from], spots[to], radius, directed);
      const d = `M${way.from.x},${way.from.y}Q${way.middle.x},${way.middle.y} ${way.to.x},${way.to.y}`;
      const group = root.append("g").attr("class", "mark edge").attr("data-from", from).attr("data-to", to);
      group.append("title").text(`${chart.nodes[from].name} ${directed ? "to" : "and"} ${chart.nodes[to].name}: ${title}`);
      // Wide and unseen: a thin line is hard to point at.
      group.append("path").attr("d", d).attr("fill", "none").attr("stroke", "transparent").attr("stroke-width", 10);
      group.append("path").attr("class", "way").attr("d", d).attr("fill", "none").attr("stroke", "var(--series-0)").attr("stroke-width", thickness);
      if (directed) group.append("path").attr("class", "head").attr("d", head_path(way, 5 + 1.5 * thickness)).attr("fill", "var(--series-0)");
    }
  }

  /** @param {any} root @param {Spot[]} spots @param {number} radius @param {number} side */
  function draw_nodes(root, spots, radius, side) {
    const workers = chart.nodes.filter(({server}) => !server).length;
    const every = Math.max(1, Math.ceil(18 / ((2 * Math.PI * (side / 2 - 12)) / Math.max(1, workers))));
    chart.nodes.forEach((node, at) => {
      const {x, y} = spots[at];
      const group = root.append("g").attr("class", "node").attr("data-node", at);
      group.append("title").text(node.title ? `${node.name}: ${node.title}` : node.name);
      group.append("circle").attr("cx", x).attr("cy", y).attr("r", radius).attr("fill", "var(--panel)")
        .attr("stroke", node.server ? "var(--series-1)" : "var(--ink)").attr("stroke-width", radius > 4 ? 2 : 1);
      const short = /\d+$/.exec(node.name)?.[0] ?? node.name;
      const label = group.append("text").attr("text-anchor", "middle");
      if (radius >= 11) label.attr("x", x).attr("y", y + 4).text(node.server ? `S${short}` : short);
      else if (!node.server && at % every === 0) {
        const away = (side / 2 - 10) / Math.max(1, Math.hypot(x - side / 2, y - side / 2));
        label.attr("x", side / 2 + (x - side / 2) * away).attr("y", side / 2 + (y - side / 2) * away + 4).text(short);
      }
    });
  }
  return frame;
}
