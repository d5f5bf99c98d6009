// Texts, tones and signs of statuses come from the document, where Python defines them.

let statuses = {};

function statusOf(status) {
  return statuses[status] ?? [status, 'plain', ''];
}

function chip(status, text, attributes) {
  const [word, tone, sign] = statusOf(status);
  return h('span', { class: `av-chip av-${tone}`, ...attributes },
    h('span', { class: 'av-sign', 'aria-hidden': 'true' }, sign), text ?? word);
}

function facts(pairs) {
  return pairs.length ? h('dl', { class: 'av-facts' }, pairs.map(([name, value]) => h('div', null, h('dt', null, name), h('dd', null, said(value))))) : null;
}

const plural = (count, noun) => `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

const UNSETTLED = new Set(['FAIL', 'error', 'UNSURE']);
// The order of statuses, the most important first.
const ORDER = ['FAIL', 'error', 'UNSURE', 'unfinished', 'PASS', 'informational', 'not_applicable'];
const rank = (status) => { const at = ORDER.indexOf(status); return at < 0 ? ORDER.length : at; };
const unsettledFirst = (findings) => [...findings].sort((a, b) => Math.min(rank(a.status), 3) - Math.min(rank(b.status), 3));
