// Colours that people with any colour vision tell apart (Okabe and Ito, "Color Universal Design",
// 2008), and for more series than colours also dashes. The colours themselves are in
// page.css, once for a light and once for a dark page.

const colors = 7;
const dashes = ["", "7 3", "2 3", "9 3 2 3", "4 2"];

/** @param {number} index of a series @returns {string} */
export function color_of(index) {
  return `var(--series-${index % colors})`;
}

/** @param {number} index of a series; as `stroke-dasharray` */
export function dash_of(index) {
  return dashes[Math.floor(index / colors) % dashes.length];
}

export const activity_colors = {
  compute: "var(--compute)",
  transfer: "var(--transfer)",
  wait: "var(--wait)",
};
