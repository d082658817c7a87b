// Questions to the lab's server: at most one of a window is under way, and a newer one ends it.

import { coarse_question } from "./lab_state.js";

/** @typedef {import("./lab_state.js").Question} Question */

/**
 * What is used of a fetch and of the clock, so that tests have their own.
 * @typedef {object} AskingTools
 * @property {(path: string, request: {method: string, headers: Record<string, string>, body: string, signal: AbortSignal}) => Promise<Answer>} fetch
 * @property {() => number} now in milliseconds
 * @property {(milliseconds: number) => Promise<void>} pause
 * @property {string} client name of the window
 */

/** @typedef {{status: number, headers: {get: (name: string) => string | null}, json: () => Promise<any>}} Answer */

/**
 * @typedef {object} AskingListener
 * @property {(answer: Record<string, any>, number: number, is_whole: boolean) => void} answered is_whole: not the first quarter only
 * @property {(message: string, option: string) => void} refused option: what it is about, else empty
 * @property {(message: string) => void} waits and tries again
 */

/** Answers that come sooner need no rougher one before them. */
const soon_ms = 150;

export const asking_words = {
  silent: "The lab's server does not answer. Does the command `trainyard lab` still run?",
  busy: "The server is busy with other questions. It is asked once more in a moment.",
  still_busy: "The server is still busy with other questions. Move a slider to ask again.",
};

/** @returns {AskingTools} of this window */
export function window_tools() {
  return {
    fetch: (path, request) => fetch(path, request), now: () => performance.now(),
    pause: (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); }),
    client: Array.from(crypto.getRandomValues(new Uint32Array(2)), (part) => part.toString(16)).join("-"),
  };
}

/**
 * @param {AskingTools} tools @param {AskingListener} listener
 */
export function make_asker(tools, listener) {
  let number = 0, is_slow = false;
  /** @type {AbortController | null} */
  let current = null;

  /**
   * Whether an answer came that is still wanted.
   * @param {Question} question @param {boolean} is_whole @param {AbortSignal} signal @param {boolean} [again]
   * @returns {Promise<boolean>}
   */
  async function send(question, is_whole, signal, again = false) {
    const mine = ++number;
    const body = JSON.stringify({...question, client: tools.client, question: mine});
    /** @type {Answer} */
    let answer;
    /** @type {any} */
    let content;
    try {
      answer = await tools.fetch("/api/compare", {method: "POST", headers: {"Content-Type": "application/json"}, body, signal});
      content = await answer.json();
    } catch {
      if (!signal.aborted) listener.refused(asking_words.silent, "");
      return false;
    }
    if (signal.aborted || answer.status === 409) return false;
    if (answer.status === 503 && !again) {
      listener.waits(asking_words.busy);
      await tools.pause(1000 * Number(answer.headers.get("Retry-After") ?? 1));
      return signal.aborted ? false : send(question, is_whole, signal, true);
    }
    if (answer.status !== 200) {
      const busy = answer.status === 503 ? `${asking_words.still_busy} ` : "";
      listener.refused(`${busy}${content.error ?? `The server answered ${answer.status}.`}`, content.option ?? "");
      return false;
    }
    listener.answered(content, mine, is_whole);
    return true;
  }

  return {
    /** @param {Question} question */
    async ask(question) {
      current?.abort();
      const {signal} = current = new AbortController();
      // While answers are slow, their first quarter comes before the whole.
      const coarse = is_slow ? coarse_question(question) : null;
      if (coarse && !await send(coarse, false, signal)) return;
      const since = tools.now();
      if (await send(question, true, signal)) is_slow = tools.now() - since > soon_ms;
    },
    /** What is under way is not wanted any more. */
    forget() {
      current?.abort();
    },
  };
}
