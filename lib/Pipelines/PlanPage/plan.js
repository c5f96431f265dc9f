// Draws the plan that stands in the page: figures, timeline, frontier, tables.
// Every name is shown as text, never as markup. `#self-test` checks the page.
'use strict';

const byId = (id) => document.getElementById(id);
const root = document.documentElement;

window.addEventListener('error', (event) => {
  root.dataset.error = event.message;
  byId('failure').hidden = false;
  byId('failure').textContent = 'This page could not be drawn: ' + event.message;
});

const plan = JSON.parse(byId('plan').textContent);
const timeline = plan.timeline;
const columns = timeline.columns;
const step = timeline.launches_of_column;
// What stays for the whole step lies at the bottom of the stack.
const stack = ['parameters', 'optimizer', 'gradients', 'activations', 'transients', 'communication', 'workspace']
  .filter((category) => columns.bytes[category]);
const totals = columns.launch.map((_, i) => stack.reduce((sum, category) => sum + columns.bytes[category][i], 0));

function make(space, tag, attributes, ...children) {
  const node = space ? document.createElementNS(space, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    node.setAttribute(name, value);
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}
const html = (tag, attributes, ...children) => make(null, tag, attributes, ...children);
const svg = (tag, attributes, ...children) => make('http://www.w3.org/2000/svg', tag, attributes, ...children);
const color = (category) => `var(--${category})`;
const swatch = (category) => html('span', {class: 'swatch', style: `background:${color(category)}`});

// As nlp-plan prints sizes: four digits at most, in the largest binary unit.
function formatSize(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let value = bytes, unit = 0;
  for (; Math.abs(value) >= 1024 && unit < units.length - 1; ++unit)
    value /= 1024;
  return Number(value.toPrecision(4)) + units[unit];
}
const formatCount = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, ',');
function formatSeconds(seconds) {
  const [scale, unit] = seconds >= 1 || seconds === 0 ? [1, 's'] : seconds >= 1e-3 ? [1e3, 'ms'] : [1e6, 'µs'];
  return Number((seconds * scale).toPrecision(4)) + ' ' + unit;
}
const formatShare = (share) => (share * 100).toFixed(1) + ' %';

// Ticks from `low` to `high`, about `count`, at round multiples of `unit`.
function listTicks(low, high, count, unit = 1) {
  const raw = Math.max((high - low) / count / unit, 1e-12);
  const power = 10 ** Math.floor(Math.log10(raw));
  const size = unit * power * [1, 2, 5, 10].find((factor) => factor * power >= raw * 0.999);
  const ticks = [];
  for (let i = Math.ceil(low / size - 1e-9); i * size <= high * (1 + 1e-12); ++i)
    ticks.push(i * size);
  return ticks;
}
const sizeUnit = (bytes) => 1024 ** Math.min(4, Math.max(0, Math.floor(Math.log2(Math.max(bytes, 1)) / 10)));

// ---- Figures -------------------------------------------------------------

function drawFigures() {
  document.title = plan.model + ' – nlp-plan';
  byId('model').textContent = plan.model;
  byId('verdict').className = 'verdict ' + (plan.feasible ? 'yes' : 'no');
  byId('verdict').textContent = plan.feasible
    ? `fits: ${formatSize(plan.peak_bytes)} of ${formatSize(plan.budget_bytes)} (${formatShare(plan.peak_bytes / plan.budget_bytes)})`
    : `does not fit: the budget is ${formatSize(plan.budget_bytes)}, the smallest that would do is ` +
      `${formatSize(plan.min_feasible_bytes)} (${formatCount(plan.min_feasible_bytes)} bytes)`;
  const facts = plan.facts.slice();
  const added = plan.step_seconds / plan.keep_all_seconds - 1;
  facts.push(['recomputed', timeline.recomputed_launches === 0 ? 'nothing'
    : `${formatCount(timeline.recomputed_launches)} launches a step, ${(added * 100).toFixed(2)} % more time than keeping everything`]);
  for (const [name, value] of facts)
    byId('facts').append(html('tr', {}, html('th', {scope: 'row'}, name), html('td', {}, value)));
  const parts = Object.entries(plan.breakdown).filter(([, bytes]) => bytes !== 0).sort((a, b) => b[1] - a[1]);
  for (const [name, bytes] of parts) {
    const share = bytes / plan.peak_bytes;
    byId('breakdown').append(html('tr', {},
      html('td', {}, swatch(name), name),
      html('td', {class: 'bars'}, html('span', {class: 'bar', style: `background:${color(name)};width:${(100 * bytes / parts[0][1]).toFixed(2)}%`})),
      html('td', {class: 'right'}, formatSize(bytes)),
      html('td', {class: 'right'}, formatShare(share))));
  }
  byId('breakdown').append(html('tr', {}, html('td', {}, html('b', {}, 'arena')), html('td', {}),
    html('td', {class: 'right'}, html('b', {}, formatSize(plan.peak_bytes))),
    html('td', {class: 'right'}, formatCount(plan.peak_bytes) + ' bytes')));
  byId('misfit').hidden = plan.relaxations.length === 0;
  for (const text of plan.relaxations)
    byId('relaxations').append(html('li', {}, text));
  for (const category of stack)
    byId('legend').append(html('span', {}, swatch(category), category));
}

// ---- Tooltip -------------------------------------------------------------

function showTooltip(x, y, ...children) {
  const tooltip = byId('tooltip');
  tooltip.replaceChildren(...children);
  tooltip.hidden = false;
  const box = tooltip.getBoundingClientRect();
  tooltip.style.left = (x + 18 + box.width > innerWidth ? Math.max(4, x - 18 - box.width) : x + 18) + 'px';
  tooltip.style.top = Math.max(4, Math.min(y + 12, innerHeight - box.height - 4)) + 'px';
}
const hideTooltip = () => { byId('tooltip').hidden = true; };
const soft = (text) => html('div', {class: 'soft'}, text);

// The browser may scale a picture: between the pointer's place and the picture's.
const scaleOf = (picture) => picture.getBoundingClientRect().width / picture.viewBox.baseVal.width;
const toPicture = (picture, clientX) => (clientX - picture.getBoundingClientRect().left) / scaleOf(picture);
const toClient = (picture, x) => picture.getBoundingClientRect().left + x * scaleOf(picture);

// ---- Timeline ------------------------------------------------------------

const view = {from: 0, to: timeline.launches, life: null, cursor: null};
let frame = null; // where the drawn plot stands

const beginOf = (column) => column * step;
const endOf = (column) => Math.min((column + 1) * step, timeline.launches);
const columnAt = (launch) => Math.max(0, Math.min(totals.length - 1, Math.floor(launch / step)));
const phaseAt = (launch) => timeline.phases.find((phase) => phase.begin <= launch && launch < phase.end);
const microBatches = new Set(timeline.phases.map((phase) => phase.micro_batch).filter((number) => number >= 0)).size;

function namePhase(phase) {
  return phase.name + (phase.micro_batch >= 0 && microBatches > 1 ? `, micro-batch ${phase.micro_batch + 1} of ${microBatches}` : '');
}

// The area between `low` and `high`, which are bytes by column.
function areaPath(first, last, low, high, x, y) {
  let path = '';
  for (let i = first; i <= last; ++i)
    path += `${i === first ? 'M' : 'L'}${x(beginOf(i))} ${y(high[i])}H${x(endOf(i))}`;
  for (let i = last; i >= first; --i)
    path += `L${x(endOf(i))} ${y(low[i])}H${x(beginOf(i))}`;
  return path + 'Z';
}

function drawPhases(plot, x, top, height) {
  const shown = timeline.phases.filter((phase) => phase.end > view.from && phase.begin < view.to);
  for (const phase of shown) {
    const left = x(Math.max(phase.begin, view.from)), width = x(Math.min(phase.end, view.to)) - left;
    const dark = phase.name !== 'forward' && phase.name !== 'evaluate';
    plot.append(svg('rect', {x: left, y: 2, width: Math.max(0, width - 1), height: 18, rx: 2, fill: dark ? 'var(--band2)' : 'var(--band)'},
      svg('title', {}, namePhase(phase))));
    plot.append(svg('line', {class: 'axis', x1: left, x2: left, y1: 22, y2: top + height}));
    const number = phase.micro_batch >= 0 && microBatches > 1 ? ' ' + (phase.micro_batch + 1) : '';
    const label = [phase.name + number, phase.name, phase.name[0]].find((text) => width > text.length * 6.4 + 8);
    if (label)
      plot.append(svg('text', {x: left + width / 2, y: 15, 'text-anchor': 'middle'}, label));
  }
}

// Strips of equal shares of recomputed launches, joined.
function drawRecomputed(plot, first, last, x, top) {
  plot.append(svg('text', {x: frame.left - 8, y: top + 9, 'text-anchor': 'end'}, 'recomputed'));
  plot.append(svg('rect', {x: frame.left, y: top, width: frame.width, height: 10, fill: 'var(--band)'}));
  const share = (i) => i > last ? -1 : columns.recomputed[i] / (endOf(i) - beginOf(i));
  for (let i = first, begin = first; i <= last; ++i) {
    if (share(i + 1) === share(i))
      continue;
    if (share(i) > 0) {
      const left = x(Math.max(beginOf(begin), view.from));
      plot.append(svg('rect', {x: left, y: top, width: x(Math.min(endOf(i), view.to)) - left, height: 10,
        fill: 'var(--repeat)', 'fill-opacity': 0.25 + 0.75 * share(i)}));
    }
    begin = i + 1;
  }
}

function drawTimeline() {
  const width = Math.max(320, byId('timeline').clientWidth), left = 84, right = 14, top = 30, height = 330;
  frame = {left, top, height, width: width - left - right};
  const x = (launch) => +(left + (launch - view.from) / (view.to - view.from) * frame.width).toFixed(2);
  // A budget far above would press the picture flat: then it is only named.
  const showsBudget = plan.budget_bytes <= plan.peak_bytes * 1.6;
  const most = Math.max(plan.peak_bytes, showsBudget ? plan.budget_bytes : 0) * 1.1;
  const y = (bytes) => +(top + height - bytes / most * height).toFixed(2);
  frame.x = x;
  const picture = svg('svg', {viewBox: `0 0 ${width} ${top + height + 56}`, height: top + height + 56, tabindex: 0, role: 'img',
    'aria-label': `Live bytes over ${timeline.launches} launches, peak ${formatSize(plan.peak_bytes)} at ${plan.peak_at}`});
  const plot = svg('g', {});
  picture.append(plot);
  for (const bytes of listTicks(0, most, 9, sizeUnit(most))) {
    plot.append(svg('line', {class: 'grid', x1: left, x2: left + frame.width, y1: y(bytes), y2: y(bytes)}));
    plot.append(svg('text', {x: left - 8, y: y(bytes) + 4, 'text-anchor': 'end'}, formatSize(bytes)));
  }
  const first = columnAt(view.from), last = columnAt(view.to - 1);
  const inside = svg('g', {'clip-path': 'url(#plot)'});
  picture.append(svg('clipPath', {id: 'plot'}, svg('rect', {x: left, y: 0, width: frame.width, height: top + height})), inside);
  let low = totals.map(() => 0);
  for (const category of stack) {
    const high = low.map((bytes, i) => bytes + columns.bytes[category][i]);
    inside.append(svg('path', {d: areaPath(first, last, low, high, x, y), fill: color(category)}));
    low = high;
  }
  drawPhases(inside, x, top, height);
  drawRecomputed(plot, first, last, x, top + height + 9);
  for (const launch of listTicks(view.from, view.to, Math.max(3, frame.width / 110)).filter(Number.isInteger))
    plot.append(svg('text', {x: x(launch), y: top + height + 36, 'text-anchor': 'middle'}, formatCount(launch)));
  plot.append(svg('text', {x: left + frame.width / 2, y: top + height + 52, 'text-anchor': 'middle'}, 'kernel launches, in order'));
  if (view.life)
    for (const [begin, end] of view.life)
      inside.append(svg('rect', {class: 'life', x: x(begin), y: top, width: Math.max(1, x(end) - x(begin)), height}));
  if (showsBudget)
    plot.append(svg('line', {class: 'budget', x1: left, x2: left + frame.width, y1: y(plan.budget_bytes), y2: y(plan.budget_bytes)}));
  const budgetText = showsBudget ? `budget ${formatSize(plan.budget_bytes)}` : `↑ budget ${formatSize(plan.budget_bytes)}`;
  plot.append(svg('text', {class: 'bad halo', x: left + frame.width - 6, y: (showsBudget ? y(plan.budget_bytes) : top + 16) - 6, 'text-anchor': 'end'}, budgetText));
  drawPeak(inside, x, y);
  frame.cursor = svg('line', {class: 'cursor', y1: top, y2: top + height + 19, visibility: 'hidden'});
  frame.brush = svg('rect', {class: 'life', y: top, height, visibility: 'hidden'});
  picture.append(frame.cursor, frame.brush);
  byId('timeline').replaceChildren(picture);
  listenToTimeline(picture);
}

function drawPeak(plot, x, y) {
  const column = timeline.peak_column;
  const at = (x(beginOf(column)) + x(endOf(column))) / 2, height = y(totals[column]);
  plot.append(svg('line', {x1: at, x2: at, y1: height, y2: frame.top + frame.height, stroke: 'var(--peak)', 'stroke-dasharray': '2 3'}));
  plot.append(svg('circle', {cx: at, cy: height, r: 4.5, fill: 'var(--peak)', stroke: 'var(--card)', 'stroke-width': 1.5}));
  const isLeft = at > frame.left + frame.width / 2;
  plot.append(svg('text', {class: 'strong halo', x: at + (isLeft ? -10 : 10), y: Math.max(frame.top + 12, height - 8), 'text-anchor': isLeft ? 'end' : 'start'},
    `peak ${formatSize(plan.peak_bytes)} at ${plan.peak_at}`));
}

function showColumn(column, clientX, clientY) {
  const launch = columns.launch[column], phase = phaseAt(launch);
  view.cursor = column;
  const at = (frame.x(beginOf(column)) + frame.x(endOf(column))) / 2;
  frame.cursor.setAttribute('x1', at);
  frame.cursor.setAttribute('x2', at);
  frame.cursor.setAttribute('visibility', 'visible');
  const rows = stack.slice().reverse().filter((category) => columns.bytes[category][column] !== 0)
    .map((category) => html('tr', {}, html('td', {}, swatch(category), category),
      html('td', {class: 'right'}, formatSize(columns.bytes[category][column]))));
  rows.push(html('tr', {class: 'total'}, html('td', {}, 'live'), html('td', {class: 'right'}, formatSize(totals[column]))));
  const spare = plan.budget_bytes - totals[column];
  const repeats = columns.is_recomputed[column] === 1;
  showTooltip(clientX, clientY,
    html('div', {}, html('b', {}, columns.names[columns.layer[column]])),
    html('div', {}, columns.names[columns.op[column]], repeats ? html('span', {class: 'repeat'}, ' recomputed') : null),
    soft(`launch ${formatCount(launch)} of ${formatCount(timeline.launches)}` + (phase ? ` · ${namePhase(phase)}` : '')),
    step > 1 ? soft(`fullest of ${endOf(column) - beginOf(column)} launches, ${columns.recomputed[column]} recomputed`) : '',
    html('table', {}, ...rows),
    soft(spare >= 0 ? `${formatSize(spare)} below the budget` : `${formatSize(-spare)} over the budget`));
}

function leaveTimeline() {
  view.cursor = null;
  frame.cursor.setAttribute('visibility', 'hidden');
  hideTooltip();
}

function zoom(from, to) {
  [view.from, view.to] = to - from >= 4 * step ? [from, to] : [view.from, view.to];
  drawTimeline();
  noteTimeline();
}

function listenToTimeline(picture) {
  const launchAt = (event) => {
    const share = (toPicture(picture, event.clientX) - frame.left) / frame.width;
    return view.from + Math.max(0, Math.min(0.999999, share)) * (view.to - view.from);
  };
  let pressed = null;
  picture.addEventListener('pointermove', (event) => {
    const launch = launchAt(event);
    showColumn(columnAt(launch), event.clientX, event.clientY);
    if (pressed === null)
      return;
    const [a, b] = [frame.x(Math.min(pressed, launch)), frame.x(Math.max(pressed, launch))];
    frame.brush.setAttribute('x', a);
    frame.brush.setAttribute('width', b - a);
    frame.brush.setAttribute('visibility', 'visible');
  });
  picture.addEventListener('pointerdown', (event) => { if (event.pointerType === 'mouse') pressed = launchAt(event); });
  picture.addEventListener('pointerup', (event) => {
    if (pressed === null)
      return;
    const [from, to] = [pressed, launchAt(event)].sort((a, b) => a - b);
    pressed = null;
    if (frame.x(to) - frame.x(from) > 6)
      zoom(Math.floor(from), Math.ceil(to));
  });
  picture.addEventListener('dblclick', () => zoom(0, timeline.launches));
  picture.addEventListener('pointerleave', () => { pressed = null; frame.brush.setAttribute('visibility', 'hidden'); leaveTimeline(); });
  picture.addEventListener('blur', leaveTimeline);
  picture.addEventListener('keydown', (event) => {
    if (event.key === 'Escape')
      return view.to - view.from < timeline.launches ? zoom(0, timeline.launches) : leaveTimeline();
    const move = {ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20}[event.key];
    if (!move)
      return;
    event.preventDefault();
    const from = view.cursor === null ? timeline.peak_column : view.cursor + move;
    const column = Math.max(columnAt(view.from), Math.min(columnAt(view.to - 1), from));
    const box = picture.getBoundingClientRect();
    showColumn(column, toClient(picture, frame.x(beginOf(column))), box.top + frame.top + 40);
  });
}

function noteTimeline() {
  byId('timeline-note').textContent =
    (step > 1 ? `Each column is the fullest of ${step} launches. ` : '') +
    (view.to - view.from < timeline.launches ? 'Double-click or Escape shows the whole step.' : 'Drag to enlarge a part; arrow keys move launch by launch.');
}

// ---- Frontier ------------------------------------------------------------

function drawFrontier() {
  const rows = plan.frontier;
  if (rows.length === 0) {
    byId('frontier').hidden = true;
    byId('frontier-note').textContent = 'The model came with this plan; no others were searched.';
    return;
  }
  const width = Math.max(320, byId('frontier').clientWidth), left = 70, right = 16, top = 22, height = 236;
  const plotWidth = width - left - right;
  const smallest = rows[0].bytes, largest = Math.max(rows[rows.length - 1].bytes, plan.peak_bytes);
  const span = Math.max(largest - smallest, smallest * 0.02);
  const showsBudget = plan.budget_bytes > smallest - 1.5 * span && plan.budget_bytes < largest + 0.5 * span;
  const from = Math.max(0, Math.min(smallest - span * 0.06, showsBudget ? plan.budget_bytes - span * 0.04 : Infinity));
  const to = Math.max(largest + span * 0.08, showsBudget ? plan.budget_bytes + span * 0.04 : 0);
  const seconds = rows.flatMap((row) => [row.seconds, row.lower_bound_seconds]).concat(plan.step_seconds);
  const slow = Math.max(...seconds), fast = Math.min(...seconds), rise = Math.max(slow - fast, slow * 0.02);
  const bottom = Math.max(0, fast - rise * 0.1), roof = slow + rise * 0.1;
  const x = (bytes) => +(left + (bytes - from) / (to - from) * plotWidth).toFixed(2);
  const y = (value) => +(top + height - (value - bottom) / (roof - bottom) * height).toFixed(2);
  const picture = svg('svg', {viewBox: `0 0 ${width} ${top + height + 44}`, height: top + height + 44, role: 'img',
    'aria-label': `Step time over memory for ${rows.length} plans`});
  const text = (at, where, value, more = {}) => svg('text', {x: at, y: where, ...more}, value);
  for (const value of listTicks(bottom, roof, 5)) {
    picture.append(svg('line', {class: 'grid', x1: left, x2: left + plotWidth, y1: y(value), y2: y(value)}));
    picture.append(text(left - 8, y(value) + 4, formatSeconds(value), {'text-anchor': 'end'}));
  }
  for (const bytes of listTicks(from, to, Math.max(2, plotWidth / 90), sizeUnit(to))) {
    picture.append(svg('line', {class: 'grid', x1: x(bytes), x2: x(bytes), y1: top, y2: top + height}));
    picture.append(text(x(bytes), top + height + 18, formatSize(bytes), {'text-anchor': 'middle'}));
  }
  picture.append(text(left + plotWidth / 2, top + height + 38, 'memory budget', {'text-anchor': 'middle'}));
  picture.append(text(left - 8, top - 8, 'step', {'text-anchor': 'end'}));
  picture.append(svg('rect', {x: left, y: top, width: x(smallest) - left, height, fill: 'var(--band2)'}, svg('title', {}, 'no plan fits')));
  picture.append(svg('path', {d: rows.map((row, i) => `${i ? 'L' : 'M'}${x(row.bytes)} ${y(row.lower_bound_seconds)}`).join('') + `H${left + plotWidth}`,
    fill: 'none', stroke: 'var(--communication)', 'stroke-dasharray': '4 3', 'stroke-width': 1.5}));
  picture.append(svg('path', {d: rows.map((row, i) => i ? `H${x(row.bytes)}V${y(row.seconds)}` : `M${x(row.bytes)} ${y(row.seconds)}`).join('') + `H${left + plotWidth}`,
    fill: 'none', stroke: 'var(--parameters)', 'stroke-width': 2}));
  if (rows.length <= 60)
    for (const row of rows)
      picture.append(svg('circle', {cx: x(row.bytes), cy: y(row.seconds), r: 2.5, fill: 'var(--parameters)'}));
  if (showsBudget) {
    picture.append(svg('line', {class: 'budget', x1: x(plan.budget_bytes), x2: x(plan.budget_bytes), y1: top, y2: top + height}));
    picture.append(text(x(plan.budget_bytes), top - 8, `budget ${formatSize(plan.budget_bytes)}`, {class: 'bad', 'text-anchor': 'middle'}));
  }
  const isLeft = x(plan.peak_bytes) > left + plotWidth * 0.6;
  picture.append(svg('circle', {cx: x(plan.peak_bytes), cy: y(plan.step_seconds), r: 6, fill: plan.feasible ? 'var(--activations)' : 'var(--bad)', stroke: 'var(--card)', 'stroke-width': 2}));
  picture.append(text(x(plan.peak_bytes) + (isLeft ? -11 : 11), y(plan.step_seconds) - 10,
    (plan.feasible ? 'this plan: ' : 'smallest plan: ') + `${formatSize(plan.peak_bytes)}, ${formatSeconds(plan.step_seconds)}`,
    {class: 'strong halo', 'text-anchor': isLeft ? 'end' : 'start'}));
  const cursor = svg('circle', {r: 5, fill: 'none', stroke: 'var(--ink)', 'stroke-width': 1.5, visibility: 'hidden'});
  picture.append(cursor);
  picture.addEventListener('pointermove', (event) => {
    const bytes = from + (toPicture(picture, event.clientX) - left) / plotWidth * (to - from);
    const row = rows.findLast((candidate) => candidate.bytes <= bytes) || rows[0];
    cursor.setAttribute('cx', x(row.bytes));
    cursor.setAttribute('cy', y(row.seconds));
    cursor.setAttribute('visibility', 'visible');
    showTooltip(event.clientX, event.clientY,
      html('div', {}, html('b', {}, formatSize(row.bytes)), ` (${formatCount(row.bytes)} bytes)`),
      html('table', {},
        html('tr', {}, html('td', {}, 'step'), html('td', {class: 'right'}, formatSeconds(row.seconds))),
        html('tr', {}, html('td', {}, 'lower bound'), html('td', {class: 'right'}, formatSeconds(row.lower_bound_seconds))),
        html('tr', {}, html('td', {}, 'over the fastest'), html('td', {class: 'right'}, formatShare(row.seconds / rows[rows.length - 1].seconds - 1)))));
  });
  picture.addEventListener('pointerleave', () => { cursor.setAttribute('visibility', 'hidden'); hideTooltip(); });
  byId('frontier').replaceChildren(picture);
  byId('frontier-note').replaceChildren(
    html('span', {style: 'color:var(--parameters)'}, '━ '), `the fastest plan for each budget (${rows.length} plans)  `,
    html('span', {style: 'color:var(--communication)'}, '┅ '), 'lower bound of its shapes');
}

// ---- Tables --------------------------------------------------------------

function head(...names) {
  return html('thead', {}, html('tr', {}, ...names.map(([name, kind]) => html('th', {class: kind || '', scope: 'col'}, name))));
}

function drawRecomputedTable() {
  const rows = plan.recomputed;
  byId('recomputed').hidden = rows.length === 0;
  byId('recomputed-note').textContent = rows.length === 0 ? 'Nothing: every value is kept until its last use.'
    : 'Results of one micro-batch that are dropped after the forward pass and made again; * stands for a block number.';
  const shown = rows.slice(0, 12);
  byId('recomputed').append(head(['layer'], ['op'], ['results', 'right'], ['not kept', 'right']), html('tbody', {},
    ...shown.map((row) => html('tr', {}, html('td', {class: 'name'}, row.layer), html('td', {}, row.op),
      html('td', {class: 'right'}, formatCount(row.results)), html('td', {class: 'right'}, formatSize(row.bytes))))));
  if (rows.length > shown.length)
    byId('recomputed-note').append(` ${rows.length - shown.length} smaller rows are left out.`);
}

function nameLife(value) {
  const [begin, end] = value.live.find(([a, b]) => a <= columns.launch[timeline.peak_column] && columns.launch[timeline.peak_column] < b) || value.live[0];
  if (begin === 0 && end === timeline.launches)
    return 'whole step';
  const more = value.intervals > 1 ? `, ${formatCount(value.intervals)} times` : '';
  return `${formatCount(begin)} – ${formatCount(end - 1)}${more}`;
}

function drawLargest() {
  const body = html('tbody', {});
  for (const value of timeline.largest) {
    const bar = svg('svg', {viewBox: '0 0 200 10', width: 200, height: 10, preserveAspectRatio: 'none'},
      svg('rect', {width: 200, height: 10, fill: 'var(--band)'}),
      ...value.live.map(([begin, end]) => svg('rect', {x: begin / timeline.launches * 200, height: 10,
        width: Math.max(1, (end - begin) / timeline.launches * 200), fill: color(value.category)})));
    const row = html('tr', {}, html('td', {class: 'name'}, value.name), html('td', {}, value.op), html('td', {}, value.type),
      html('td', {}, swatch(value.category), value.category), html('td', {class: 'right'}, formatSize(value.bytes)),
      html('td', {class: 'right'}, formatShare(value.bytes / plan.peak_bytes)), html('td', {}, bar), html('td', {class: 'right'}, nameLife(value)));
    const setLife = (life) => { view.life = life; drawTimeline(); };
    row.addEventListener('pointerenter', () => setLife(value.live));
    row.addEventListener('pointerleave', () => setLife(null));
    body.append(row);
  }
  byId('largest').append(head(['layer or buffer'], ['written by'], ['shape'], ['category'], ['size', 'right'], ['of peak', 'right'],
    ['live'], ['launches', 'right']), body);
}

// ---- Self-test -----------------------------------------------------------

function selfTest() {
  const expect = (condition, what) => { if (!condition) throw new Error('self-test: expected ' + what); };
  const column = timeline.peak_column;
  expect(totals[column] + plan.breakdown.fragmentation === plan.peak_bytes, 'the peak column and fragmentation to add up to the peak');
  expect(Math.max(...totals) === totals[column], 'no column above the peak');
  const picture = byId('timeline').querySelector('svg');
  const point = (chart, x, y) => chart.dispatchEvent(new PointerEvent('pointermove', {clientX: x, clientY: y, bubbles: true}));
  if (plan.frontier.length > 0) {
    const chart = byId('frontier').querySelector('svg'), around = chart.getBoundingClientRect();
    point(chart, around.left + around.width / 2, around.top + 40);
    expect(byId('tooltip').textContent.includes('lower bound'), 'a tooltip on the frontier');
  }
  picture.focus();
  picture.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}));
  expect(!byId('tooltip').hidden, 'a tooltip by keyboard');
  zoom(0, Math.max(4 * step, Math.ceil(timeline.launches / 2)));
  zoom(0, timeline.launches);
  const whole = byId('timeline').querySelector('svg'), middle = (frame.x(beginOf(column)) + frame.x(endOf(column))) / 2;
  point(whole, toClient(whole, middle), whole.getBoundingClientRect().top + 120);
  const text = byId('tooltip').textContent;
  expect(view.cursor === column, `the pointer at column ${column}, not ${view.cursor}`);
  for (const part of [columns.names[columns.layer[column]], columns.names[columns.op[column]], formatSize(totals[column])])
    expect(text.includes(part), `'${part}' in the tooltip, which says '${text}'`);
  root.dataset.selfTest = 'passed';
}

drawFigures();
drawTimeline();
noteTimeline();
drawFrontier();
drawRecomputedTable();
drawLargest();
window.addEventListener('resize', () => { drawTimeline(); drawFrontier(); });
if (location.hash === '#self-test')
  selfTest();
