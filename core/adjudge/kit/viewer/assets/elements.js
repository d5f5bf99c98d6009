// Elements are only created by `h`: texts become text nodes and are never parsed as markup.

const SVG = 'http://www.w3.org/2000/svg';

function h(name, attributes, ...children) {
  return filled(document.createElement(name), attributes, children);
}

function svg(name, attributes, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false && child !== ''));
  return element;
}

function put(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter(Boolean));
  return element;
}

// Texts of people, agents and tools, each with the direction of its own script.
function said(text, attributes) {
  return h('bdi', attributes, text);
}

// A name on one line. A long name is shortened in the middle, because names often differ at their ends.
const ENDING = 12;
const JOINED = /[\u0300-\u036f\u0590-\u0dff\u200d\ud800-\udfff\ufb1d-\ufeff]/; // A cut here would change how letters look.
function named(text) {
  const cut = text.length - ENDING;
  if (cut < ENDING || JOINED.test(text.slice(cut - 1))) return said(text);
  return said([h('span', null, text.slice(0, cut)), h('span', null, text.slice(cut))], { class: 'av-named' });
}

// A name of several parts, for instance of a file and a case, which may break after each part.
function parted(text) {
  return text.split(/(?<=[/\\:])/).map((part) => [part, h('wbr')]);
}

function button(label, onclick, attributes) {
  return h('button', { type: 'button', onclick, ...attributes }, label);
}

// A tab bar with arrow keys. `tabs`: [{ id, label, panel }]; `panel` is the id of an element.
let bars = 0;
function tabBar(label, tabs, onchoose) {
  const set = ++bars;
  const buttons = tabs.map((tab, place) => button(tab.label, () => onchoose(place), { role: 'tab', id: `av-tab-${set}-${tab.id}`, 'aria-controls': tab.panel }));
  const element = h('div', { class: 'av-tabs', role: 'tablist', 'aria-label': label, onkeydown: step }, buttons);
  function step(event) {
    const at = buttons.indexOf(document.activeElement);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const place = (next + tabs.length) % tabs.length;
    buttons[place].focus();
    onchoose(place);
  }
  function select(chosen) {
    buttons.forEach((one, place) => {
      one.setAttribute('aria-selected', String(place === chosen));
      one.tabIndex = place === chosen ? 0 : -1;
    });
  }
  return { element, buttons, select };
}

// Tabs with a shared panel, whose content is created when a tab is chosen. `tabs`: [{ id, label, body: () => element }].
let panels = 0;
function tabList(label, tabs, chosen, onchoose) {
  const id = `av-panel-${++panels}`;
  const panel = h('div', { class: 'av-panel', role: 'tabpanel', tabindex: '0', id });
  const bar = tabBar(label, tabs.map((tab) => ({ ...tab, panel: id })), (place) => choose(tabs[place].id, true));
  function choose(wanted, byUser) {
    const place = Math.max(0, tabs.findIndex((tab) => tab.id === wanted));
    bar.select(place);
    panel.setAttribute('aria-labelledby', bar.buttons[place].id);
    put(panel, tabs[place].body());
    if (byUser) onchoose?.(tabs[place].id);
  }
  choose(chosen, false);
  return { bar: bar.element, panel, choose };
}

function centre(element, within) {
  if (!element || !within) return;
  const box = element.getBoundingClientRect();
  const frame = within.getBoundingClientRect();
  within.scrollTop += box.top - frame.top - (frame.height - box.height) / 2;
}
