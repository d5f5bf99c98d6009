// Results of criteria. `go`: { cite(finding, number), step(number) }, or null if there is no trace.

function findingCard(finding, go, open = true) {
  const [, tone] = statusOf(finding.status);
  const head = h('div', { class: 'av-finding-head' },
    chip(finding.status), h('strong', null, said(finding.name)),
    h('span', { class: 'av-shown' }, finding.shown), meter(finding),
    finding.gaps && h('span', { class: 'av-faint' }, finding.gaps),
    finding.confidence && h('span', { class: 'av-faint' }, finding.confidence));
  let number = 0;
  const cited = (citations) => citations?.length
    ? h('ul', { class: 'av-citations' }, citations.map((citation) => { const at = number; number += 1; return h('li', null, citationButton(citation, go && (() => go.cite(finding, at)))); }))
    : null;
  const body = [
    finding.granularity && h('p', { class: 'av-faint' }, 'looked at as ', said(finding.granularity)),
    finding.error && errorBox(finding.error),
    finding.reason && wholeOf(finding.reason) && textBlock(finding.reason),
    finding.fault && faultLine(finding.fault, go),
    finding.notes?.map((note) => h('p', { class: 'av-note' }, 'note: ', said(note))),
    finding.calls && callPairs(finding.calls),
    finding.differences && differenceTable(finding.differences),
    cited(finding.citations),
    absences(finding.absences),
    finding.checks && h('ul', { class: 'av-checks' }, finding.checks.map((check) => checkItem(check, cited))),
    finding.votes && votesView(finding.votes),
    finding.lines?.map((line) => h('p', null, said(line))),
    finding.details && facts(finding.details),
  ].flat().filter(Boolean);
  return h('div', { class: `av-finding av-edge-${tone}`, role: 'group', 'aria-label': `${finding.name}: ${statusOf(finding.status)[0]}` }, head, open && body);
}

// All citations of a finding, in the order in which `findingCard` numbers them.
const citationsOf = (finding) => [...(finding.citations ?? []), ...(finding.checks ?? []).flatMap((check) => check.citations ?? [])];

function meter(finding) {
  const { score, threshold } = finding;
  if (score === undefined || score < 0 || score > 1 || threshold === undefined || threshold < 0 || threshold > 1) return null;
  const tone = statusOf(finding.status)[1];
  const bar = svg('svg', { class: 'av-meter', viewBox: '0 0 100 10', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    svg('rect', { class: 'av-meter-room', width: 100, height: 10, rx: 2 }),
    svg('rect', { class: `av-fill-${tone}`, width: score * 100, height: 10, rx: 2 }),
    svg('rect', { class: 'av-meter-mark', x: Math.min(98, Math.max(0, threshold * 100 - 1)), width: 2, height: 10 }));
  return bar;
}

function errorBox(error) {
  return h('div', { class: 'av-trouble', role: 'note' },
    h('strong', null, error.code), ' ', textBlock(error.text),
    error.place && h('p', { class: 'av-faint' }, 'at ', said(error.place)),
    wholeOf(error.traceback) && h('details', null, h('summary', null, 'Traceback'), textBlock(error.traceback, { code: true })));
}

function faultLine(fault, go) {
  const place = (item) => {
    const words = `step ${item.step}${item.agent ? ` (${item.agent})` : ''}`;
    return go ? button(words, () => go.step(item.step), { class: 'av-link' }) : h('span', null, words);
  };
  return h('p', { class: 'av-fault' }, 'first error: ', place(fault.first),
    fault.others.length ? ['; then ', fault.others.flatMap((item, index) => [index ? ', ' : '', place(item)])] : null);
}

function citationButton(citation, onclick) {
  const where = `step ${citation.step} ${citation.field}: `;
  const quote = citation.quote.length > 300 ? `${citation.quote.slice(0, 300)}…` : citation.quote;
  const inside = [h('span', { class: 'av-faint' }, where), h('q', { dir: 'auto' }, quote)];
  return onclick ? button(inside, onclick, { class: 'av-citation' }) : h('span', { class: 'av-citation' }, inside);
}

function absences(lines) {
  return lines?.length ? h('ul', { class: 'av-absences' }, lines.map((line) => h('li', null, said(line)))) : null;
}

function checkItem(check, cited) {
  return h('li', { class: 'av-check' },
    h('div', { class: 'av-check-head' }, h('span', { class: `av-tag av-${check.tone}` }, check.word), check.id && h('span', { class: 'av-faint' }, said(check.id)), check.text && h('span', { dir: 'auto' }, check.text)),
    wholeOf(check.reason) && textBlock(check.reason),
    cited(check.citations), absences(check.absences), check.votes && votesView(check.votes));
}

function votesView(votes) {
  const all = votes.bars.reduce((sum, [, count]) => sum + count, 0) || 1;
  const bar = h('div', { class: 'av-votes-bar', role: 'img', 'aria-label': votes.text },
    votes.bars.map(([label, count], index) => {
      const part = h('span', { class: label === 'lost' ? 'av-vote av-vote-lost' : index ? 'av-vote av-vote-other' : 'av-vote av-vote-most', title: `${label}: ${count}` }, `${label} ${count}`);
      part.style.flexGrow = count / all;
      return part;
    }));
  const list = votes.rows.length
    ? h('details', { class: 'av-votes' }, h('summary', null, votes.text), h('ul', null, votes.rows.map(([model, label, why]) => h('li', null, h('span', { class: 'av-faint' }, said(model)), ' ', h('strong', null, said(label)), ' ', said(why)))))
    : h('p', { class: 'av-faint' }, votes.text);
  return h('div', { class: 'av-votes-box' }, bar, list);
}

function callPairs(pairs) {
  return h('div', { class: 'av-calls' },
    h('div', { class: 'av-calls-head', 'aria-hidden': 'true' }, h('span'), h('span', null, 'expected calls'), h('span', null, 'actual calls')),
    pairs.map((pair) => h('div', { class: `av-call-pair av-pair-${pair.tone}`, role: 'group', 'aria-label': pair.words || 'matches' },
      h('span', { class: 'av-sign', 'aria-hidden': 'true' }, pair.sign),
      pair.expected ? callView(pair.expected, 'expected') : h('span', { class: 'av-faint' }, pair.actual ? pair.words : ''),
      pair.actual ? callView(pair.actual, 'actual') : h('span', { class: 'av-faint' }, pair.words),
      pair.differences.length ? h('div', { class: 'av-call-differences' }, differenceTable(pair.differences)) : null)));
}

function callView(call, side) {
  return h('div', { class: 'av-call', dir: 'ltr' }, h('strong', null, said(call.name)), '(',
    call.args.map(([name, value, changed], index) => h('span', { class: changed ? `av-${side}` : null },
      name && [said(name), '='], said(brief(value)), index + 1 < call.args.length ? ', ' : '')), ')');
}

function brief(value) {
  const text = wholeOf(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

function differenceTable(rows) {
  return h('table', { class: 'av-differences' },
    h('thead', null, h('tr', null, ['where', 'expected', 'actual'].map((name) => h('th', { scope: 'col' }, name)))),
    h('tbody', null, rows.map((row) => h('tr', null,
      h('th', { scope: 'row' }, said(row.path)),
      ['expected', 'actual'].map((side) => h('td', { dir: 'auto' }, row[side] ? segments(row[side], side) : h('span', { class: 'av-faint' }, 'nothing')))))));
}
