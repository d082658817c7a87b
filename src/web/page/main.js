// What a document is drawn by.

import { advice_page } from "./advice_page.js";
import { comparison_page } from "./comparison_page.js";
import { element } from "./element.js";
import { free_page } from "./free_page.js";
import { lab_index_page } from "./lab_index_page.js";
import { lab_page } from "./lab_page.js";
import { consensus_page, topology_page } from "./topology_page.js";
import { map_page } from "./map_page.js";
import { timeline_page } from "./message_timeline.js";
import { netcheck_page } from "./netcheck_page.js";
import { notes_list } from "./notes.js";
import { break_even_page, prediction_page, sweep_page } from "./prediction_page.js";
import { published_page } from "./published_page.js";
import { score_page } from "./score_page.js";

/** @type {Record<string, (parent: HTMLElement, content: any) => void>} */
const pages = {
  "comparison": comparison_page,
  "map": map_page,
  "prediction": prediction_page,
  "sweep": sweep_page,
  "break-even": break_even_page,
  "advice": advice_page,
  "netcheck": netcheck_page,
  "topology": topology_page,
  "consensus": consensus_page,
  "timeline": timeline_page,
  "score": score_page,
  "published": published_page,
  "lab": lab_page,
  "labs": lab_index_page,
  "free": free_page,
};

const source = /** @type {HTMLElement} */ (document.getElementById("document"));
const main = /** @type {HTMLElement} */ (document.getElementById("page"));
const content = JSON.parse(source.textContent ?? "");
pages[source.dataset.kind ?? ""](main, content);
// Those that are about runs have theirs beside the answer.
if (main.querySelector(".notes") === null) main.append(...notes_list(content.notes));
main.append(element("footer", {}, "Drawn by Trainyard from the figures that the same command prints with --json."));
