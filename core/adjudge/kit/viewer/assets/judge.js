// AI Judge: verdicts and the views of the run on one side, the recorded step on the other.

function judgeView(repeat, state, tell) {
  const rows = repeat.trace.groups.flatMap((group) => group.rows);
  const numbers = rows.map((row) => row.step);
  const step = h('div', { class: 'av-step-panel av-judge-step', role: 'region', 'aria-label': 'Recorded step', tabindex: '0' });
  const findings = repeat.findings;
  const go = { cite, step: (number) => show([number], null, true) };
  const levels = levelPanels(repeat.levels, rows, (steps) => show(steps, null, true));
  let tab = 'event';

  // Show the first of the steps, and mark all of them.
  function show(steps, cited, byUser) {
    const at = numbers.indexOf(steps[0]);
    const row = rows[at];
    if (!row) {
      put(step, h('p', { class: 'av-empty' }, `The run has no step ${steps[0]}.`));
      return;
    }
    if (cited) tab = 'event';
    const move = (by, words, sign) => button(sign, () => show([numbers[at + by]], null, true), { 'aria-label': words, disabled: !(at + by in numbers) });
    const seen = levels.seen(row.step);
    put(step, h('div', { class: 'av-step-nav' }, move(-1, 'Step before', '‹'), move(1, 'Next step', '›'), h('span', { class: 'av-faint' }, `${at + 1} of ${numbers.length}`)),
      stepPanel(row, repeat.trace, cited, tab, (chosen) => { tab = chosen; }),
      seen && h('section', { class: 'av-item' }, h('h4', null, 'as the judge saw it'), textBlock(seen)));
    step.scrollTop = 0;
    levels.mark(steps, row.step);
    if (byUser && !cited) tell({ step: row.step, criterion: null, cite: null });
  }

  function cite(finding, number) {
    const citation = citationsOf(finding)[number];
    if (!citation) return;
    show([citation.row], citation.at, true);
    tell({ step: citation.row, criterion: finding.name, cite: number });
    const quote = step.querySelector('mark');
    if (quote) {
      step.scrollIntoView({ block: 'nearest' });
      centre(quote, step);
      quote.focus({ preventScroll: true });
    }
  }

  const element = h('div', { class: 'av-judge' },
    h('div', { class: 'av-judge-side' },
      findings.length ? [h('h3', { class: 'av-label' }, 'Verdicts'), h('div', { class: 'av-verdicts' }, unsettledFirst(findings).map((finding) => findingCard(finding, go)))] : null,
      h('h3', { class: 'av-label' }, 'The run at each level'), levels.element),
    step);
  new ResizeObserver(() => levels.fit(element.clientWidth)).observe(element);
  requestAnimationFrame(() => {
    const finding = findings.find((one) => one.name === state.criterion);
    if (finding && state.cite !== null && citationsOf(finding)[state.cite]) cite(finding, state.cite);
    else if (numbers.includes(state.step)) show([state.step], null, false);
    else if (numbers.length) show([findings.find((one) => one.fault)?.fault.first.step ?? numbers[0]], null, false);
    else put(step, h('p', { class: 'av-empty' }, 'Nothing of the agent was recorded.'));
  });
  return element;
}
