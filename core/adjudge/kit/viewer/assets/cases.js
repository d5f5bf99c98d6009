// The view of a case: expected and actual turns, the trace, and AI Judge's views.

// `state`: { repeat, tab, step, criterion, cite }; `tell(changes)` updates the address.
function caseView(view, state, tell, controls, hover) {
  const heading = h('h2', { tabindex: '-1', class: `av-case-name${view.title.length > 50 ? ' av-long' : ''}`, title: view.name }, said(parted(view.title)));
  const body = h('div', { class: 'av-case-body' });
  const repeats = view.repeats;
  const at = Math.max(0, repeats.findIndex((one) => one.repeat === (state.repeat ?? view.opens)));

  function draw(index) {
    const repeat = repeats[index];
    const go = {
      cite: (finding, number) => { tell({ tab: 'judge', criterion: finding.name, cite: number }); tabs.choose('judge'); },
      step: (number) => { tell({ tab: 'trace', step: number, criterion: null, cite: null }); tabs.choose('trace'); },
    };
    const choices = [
      { id: 'result', label: 'Result', body: () => [resultView(view, repeat, go)] },
      { id: 'trace', label: 'Trace', body: () => [traceView(repeat.trace, state, (number) => tell({ step: number, criterion: null, cite: null }), hover).element] },
      repeat.judged && { id: 'judge', label: 'AI Judge', body: () => [judgeView(repeat, state, tell)] },
    ].filter(Boolean);
    const tabs = tabList('Case', choices, state.tab, (tab) => tell({ tab, criterion: null, cite: null }));
    put(body, tabs.bar, tabs.panel);
    body.chooseTab = (number) => { if (choices[number]) { tell({ tab: choices[number].id }); tabs.choose(choices[number].id); } };
    requestAnimationFrame(() => centreDifferences(body));
  }

  const chooser = repeats.length > 1
    ? h('label', { class: 'av-repeats' }, 'Repeat ', h('select', { onchange: (event) => { const index = Number(event.target.value); tell({ repeat: repeats[index].repeat, step: null }); draw(index); } },
      repeats.map((one, index) => h('option', { value: index, selected: index === at }, `${one.repeat}: ${statusOf(one.status)[0]}`))))
    : null;
  const element = h('article', { class: 'av-case', 'aria-label': view.title },
    h('header', { class: 'av-case-head' }, h('div', { class: 'av-case-title' }, chip(view.status), heading, chooser, controls),
      view.headline && h('p', { class: 'av-headline' }, said(view.headline))), body);
  draw(at);
  return { element, heading, tab: (number) => body.chooseTab?.(number) };
}

// Of long answers, the part around the first difference is shown.
function centreDifferences(element) {
  for (const answer of element.querySelectorAll('.av-answer')) centre(answer.querySelector('del, ins'), answer);
}

function resultView(view, repeat, go) {
  return h('div', { class: 'av-result' },
    view.overall.length ? h('section', null, h('h3', { class: 'av-label' }, `Over ${view.repeats.length} repeats`), view.overall.map((finding) => findingCard(finding, null))) : null,
    view.overall.length ? h('h3', { class: 'av-label' }, `Repeat ${repeat.repeat}`) : null,
    repeat.error && errorBox(repeat.error),
    facts(repeat.facts),
    repeat.simulation.map((line) => h('p', null, said(line))),
    unsettledFirst(repeat.findings).map((finding) => findingCard(finding, go)),
    repeat.turns.map((turn) => turnView(turn, go)));
}

function turnView(turn, go) {
  const side = (half, name) => h('div', { class: 'av-side' }, h('h4', null, name),
    h('div', { class: 'av-answer', dir: 'auto', tabindex: '0', role: 'group', 'aria-label': `${name} answer` }, half
      ? half.answer ? [segments(half.answer, name), half.left_out ? h('p', { class: 'av-note' }, `${half.left_out.toLocaleString('en')} more characters are not kept here.`) : null] : h('span', { class: 'av-faint' }, name === 'expected' ? 'no answer is expected' : 'no answer')
      : h('span', { class: 'av-faint' }, name === 'expected' ? 'nothing is expected' : 'this turn never happened')),
    half?.calls.length ? h('ul', { class: 'av-call-list', 'aria-label': `${name} calls` }, half.calls.map((call) => h('li', null, callView(call, name)))) : null);
  return h('section', { class: 'av-turn', 'aria-label': `turn ${turn.number} of ${turn.of}` },
    h('h3', null, `Turn ${turn.number} of ${turn.of}`),
    h('div', { class: 'av-prompt' }, textBlock(turn.prompt, { label: 'the user said' })),
    h('div', { class: turn.expected ? 'av-sides' : 'av-sides av-one' }, turn.expected && side(turn.expected, 'expected'), side(turn.actual, 'actual')),
    turn.note && h('p', { class: 'av-faint' }, turn.note),
    unsettledFirst(turn.findings).map((finding) => findingCard(finding, go)));
}
