// The comparison of two runs, the most important changes first.

function changesView(comparison, open) {
  const list = virtualList({ label: 'Changed cases', height: 57, role: 'list', draw });
  list.element.classList.add('av-change-list');
  let shown = comparison.changes;

  function draw(change) {
    return h('div', { class: 'av-change' },
      h('span', { class: `av-tag av-${change.tone}` }, change.words),
      h('span', { class: 'av-case-text' },
        change.key ? button(said(change.name), () => open(change.key), { class: 'av-link av-case-id' }) : h('span', { class: 'av-case-id' }, said(change.name)),
        h('span', { class: 'av-faint av-case-why' }, said(change.what.join('; ')))),
      change.before ? chip(change.before) : h('span'), h('span', { 'aria-hidden': 'true' }, '→'), change.after ? chip(change.after) : h('span'));
  }

  const kinds = [...new Set(comparison.changes.map((change) => change.words))];
  const filters = h('div', { class: 'av-filters', role: 'group', 'aria-label': 'Filter by change' });
  function filter(kind) {
    shown = comparison.changes.filter((change) => !kind || change.words === kind);
    put(filters, [null, ...kinds].map((one) => button(`${one ?? 'all'} ${comparison.changes.filter((change) => !one || change.words === one).length}`, () => filter(one), { class: 'av-filter', 'aria-pressed': String(one === kind) })));
    list.element.style.maxHeight = `${shown.length * 57 + 2}px`;
    list.show(shown);
  }
  filter(null);
  requestAnimationFrame(() => list.redraw());
  return h('section', { class: 'av-changes', 'aria-label': 'Changes' },
    h('h2', null, 'Since run ', said(comparison.before)),
    h('p', null, said(comparison.text)),
    comparison.notes.map((note) => h('p', { class: 'av-note' }, said(note))),
    comparison.criteria.length ? h('div', { class: 'av-scroll', tabindex: '0', role: 'group', 'aria-label': 'Means' }, h('table', { class: 'av-table' },
      h('thead', null, h('tr', null, ['criterion', 'before', 'after', 'change'].map((name) => h('th', { scope: 'col' }, name)))),
      h('tbody', null, comparison.criteria.map(([name, before, after, delta, tone]) => h('tr', null, h('th', { scope: 'row' }, said(name)), h('td', { 'data-of': 'before' }, before), h('td', { 'data-of': 'after' }, after), h('td', { 'data-of': 'change', class: `av-${tone}` }, delta)))))) : null,
    comparison.changes.length ? [filters, list.element] : h('p', { class: 'av-empty' }, 'Nothing changed.'));
}
