// The entry point: shows a document in an element, and updates its address.

const VERSION = 1;
const NARROW = 820; // as in the style
const NUMBERS = new Set(['repeat', 'step', 'cite']);
const KEPT = ['view', 'case', 'repeat', 'tab', 'step', 'criterion', 'cite', 'status', 'q', 'sort'];

function readAddress(fragment) {
  const values = new URLSearchParams(fragment.replace(/^#/, ''));
  const state = {};
  for (const name of KEPT) {
    const value = values.get(name);
    state[name] = value === null || value === '' ? null : NUMBERS.has(name) ? (/^-?\d+$/.test(value) ? Number(value) : null) : value;
  }
  return state;
}

function writeAddress(state) {
  const values = new URLSearchParams();
  for (const name of KEPT) if (state[name] !== null && state[name] !== undefined) values.set(name, String(state[name]));
  return String(values);
}

const HELP = [['j, k', 'next and previous case'], ['n, N', 'next and previous failure'], ['1, 2, 3', 'Result, Trace, AI Judge'], ['/', 'search'], ['o', 'overview'], ['l', 'list on and off'], ['Esc', 'back to the list'], ['t', 'light or dark'], ['?', 'these keys']];

function mount(element, view, options = {}) {
  const root = h('div', { class: 'adjudge-viewer' });
  put(element, root);
  if (view.version !== VERSION) {
    put(root, h('p', { class: 'av-trouble' }, `This document has version ${view.version}; the viewer shows version ${VERSION}.`));
    return { destroy: () => put(element) };
  }
  statuses = view.words.statuses;
  const addresses = options.address ?? {
    read: () => location.hash,
    write: (fragment, replace) => history[replace ? 'replaceState' : 'pushState'](null, '', `#${fragment}`),
  };
  const state = readAddress(addresses.read());
  const tell = (changes, replace = true) => {
    Object.assign(state, changes);
    addresses.write(writeAddress(state), replace);
  };
  const chosenTheme = theme(root, options);
  const end = view.kind === 'run' ? runView(root, view, state, tell, options, chosenTheme) : oneView(root, view, state, tell, options.hover);
  const paper = (on) => () => {
    chosenTheme.paper(on);
    for (const list of root.querySelectorAll('.av-list')) list.dispatchEvent(new Event(on ? 'adjudge-print' : 'adjudge-printed'));
  };
  const printing = [['beforeprint', paper(true)], ['afterprint', paper(false)]];
  for (const [name, act] of printing) window.addEventListener(name, act);
  return {
    destroy() {
      for (const [name, act] of printing) window.removeEventListener(name, act);
      end?.();
      chosenTheme.end();
      put(element);
    },
    theme: chosenTheme.set,
  };
}

// The theme is stored in the browser if it allows this; local files often may not store data.
function theme(root, options) {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  let name = options.theme ?? 'auto';
  let onPaper = false; // which is white
  if (!options.theme) {
    try { name = localStorage.getItem('adjudge-theme') ?? 'auto'; } catch { /* nothing is kept */ }
  }
  const show = () => {
    root.dataset.theme = !onPaper && (name === 'dark' || (name !== 'light' && dark.matches)) ? 'dark' : 'light';
    for (const canvas of root.querySelectorAll('canvas')) canvas.dispatchEvent(new Event('adjudge-theme'));
  };
  dark.addEventListener('change', show);
  show();
  const set = (chosen) => { name = chosen; show(); };
  return {
    set,
    paper: (on) => { onPaper = on; show(); },
    end: () => dark.removeEventListener('change', show),
    toggle() {
      set(root.dataset.theme === 'dark' ? 'light' : 'dark');
      try { localStorage.setItem('adjudge-theme', name); } catch { /* nothing is kept */ }
    },
  };
}

// A single case or trace.
function oneView(root, view, state, tell, hover) {
  root.classList.add('av-alone');
  if (view.kind === 'case') put(root, caseView(view, state, tell, null, hover).element);
  else put(root, traceView(view.trace, state, (step) => tell({ step }), hover).element);
}

function runView(root, run, state, tell, options, chosenTheme) {
  const byName = new Map(run.rows.map((row) => [row.name, row]));
  const byKey = new Map(run.rows.map((row) => [row.key, row]));
  const loaded = new Map();
  const detail = h(options.part ? 'section' : 'main', { class: 'av-detail', tabindex: '-1', 'aria-label': options.part ? 'Details' : null });
  const list = caseList(run, state, { choose: (row, focus) => open(row, {}, focus), tell });
  const help = h('dialog', { class: 'av-help', 'aria-label': 'Keys' }, h('h2', null, 'Keys'), h('dl', null, [...HELP, ...(options.keys ?? [])].map(([keys, what]) => h('div', null, h('dt', null, h('kbd', null, keys)), h('dd', null, what)))), button('Close', () => help.close()));
  let shownCase = null;
  let asked = 0;

  const [word, tone, text] = run.verdict;
  const nav = h('nav', { class: 'av-nav', 'aria-label': 'Views' });
  const header = h('header', { class: 'av-top' },
    h('span', { class: `av-verdict av-solid-${tone}` }, word),
    h('div', { class: 'av-top-text' }, h('h1', null, said(run.name)), h('p', null, said(text))),
    nav,
    options.part ? null : h('div', { class: 'av-top-tools' },
      button('?', () => help.showModal(), { 'aria-label': 'Keys', title: 'Keys (?)' }),
      button('◐', chosenTheme.toggle, { 'aria-label': 'Light or dark', title: 'Light or dark (t)' })));
  put(root, header, h('div', { class: 'av-main' }, list.element, detail), help);

  // A narrow window shows one of: the list, the overview, the changes, a case.
  function drawNav(at = state.case ? 'case' : state.view ?? 'overview') {
    const link = (name, label, attributes) => button(label, () => show(name), { 'aria-current': at === name ? 'page' : null, ...attributes });
    put(nav, link('overview', 'Overview'), link('list', `${run.noun === 'case' ? 'Cases' : 'Runs'} ${run.rows.length.toLocaleString('en')}`, { class: 'av-narrow' }), run.comparison && link('changes', `Changes ${run.comparison.changes.length.toLocaleString('en')}`));
    root.dataset.at = at;
  }

  function show(name) {
    if (name === 'list') {
      if (root.clientWidth <= NARROW) drawNav('list');
      list.list.redraw();
      return;
    }
    asked += 1;
    shownCase = null;
    tell({ view: name === 'overview' ? null : name, case: null, repeat: null, tab: null, step: null, criterion: null, cite: null }, false);
    list.chosen(null);
    drawPage();
  }

  function drawPage() {
    drawNav();
    if (state.view === 'changes' && run.comparison) {
      put(detail, changesView(run.comparison, (key) => open(byKey.get(key), {})));
    } else put(detail, overview(run, { filter: (status) => { list.filter(status); show('list'); }, open: (row) => open(row, {}) }));
    detail.scrollTop = 0;
  }

  async function open(row, place, focus) {
    if (!row) return;
    const mine = ++asked;
    const same = state.case === row.name;
    if (!same) tell({ view: null, case: row.name, repeat: null, step: null, criterion: null, cite: null, ...place }, false);
    list.chosen(row);
    drawNav();
    const waiting = setTimeout(() => { if (mine === asked) put(detail, h('p', { class: 'av-empty', role: 'status' }, 'Loading…')); }, 150);
    try {
      if (!loaded.has(row.key)) {
        if (loaded.size > 20) loaded.delete(loaded.keys().next().value);
        loaded.set(row.key, await options.load(row.key));
      }
      if (mine !== asked) return;
      const [first] = loaded.get(row.key).repeats;
      const fallback = first && !first.turns.length && first.judged ? 'judge' : 'result';
      const controls = h('span', { class: 'av-case-controls' }, button('‹ List', back, { class: 'av-back' }),
        button('⤢', () => root.classList.toggle('av-wide'), { 'aria-label': 'List on and off', title: 'List on and off (l)', class: 'av-widen' }),
        button('↑', () => list.move(-1), { 'aria-label': 'Previous case', title: 'Previous case (k)' }), button('↓', () => list.move(1), { 'aria-label': 'Next case', title: 'Next case (j)' }));
      state.tab ??= fallback;
      shownCase = caseView(loaded.get(row.key), state, tell, controls, options.hover);
      put(detail, shownCase.element);
      detail.scrollTop = 0;
      if (focus) shownCase.heading.focus();
    } catch (error) {
      if (mine === asked) put(detail, h('p', { class: 'av-trouble' }, `This ${run.noun} cannot be shown: ${error.message ?? error}`));
    } finally {
      clearTimeout(waiting);
    }
  }

  function back() {
    show('overview');
    show('list');
    list.list.element.focus();
  }

  function follow() {
    Object.assign(state, readAddress(addressNow()));
    list.refresh();
    const row = state.case && byName.get(state.case);
    if (row) open(row, {});
    else {
      drawPage();
      if (state.case) detail.prepend(h('p', { class: 'av-trouble' }, `No ${run.noun} here is named `, said(state.case), '. The list has all of them.'));
    }
  }
  const addressNow = () => (options.address ? options.address.read() : location.hash);

  const keys = {
    j: () => list.move(1), k: () => list.move(-1), n: () => list.failure(1), N: () => list.failure(-1),
    '/': () => { show('list'); root.classList.remove('av-wide'); list.search.focus(); list.search.select(); },
    '?': () => help.showModal(), o: () => show('overview'), l: () => root.classList.toggle('av-wide'), t: () => chosenTheme.toggle(),
    1: () => shownCase?.tab(0), 2: () => shownCase?.tab(1), 3: () => shownCase?.tab(2), Escape: back,
  };
  function pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    const field = event.target instanceof Element && event.target.closest('input, select, textarea, [contenteditable]');
    if (field) {
      if (event.key === 'Escape' && root.contains(field)) field.blur();
      return;
    }
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }
  document.addEventListener('keydown', pressed);
  if (!options.address) for (const name of ['popstate', 'hashchange']) window.addEventListener(name, follow);
  follow();
  return () => {
    document.removeEventListener('keydown', pressed);
    for (const name of ['popstate', 'hashchange']) window.removeEventListener(name, follow);
  };
}
