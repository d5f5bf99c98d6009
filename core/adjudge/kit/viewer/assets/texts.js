// Texts of any length: the beginning is shown at once, more on request.

const FIRST = 3000;
const MORE = 200_000;

const LONG_WORD = /\S{500}(?=\S)/gu;

// A very long word gets places where it may break: without them browsers need minutes for its lines.
function breakable(text) {
  const parts = [];
  let from = 0;
  for (const { index, 0: word } of text.matchAll(LONG_WORD)) {
    parts.push(text.slice(from, index + word.length), h('wbr'));
    from = index + word.length;
  }
  return [...parts, text.slice(from)];
}

const wholeOf = (text) => (typeof text === 'string' ? text : text.text);

// `mark`: [start, end] of the text to highlight.
function textBlock(text, { code = false, mark = null, label = null } = {}) {
  const whole = wholeOf(text);
  const leftOut = typeof text === 'string' ? 0 : text.left_out;
  const element = h('div', { class: code ? 'av-text av-code' : 'av-text', dir: 'auto', 'aria-label': label, role: label ? 'group' : null });
  let from = mark && mark[0] > FIRST ? Math.max(0, mark[0] - FIRST / 2) : 0;
  let to = Math.min(whole.length, Math.max(FIRST, mark ? mark[1] + FIRST / 2 : 0));
  // Do not split surrogate pairs at the ends.
  const whole_ = (place) => (place > 0 && place < whole.length && (whole.charCodeAt(place) & 0xfc00) === 0xdc00 ? place + 1 : place);
  function draw() {
    from = whole_(from);
    to = whole_(to);
    const parts = [];
    if (from > 0) parts.push(more(`Show the ${from.toLocaleString('en')} characters before`, () => { from = Math.max(0, from - MORE); }));
    if (mark) {
      parts.push(breakable(whole.slice(from, mark[0])), h('mark', { class: 'av-quote', tabindex: '-1' }, breakable(whole.slice(mark[0], mark[1]))), breakable(whole.slice(mark[1], to)));
    } else parts.push(breakable(whole.slice(from, to)));
    if (to < whole.length) {
      const rest = whole.length - to;
      parts.push(more(rest > MORE ? `Show ${MORE.toLocaleString('en')} of ${rest.toLocaleString('en')} more characters` : `Show all: ${rest.toLocaleString('en')} more characters`, () => { to = Math.min(whole.length, to + MORE); }));
    } else if (leftOut) {
      parts.push(h('p', { class: 'av-note' }, `${leftOut.toLocaleString('en')} more characters are not kept here; the journal of the run has them.`));
    }
    put(element, parts);
  }
  function more(words, change) {
    return button(words, () => { change(); draw(); }, { class: 'av-more' });
  }
  draw();
  return element;
}

// The segments of a comparison, with marked differences.
function segments(parts, side) {
  return parts.map(([text, differs]) => (differs
    ? h(side === 'expected' ? 'del' : 'ins', { class: `av-${side}` }, long(text))
    : long(text)));
}

function long(text) {
  if (text.length <= FIRST) return breakable(text);
  const rest = h('span', null, breakable(text.slice(0, FIRST)));
  let to = FIRST;
  const open = button('', () => {
    rest.append(...breakable(text.slice(to, to + MORE)));
    to += MORE;
    name();
  }, { class: 'av-more' });
  const name = () => {
    if (to >= text.length) open.remove();
    else open.textContent = `Show ${Math.min(MORE, text.length - to).toLocaleString('en')} of ${(text.length - to).toLocaleString('en')} more characters`;
  };
  name();
  return [rest, open];
}
