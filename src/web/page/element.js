// Elements of the page, made in one call.

/**
 * element("p", {class: "note"}, "text", child): attributes that are functions listen ("onclick"),
 * and those that are false, null or undefined are left out.
 * @param {string} name
 * @param {Record<string, any>} [attributes]
 * @param {...(Node | string)} children
 * @returns {HTMLElement}
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key.slice(2), value);
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, String(value));
  }
  made.append(...children);
  return made;
}

/**
 * A labelled choice.
 * @param {string} label
 * @param {[string, string][]} options value and text
 * @param {string} value
 * @param {(value: string) => void} chosen
 */
export function choice(label, options, value, chosen) {
  const select = /** @type {HTMLSelectElement} */ (element("select", {
    onchange: () => chosen(select.value),
  }, ...options.map(([name, text]) => element("option", {value: name, selected: name === value}, text))));
  return element("label", {}, `${label} `, select);
}

/**
 * A labelled switch.
 * @param {string} label
 * @param {boolean} on
 * @param {(on: boolean) => void} changed
 */
export function toggle(label, on, changed) {
  const box = /** @type {HTMLInputElement} */ (element("input", {
    type: "checkbox", checked: on, onchange: () => changed(box.checked),
  }));
  return element("label", {}, box, ` ${label}`);
}
