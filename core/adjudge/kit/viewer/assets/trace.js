// The steps of a run as a waterfall chart; a step opens its Event, Request, Response and Graph.

// A turn without recorded steps has a row without a number.
const numberOf = (row) => (row.step > 0 ? String(row.step) : '–');
const stepOf = (row) => (row.step > 0 ? `Step ${row.step}` : 'No step');

const KINDS = { call: '→', say: '“', think: '…', error: '!', observe: '←', other: '·' };

// `state`: { step }; `onstep(number)` updates the address; `hover(number)` reports the step under the pointer.
function traceView(trace, state, onstep, hover) {
  const flat = trace.groups.flatMap((group) => [{ group }, ...group.rows.map((row) => ({ row, group }))]);
  const panel = h('div', { class: 'av-step-panel', role: 'region', 'aria-label': 'Step' });
  const list = virtualList({ label: 'Steps of the run', height: 34, role: 'listbox', itemRole: 'option', draw });
  list.element.dataset.name = 'av-trace';
  list.element.classList.add('av-waterfall');
  list.element.style.maxHeight = `${flat.length * 34 + 2}px`;
  const rows = trace.groups.flatMap((group) => group.rows);
  const columns = `av-columns${trace.timed === 'order' ? ' av-order' : ''}${rows.some((row) => row.time) || trace.groups.some((group) => group.time) ? ' av-timed' : ''}${rows.some((row) => row.tokens || row.cost) ? ' av-tokened' : ''}`;
  let chosen = -1;

  function draw(entry, index) {
    if (!entry.row) return groupRow(entry.group);
    const row = entry.row;
    const bar = h('span', { class: `av-bar av-bar-${row.kind}${row.event ? ' av-bar-event' : ''}` });
    bar.style.left = `${row.begin * 100}%`;
    bar.style.width = `max(3px, ${(row.end - row.begin) * 100}%)`;
    return h('div', {
      class: `av-trace-row${row.event ? ' av-event' : ''}${row.nested ? ' av-nested' : ''}`,
      onclick: () => choose(index, true),
      onmouseenter: () => point(row.step),
      onmouseleave: () => point(null),
      'aria-label': `${stepOf(row)}, ${row.agent} ${row.title} ${row.time}${row.event ? ', produced an event' : ''}${row.marks.map(([words]) => `, ${words}`).join('')}`,
    },
    h('span', { class: 'av-number' }, numberOf(row)),
    h('span', { class: `av-kind av-kind-${row.kind}`, 'aria-hidden': 'true' }, KINDS[row.kind]),
    h('span', { class: 'av-title' }, row.agent && h('span', { class: 'av-faint' }, said(row.agent), ' '), said(row.title),
      row.marks.map(([words, tone]) => h('span', { class: `av-tag av-${tone}` }, words))),
    h('span', { class: 'av-lane' }, bar),
    h('span', { class: 'av-time' }, row.time),
    h('span', { class: 'av-tokens' }, [row.tokens, row.cost].filter(Boolean).join('\n')));
  }

  // Rows are created again under the pointer, so only report changes.
  let pointed = null;
  function point(step) {
    if (step === pointed) return;
    pointed = step;
    hover?.(step);
  }

  function groupRow(group) {
    return h('div', { class: 'av-trace-group', 'aria-label': `message ${group.turn} of the user: ${brief(group.prompt)}` },
      h('span', { class: 'av-number' }, `#${group.turn}`), h('span', { class: 'av-title' }, said(wholeOf(group.prompt).slice(0, 300) || 'no message of the user')),
      h('span', { class: 'av-time' }, group.time));
  }

  function choose(index, byUser) {
    if (index < 0 || index >= flat.length) return;
    chosen = index;
    list.choose(index);
    const entry = flat[index];
    put(panel, entry.row ? stepPanel(entry.row, trace, null, panelTab, (tab) => { panelTab = tab; })
      : [h('h3', null, `Message ${entry.group.turn}`), textBlock(entry.group.prompt)]);
    panel.scrollTop = 0;
    if (byUser && entry.row) onstep?.(entry.row.step);
  }
  let panelTab = 'event';

  list.element.addEventListener('keydown', (event) => {
    const move = { ArrowDown: 1, ArrowUp: -1, Home: -flat.length, End: flat.length }[event.key];
    if (!move) return;
    event.preventDefault();
    choose(Math.max(0, Math.min(flat.length - 1, chosen + move)), true);
  });

  const words = { recorded: '', durations: 'Only durations are recorded: bars follow one another.', order: 'No times are recorded: bars show the order.' }[trace.timed];
  const element = h('div', { class: `av-trace ${columns}` },
    h('div', { class: 'av-trace-top' }, facts(trace.summary),
      rows.some((row) => row.event) && h('p', { class: 'av-legend' }, h('span', { class: 'av-event-mark', 'aria-hidden': 'true' }), 'produced an event'),
      words && h('p', { class: 'av-faint' }, words),
      trace.lost.length ? h('details', { class: 'av-note' }, h('summary', null, `not read from the log: ${trace.lost.length}`), h('ul', null, trace.lost.map((line) => h('li', null, said(line))))) : null),
    trace.scale.length ? h('div', { class: 'av-scale', 'aria-hidden': 'true' }, h('span'), h('span', { class: 'av-ticks' }, trace.scale.map((tick) => h('span', null, tick)))) : null,
    list.element, panel);
  const start = flat.findIndex((entry) => entry.row && entry.row.step === state.step);
  list.show(flat);
  requestAnimationFrame(() => {
    list.redraw();
    if (flat.length) choose(start >= 0 ? start : Math.min(1, flat.length - 1), false);
    else put(panel, h('p', { class: 'av-empty' }, 'Nothing of the agent was recorded.'));
  });
  return { element, list, step: (number) => choose(flat.findIndex((entry) => entry.row && entry.row.step === number), true) };
}

function stepPanel(row, trace, cited, tab, ontab) {
  const raw = (name, missing) => () => (row.raw[name] !== undefined
    ? textBlock(row.raw[name], { code: true, label: name })
    : h('p', { class: 'av-empty' }, missing));
  const tabs = tabList('Step', [
    { id: 'event', label: 'Event', body: () => [stepItems(row, cited), row.raw.event !== undefined ? h('details', null, h('summary', null, 'Event as recorded'), textBlock(row.raw.event, { code: true })) : null].filter(Boolean) },
    { id: 'request', label: 'Request', body: () => [raw('request', 'The request to the model was not recorded.')()] },
    { id: 'response', label: 'Response', body: () => [raw('response', 'The response of the model was not recorded.')()] },
    { id: 'graph', label: 'Graph', body: () => [graphView(trace.graph, row.nodes)] },
  ], tab, ontab);
  return [
    h('div', { class: 'av-step-head' }, h('h3', null, stepOf(row)), row.agent && said(row.agent),
      row.marks.map(([words, tone]) => h('span', { class: `av-tag av-${tone}` }, words)),
      h('span', { class: 'av-faint' }, [row.time, row.tokens, row.cost].filter(Boolean).join(' · ')),
      row.ref && h('span', { class: 'av-faint av-ref' }, said(row.ref))),
    tabs.bar, tabs.panel];
}

// `cited`: [item, start, end] of the text to highlight.
function stepItems(row, cited) {
  if (!row.items.length) return h('p', { class: 'av-empty' }, 'Nothing was recorded of this step.');
  return h('div', { class: 'av-items' }, row.items.map((item, index) => h('section', { class: `av-item av-item-${item.field.replace(/[^a-z_]/g, '')}` },
    h('h4', null, said(item.label)),
    textBlock(item.text, { code: item.is_code, mark: cited && cited[0] === index ? [cited[1], cited[2]] : null }))));
}

let graphs = 0;
function graphView(graph, current) {
  const arrow = `av-arrow-${++graphs}`;
  const drawing = svg('svg', { class: 'av-graph', viewBox: `0 0 ${graph.width} ${graph.height}`, width: graph.width, height: graph.height, role: 'img', 'aria-label': `Calls and flow between agents: ${graph.words}` },
    svg('defs', null, svg('marker', { id: arrow, viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto' }, svg('path', { d: 'M0 0L8 4L0 8z', class: 'av-arrow' }))),
    graph.edges.map((edge) => {
      const [a, b, c, d] = edge.points;
      const now = current.includes(edge.source) && current.includes(edge.target);
      return svg('g', { class: now ? 'av-edge av-now' : 'av-edge' },
        svg('path', { d: `M${a[0]} ${a[1]}C${b[0]} ${b[1]} ${c[0]} ${c[1]} ${d[0]} ${d[1]}`, 'marker-end': `url(#${arrow})` }),
        edge.count > 1 ? svg('text', { x: (b[0] + c[0]) / 2, y: (b[1] + c[1]) / 2 - 3 }, `×${edge.count}`) : null);
    }),
    graph.nodes.map((node) => svg('g', { class: `av-node av-node-${node.kind}${current.includes(node.id) ? ' av-now' : ''}` },
      svg('rect', { x: node.x, y: node.y, width: node.width, height: node.height, rx: node.kind === 'tool' ? 4 : 17 }),
      svg('text', { x: node.x + node.width / 2, y: node.y + node.height / 2 }, node.label),
      svg('title', null, node.id))));
  return h('div', { class: 'av-graph-box', tabindex: '0', role: 'group', 'aria-label': 'Graph' }, drawing, graph.left_out ? h('p', { class: 'av-faint' }, `and ${graph.left_out} more`) : null);
}
