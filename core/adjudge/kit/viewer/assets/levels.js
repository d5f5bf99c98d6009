// The views of a run: panels side by side, or tabs if there is not enough space.

const ROOM = 820; // pixels

// Sorted numbers as a text, with consecutive numbers as ranges.
function ranges(numbers) {
  const found = [];
  for (const number of numbers) {
    const last = found.at(-1);
    if (last && number === last[1] + 1) last[1] = number;
    else found.push([number, number]);
  }
  const shown = found.slice(0, 6).map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(', ');
  return `${numbers.length === 1 ? 'step' : 'steps'} ${shown}${found.length > 6 ? ` and ${found.length - 6} more` : ''}`;
}

// `rows` are the recorded steps. `onchoose(steps)` is called with the steps chosen in a view.
let levelSets = 0;
function levelPanels(given, rows, onchoose) {
  const levels = given.some((level) => level.of_steps) || !rows.length ? given : [{ name: 'recorded steps', of_steps: true, sections: [] }, ...given];
  const set = ++levelSets;
  let at = 0;
  const panels = levels.map((level, index) => {
    const label = level.name.replaceAll('_', ' ');
    const id = `av-level-${set}-${index}`;
    const body = level.of_steps ? stepLevel(level, rows, onchoose) : partLevel(level, onchoose);
    return { ...body, label, id, panel: h('div', { class: 'av-level', id, tabindex: '0' }, h('h4', { class: 'av-level-name' }, label), body.element) };
  });
  const bar = tabBar('Level', panels.map(({ label, id }, index) => ({ id: index, label, panel: id })), (place) => { at = place; arrange(true); });
  const phased = levels.find((level) => !level.of_steps && level.sections.filter((section) => section.steps.length).length > 1);
  const line = phased && rows.length ? phaseLine(phased, rows, onchoose) : null;
  const element = h('div', { class: 'av-levels' }, line?.element, bar.element, h('div', { class: 'av-level-row' }, panels.map((one) => one.panel)));
  let marked = [new Set(), null];

  function arrange(tabbed) {
    element.classList.toggle('av-tabbed', tabbed);
    bar.element.hidden = !tabbed;
    bar.select(at);
    panels.forEach(({ panel, label }, index) => {
      panel.hidden = tabbed && index !== at;
      panel.setAttribute('role', tabbed ? 'tabpanel' : 'region');
      panel.setAttribute(tabbed ? 'aria-labelledby' : 'aria-label', tabbed ? bar.buttons[index].id : label);
      panel.removeAttribute(tabbed ? 'aria-label' : 'aria-labelledby');
    });
    for (const one of panels) if (!one.panel.hidden) one.mark(...marked);
  }
  arrange(false);

  return {
    element,
    // `steps` are marked; `step` is shown beside the views.
    mark(steps, step) {
      marked = [new Set(steps), step];
      line?.mark(...marked);
      for (const one of panels) if (!one.panel.hidden) one.mark(...marked);
    },
    // The text of a step that the judge saw.
    seen: (step) => levels.find((level) => level.of_steps).sections.find((section) => section.steps.includes(step))?.text,
    fit(width) {
      const tabbed = panels.length > 1 && width < ROOM;
      if (tabbed !== element.classList.contains('av-tabbed')) arrange(tabbed);
    },
  };
}

// The list of steps. Only visible rows are in the document.
function stepLevel(level, rows, onchoose) {
  const said_ = new Map(level.sections.filter((section) => section.steps.length === 1).map((section) => [section.steps[0], wholeOf(section.text).slice(0, 400)]));
  let marked = new Set();
  let current = -1;
  const list = virtualList({ label: 'Steps', height: 58, role: 'listbox', itemRole: 'option', draw });
  list.element.dataset.name = 'av-steps';
  list.element.classList.add('av-step-list');

  function draw(row, index) {
    const words = said_.get(row.step) ?? row.title;
    return h('div', {
      class: `av-step-row${marked.has(row.step) ? ' av-marked' : ''}`, 'data-steps': row.step, title: words, onclick: () => choose(index),
      'aria-label': `${stepOf(row)}: ${words}${row.marks.map(([mark]) => `, ${mark}`).join('')}`,
    },
    h('span', { class: 'av-number' }, numberOf(row)),
    h('span', { class: 'av-step-words' }, row.marks.map(([mark, tone]) => [h('span', { class: `av-tag av-${tone}` }, mark), ' ']), said(words)));
  }

  function choose(index) {
    if (rows[index]) onchoose([rows[index].step]);
  }

  list.element.addEventListener('keydown', (event) => {
    const move = { ArrowDown: 1, ArrowUp: -1, Home: -rows.length, End: rows.length }[event.key];
    if (!move) return;
    event.preventDefault();
    choose(Math.max(0, Math.min(rows.length - 1, current + move)));
  });
  list.show(rows);
  requestAnimationFrame(() => list.redraw());
  return {
    element: h('div', { class: 'av-level-body' }, level.sections.filter((section) => !section.steps.length).map((section) => textBlock(section.text)), list.element),
    mark(steps, step) {
      marked = steps;
      current = rows.findIndex((row) => row.step === step);
      list.choose(current);
    },
  };
}

// Phases, a summary, or another view made by a granularity strategy.
function partLevel(level, onchoose) {
  const parts = level.sections.map(({ label, steps, text }) => {
    const choose = () => onchoose(steps);
    const name = button(said(label || ranges(steps)), choose, { class: 'av-part-name', title: ranges(steps) });
    const part = h('section', { class: 'av-part', 'data-steps': steps.join(',') }, steps.length ? name : label && h('strong', null, said(label)), textBlock(text));
    // Selecting text does not choose the section.
    if (steps.length) part.addEventListener('click', (event) => { if (!event.target.closest('button') && !String(getSelection())) choose(); });
    return { part, name, steps };
  });
  const element = h('div', { class: 'av-level-body' }, parts.map(({ part }) => part));
  return {
    element,
    mark(marked) {
      const found = parts.filter(({ steps }) => steps.some((step) => marked.has(step)));
      for (const one of parts) {
        one.part.classList.toggle('av-marked', found.includes(one));
        one.name.setAttribute('aria-pressed', String(found.includes(one)));
      }
      if (found.length && !found.some(({ part }) => isSeen(part, element))) centre(found[0].part, element);
    },
  };
}

function isSeen(element, within) {
  const box = element.getBoundingClientRect();
  const frame = within.getBoundingClientRect();
  return box.top < frame.bottom && box.bottom > frame.top;
}
