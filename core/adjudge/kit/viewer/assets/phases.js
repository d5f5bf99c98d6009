// The phases of a run as a line: each as wide as its steps are many, with the steps at fault marked.

// `rows` are the recorded steps. `onchoose(steps)` is called with the steps of the chosen phase.
function phaseLine(level, rows, onchoose) {
  const places = new Map(rows.map((row, index) => [row.step, index]));
  const share = (count) => `${(100 * count) / rows.length}%`;
  const phases = level.sections.filter((section) => section.steps.length);
  const brief = brieflyNamed(phases);
  const parts = phases.flatMap((section, index) => spansOf(section.steps, places).map(([from, to]) => {
    const part = h('span', { class: `av-phase${index % 2 ? ' av-phase-odd' : ''}`, title: `${section.label}: ${ranges(section.steps)}`, onclick: () => onchoose(section.steps) }, said(brief[index]));
    part.style.left = share(from);
    part.style.width = share(to - from + 1);
    return { part, steps: section.steps };
  }));
  const faults = rows.flatMap((row, index) => row.marks.map(([words, tone]) => {
    const fault = h('span', { class: `av-phase-fault av-solid-${tone}`, title: `${stepOf(row)}: ${words}`, onclick: () => onchoose([row.step]) });
    fault.style.left = share(index + 0.5);
    return fault;
  }));
  const now = h('span', { class: 'av-phase-now' });
  const words = phases.map((section) => `${section.label}: ${ranges(section.steps)}`).join('; ');
  const element = h('div', { class: 'av-phases', role: 'img', 'aria-label': `Phases: ${words}` },
    faults.length ? h('div', { class: 'av-phase-faults' }, faults) : null, h('div', { class: 'av-phase-row' }, parts.map(({ part }) => part), now));
  return {
    element,
    mark(marked, step) {
      for (const { part, steps } of parts) part.classList.toggle('av-marked', steps.some((one) => marked.has(one)));
      now.hidden = !places.has(step);
      now.style.left = share((places.get(step) ?? 0) + 0.5);
    },
  };
}

// Labels without the first word that all of many phases share: "Phase A" becomes "A".
function brieflyNamed(phases) {
  const [first] = phases[0].label.split(' ');
  const shared = phases.length > 8 && phases.every(({ label }) => label.startsWith(`${first} `));
  return phases.map(({ label }) => (shared ? label.slice(first.length + 1) : label));
}

// The places of steps as spans of neighbours.
function spansOf(steps, places) {
  const found = [];
  for (const place of steps.map((step) => places.get(step)).filter((one) => one !== undefined).sort((a, b) => a - b)) {
    if (found.length && place === found.at(-1)[1] + 1) found.at(-1)[1] = place;
    else found.push([place, place]);
  }
  return found;
}
