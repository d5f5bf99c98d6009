// A virtual list: only visible rows are in the document. All rows have the same height.

const MOST_PRINTED = 2000;
const TALLEST = 8_000_000; // Browsers draw nothing below about 16 million pixels.

function virtualList({ label, height, draw, role, itemRole }) {
  const window_ = h('div', { class: 'av-window' });
  const space = h('div', { class: 'av-space' }, window_);
  const printed = h('div', { class: 'av-printed' });
  const element = h('div', { class: 'av-list', role: role ?? 'list', 'aria-label': label, tabindex: '0' }, space, printed);
  let items = [];
  let chosen = -1;
  let first = -1;
  let last = -1;
  let pending = 0;

  // With very many rows, one pixel of scrolling moves more than one pixel of rows.
  const total = () => items.length * height;
  const scale = () => Math.max(1, total() / TALLEST);

  function row(index) {
    const made = draw(items[index], index);
    made.classList.add('av-row');
    made.setAttribute('role', itemRole ?? 'listitem');
    made.setAttribute('aria-setsize', items.length);
    made.setAttribute('aria-posinset', index + 1);
    made.dataset.index = index;
    made.classList.toggle('av-chosen', index === chosen);
    if (itemRole === 'option') made.setAttribute('aria-selected', String(index === chosen));
    return made;
  }

  function refresh(force) {
    pending = 0;
    const room = element.clientHeight || 600;
    const top = element.scrollTop * scale();
    const from = Math.max(0, Math.floor(top / height) - 6);
    const to = Math.min(items.length, Math.ceil((top + room) / height) + 6);
    if (!force && from === first && to === last) return;
    first = from;
    last = to;
    const rows = [];
    for (let index = from; index < to; index += 1) rows.push(row(index));
    window_.replaceChildren(...rows);
    window_.style.transform = `translateY(${from * height - top + element.scrollTop}px)`;
    const current = chosen >= from && chosen < to ? window_.children[chosen - from] : null;
    if (itemRole === 'option') {
      if (current) {
        current.id ||= `${element.dataset.name ?? 'av'}-current`;
        element.setAttribute('aria-activedescendant', current.id);
      } else element.removeAttribute('aria-activedescendant');
    }
  }

  function soon() {
    pending ||= requestAnimationFrame(() => refresh(scale() > 1));
  }

  element.addEventListener('scroll', soon, { passive: true });
  new ResizeObserver(() => refresh(false)).observe(element);
  // For printing all rows are created, up to a limit that is shown.
  element.addEventListener('adjudge-print', () => {
    const shown = items.slice(0, MOST_PRINTED).map((item, index) => row(index));
    const rest = items.length - shown.length;
    put(printed, shown, rest > 0 && h('p', null, `and ${rest.toLocaleString('en')} more`));
  });
  element.addEventListener('adjudge-printed', () => put(printed));

  return {
    element,
    show(rows) {
      items = rows;
      space.style.height = `${Math.min(total(), TALLEST)}px`;
      first = last = -1;
      refresh(true);
    },
    choose(index, scroll = true) {
      chosen = index;
      if (scroll && index >= 0) {
        const room = element.clientHeight || 600;
        const top = element.scrollTop * scale();
        if (index * height < top || (index + 1) * height > top + room) {
          element.scrollTop = Math.max(0, (index * height - (room - height) / 2) / scale());
        }
      }
      refresh(true);
    },
    redraw: () => refresh(true),
  };
}
