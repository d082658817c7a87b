// What the page finds as a global: d3, as the distribution has it (NODE_PATH where that is elsewhere).

import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

function find_d3() {
  try {
    return require("d3");
  } catch {
    return require("/usr/share/nodejs/d3/dist/d3.js");
  }
}

globalThis.d3 = find_d3();
