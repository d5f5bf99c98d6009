// All cases of a run: an overview with charts, and a list with filters, sorting and search.


function overview(run, { filter, open }) {
  return h('div', { class: 'av-overview' },
    countsBar(run, filter),
    run.errors.map((text) => h('p', { class: 'av-trouble' }, said(text))),
    run.warnings.length ? h('details', { class: 'av-note', open: run.warnings.length < 4 }, h('summary', null, plural(run.warnings.length, 'warning')), h('ul', null, run.warnings.map((text) => h('li', null, said(text))))) : null,
    run.rows.length ? [h('h2', { class: 'av-label' }, `Every ${run.noun} by criterion`), matrix(run, open)] : h('p', { class: 'av-empty' }, `No ${run.noun} was run.`),
    run.criteria.length ? [h('h2', { class: 'av-label' }, 'Criteria'), criteriaTable(run)] : null,
    run.judges.map((line) => h('p', { class: 'av-faint' }, said(line))),
    h('h2', { class: 'av-label' }, 'This run'), facts(run.facts));
}

function countsBar(run, filter) {
  const all = run.counts.reduce((sum, [, count]) => sum + count, 0) || 1;
  const counts = [...run.counts].sort((a, b) => rank(a[0]) - rank(b[0]));
  return h('div', { class: 'av-counts', role: 'group', 'aria-label': 'Cases by verdict' }, counts.map(([status, count]) => {
    const [word, tone, sign] = statusOf(status);
    const part = button([h('span', { class: 'av-sign', 'aria-hidden': 'true' }, sign), h('strong', null, count.toLocaleString('en')), ' ', word], () => filter(status), { class: `av-count av-solid-${tone}`, title: `Show ${word} alone` });
    part.style.flexGrow = Math.max(count / all, 0.02);
    return part;
  }));
}

// Rows are criteria, columns are cases; with more cases than pixels, each pixel shows its worst case.
function matrix(run, open) {
  const rows = run.columns.length ? run.columns : [run.noun];
  const canvas = h('canvas', { class: 'av-matrix', role: 'img', 'aria-label': `${plural(run.rows.length, run.noun)} by ${plural(rows.length, 'criterion').replace('criterions', 'criteria')}: the list has the same in words` });
  const tip = h('p', { class: 'av-matrix-tip av-faint', 'aria-hidden': 'true' }, `Point at a place to see its ${run.noun}, click to open it.`);
  const tall = 18;
  let wide = 1;
  // Without any result of a criterion, as after an error of the agent, the status of the case counts.
  const statusAt = (row, line) => (row.cells.some(([status]) => status) ? row.cells[line][0] : row.status);
  function draw() {
    const width = Math.floor(canvas.clientWidth);
    if (!width) return;
    const dots = window.devicePixelRatio || 1;
    canvas.width = width * dots;
    canvas.height = rows.length * tall * dots;
    canvas.style.height = `${rows.length * tall}px`;
    const pen = canvas.getContext('2d');
    pen.scale(dots, dots);
    const style = getComputedStyle(canvas);
    const colours = {};
    const colour = (status) => (colours[status] ??= style.getPropertyValue(status ? `--av-solid-${statusOf(status)[1]}` : '--av-faint-soft'));
    wide = Math.min(24, width / run.rows.length);
    const gap = wide > 4 ? 1 : 0;
    const places = Math.min(run.rows.length, width);
    for (let line = 0; line < rows.length; line += 1) {
      for (let place = 0; place < places; place += 1) {
        const from = Math.floor((place * run.rows.length) / places);
        const to = Math.max(from + 1, Math.floor(((place + 1) * run.rows.length) / places));
        let worst = statusAt(run.rows[from], line);
        for (let index = from + 1; index < to; index += 1) {
          const status = statusAt(run.rows[index], line);
          if (rank(status) < rank(worst)) worst = status;
        }
        pen.fillStyle = colour(worst);
        const step = wide >= 1 ? wide : 1;
        pen.fillRect(place * step, line * tall, Math.max(1, step - gap), tall - 2);
      }
    }
  }
  const rowAt = (event) => {
    const step = Math.max(wide, canvas.clientWidth / Math.min(run.rows.length, canvas.clientWidth));
    const place = wide >= 1 ? Math.floor(event.offsetX / wide) : Math.floor((event.offsetX / step) * (run.rows.length / canvas.clientWidth));
    return run.rows[place];
  };
  canvas.addEventListener('mousemove', (event) => {
    const row = rowAt(event);
    const line = Math.floor(event.offsetY / tall);
    if (row && rows[line]) put(tip, said(row.id), ` · ${rows[line]}: ${statusAt(row, line) ? statusOf(statusAt(row, line))[0] : 'not there'} ${row.cells[line]?.[1] ?? ''}`);
  });
  canvas.addEventListener('click', (event) => { const row = rowAt(event); if (row) open(row); });
  new ResizeObserver(draw).observe(canvas);
  canvas.addEventListener('adjudge-theme', draw);
  const labels = h('div', { class: 'av-matrix-labels', 'aria-hidden': 'true' }, rows.map((name) => h('span', { title: name }, named(name))));
  return h('div', { class: 'av-matrix-box' }, labels, canvas, h('span'), tip);
}

function criteriaTable(run) {
  return h('div', { class: 'av-scroll', tabindex: '0', role: 'group', 'aria-label': 'Criteria' }, h('table', { class: 'av-table' },
    h('thead', null, h('tr', null, ['criterion', 'mean', 'threshold', 'passed', ''].map((name) => h('th', { scope: 'col' }, name || h('span', { class: 'av-hidden' }, 'others'))))),
    h('tbody', null, run.criteria.map((column) => h('tr', null,
      h('th', { scope: 'row', title: column.component }, said(column.name)),
      h('td', { 'data-of': 'mean' }, column.mean || '–'), h('td', { 'data-of': 'threshold' }, column.threshold || '–'),
      h('td', { 'data-of': 'passed' }, column.passed || '–'),
      h('td', null, column.rest))))));
}

function caseList(run, state, { choose, tell }) {
  const few = run.columns.length <= 4;
  const search = h('input', { type: 'search', class: 'av-search', placeholder: `Search ${run.noun}s`, 'aria-label': `Search ${run.noun}s`, value: state.q ?? '', oninput: () => { tell({ q: search.value || null }); soon(); } });
  const sort = h('select', { 'aria-label': 'Sort by', onchange: () => { tell({ sort: sort.value === 'order' ? null : sort.value }); apply(); } },
    [['order', 'in order'], ['status', 'failures first'], ['name', 'by name'], run.rows.some((row) => row.seconds !== null) && ['time', 'slowest first'], ...run.columns.map((name, index) => [`c${index}`, `lowest ${name}`])]
      .filter(Boolean).map(([value, label]) => h('option', { value, selected: value === (state.sort ?? 'order') }, label)));
  const chips = h('div', { class: 'av-filters', role: 'group', 'aria-label': 'Filter by verdict' });
  const count = h('p', { class: 'av-faint av-found', role: 'status' });
  const list = virtualList({ label: `${run.noun === 'case' ? 'Cases' : 'Runs'}`, height: 48, role: 'listbox', itemRole: 'option', draw });
  list.element.dataset.name = 'av-cases';
  list.element.classList.add('av-case-list');
  // The searched texts, computed once.
  const texts = run.rows.map((row) => `${row.name}\n${row.headline}\n${row.prompt}`.toLowerCase());
  let shown = [];
  let current = null;
  let timer = 0;

  function draw(row) {
    return h('div', { class: 'av-case-row', onclick: () => choose(row), 'aria-label': `${row.id}: ${statusOf(row.status)[0]}. ${row.headline}` },
      chip(row.status, '', { title: statusOf(row.status)[0] }),
      h('span', { class: 'av-case-text', title: row.name }, h('span', { class: 'av-case-id' }, named(row.id)), h('span', { class: 'av-faint av-case-why' }, said(row.headline || row.prompt || row.set))),
      h('span', { class: 'av-cells', 'aria-hidden': 'true' }, row.cells.map(([status, text], index) => {
        const [word, tone, sign] = statusOf(status);
        return h('span', { class: `av-cell${few ? '' : ' av-small'} av-${status ? tone : 'plain'}`, title: `${run.columns[index]}: ${status ? `${word} ${text}` : 'not there'}` }, few ? text || '–' : sign || '–');
      })),
      h('span', { class: 'av-time', 'aria-hidden': 'true' }, row.time));
  }

  function drawChips() {
    const counts = new Map([...run.counts].sort((a, b) => rank(a[0]) - rank(b[0])));
    put(chips, [[null, run.rows.length], ...counts].map(([status, number]) => button(
      [status ? [h('span', { class: 'av-sign', 'aria-hidden': 'true' }, statusOf(status)[2]), statusOf(status)[0]] : 'all', ` ${number.toLocaleString('en')}`].flat(),
      () => filter(status), { class: `av-filter${status ? ` av-${statusOf(status)[1]}` : ''}`, 'aria-pressed': String((state.status ?? null) === status) })));
  }

  function filter(status) {
    tell({ status });
    drawChips();
    apply();
  }

  function soon() {
    clearTimeout(timer);
    timer = setTimeout(apply, 80);
  }

  function apply() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = [];
    run.rows.forEach((row, index) => {
      if (state.status && row.status !== state.status) return;
      if (words.every((word) => texts[index].includes(word))) found.push(row);
    });
    const by = sort.value;
    const lowest = (index) => (row) => { const score = row.cells[index][2]; return score === null ? Infinity : score; };
    const key = by === 'status' ? (row) => rank(row.status) : by === 'time' ? (row) => -(row.seconds ?? -1) : by.startsWith('c') ? lowest(Number(by.slice(1))) : null;
    if (key) found.sort((a, b) => key(a) - key(b));
    if (by === 'name') found.sort((a, b) => a.id.localeCompare(b.id));
    shown = found;
    put(count, found.length === run.rows.length ? '' : `${found.length.toLocaleString('en')} of ${plural(run.rows.length, run.noun)}`);
    list.show(shown);
    list.choose(shown.indexOf(current), false);
  }

  function move(by, wanted) {
    let at = shown.indexOf(current);
    if (at < 0 && by < 0) at = shown.length;
    for (at += by; at >= 0 && at < shown.length; at += by) {
      if (!wanted || wanted(shown[at])) { choose(shown[at]); return; }
    }
  }

  list.element.addEventListener('keydown', (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) { event.preventDefault(); move(by); }
    if (event.key === 'Enter' && current) choose(current, true);
  });

  const element = h('section', { class: run.rows.some((row) => row.time) ? 'av-cases' : 'av-cases av-untimed', 'aria-label': `List of ${run.noun}s` },
    h('div', { class: 'av-tools' }, search, sort), chips, count, list.element);
  drawChips();
  apply();
  return {
    element, list, search, move, filter,
    failure: (by) => move(by, (row) => UNSETTLED.has(row.status)),
    chosen(row) { current = row; list.choose(row ? shown.indexOf(row) : -1); },
    refresh() { search.value = state.q ?? ''; sort.value = state.sort ?? 'order'; drawChips(); apply(); },
  };
}
