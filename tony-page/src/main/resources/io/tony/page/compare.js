// Compares the last runs of a step. The query is in the address, so that it can be bookmarked and shared.

import { element, names, setContent, setText, timeOf } from './dom.js';
import { Loader, request } from './requests.js';
import { figure, mark, plot } from './runs.js';
import { Refused } from './source.js';
import { count, date, duration, pageOf } from './text.js';

const MONTH = 30 * 86_400_000;
const STEP = ['project', 'flow', 'job'];
const INCOMPLETE = 'Give a project, a flow and a job: only runs of the same step can be compared.';

const part = (id) => document.getElementById(id);
const form = part('filters');

let shown = { runs: [], columns: [] };

function currentQuery() {
  return new URLSearchParams(location.search);
}

function query(wanted, names, more) {
  const given = names.filter((name) => wanted.get(name)).map((name) => [name, wanted.get(name)]);
  return new URLSearchParams([...given, ...Object.entries(more)]);
}

async function load() {
  document.body.setAttribute('aria-busy', 'true');
  const wanted = currentQuery();
  for (const name of STEP) {
    form.elements[name].value = wanted.get(name) ?? '';
  }
  form.elements.last.value = wanted.get('last') ?? '30';
  const step = STEP.map((name) => wanted.get(name)).filter((one) => one);
  setContent(part('step'), step, () => (step.length === 0 ? ['Runs of a step'] : ['Runs of ', ...names(step)]));
  part('list').href = `./?${query(wanted, STEP, {})}`;
  const since = new Date(Date.now() - MONTH).toISOString();
  const questions = () => [
    request('The history', `compare.json?${query(wanted, STEP, { last: form.elements.last.value || '30' })}`),
    request('The history', `goodput.json?${query(wanted, ['project', 'flow'], { since })}`),
  ];
  const whole = step.length === STEP.length;
  await loader.load(
    () => (whole ? Promise.all(questions()) : Promise.reject(new Refused(INCOMPLETE))),
    ([runs, goodput]) => {
      show(runs, wanted.get('plot'));
      setText(part('goodput'), sentence(goodput));
    },
  );
}

const loader = new Loader({
  slow: () => setText(part('summary'), 'Loading…'),
  trouble,
  done: () => document.body.setAttribute('aria-busy', 'false'),
});

function trouble(text) {
  if (text !== '') {
    setText(part('summary'), '');
  }
  part('trouble').hidden = text === '';
  setText(part('trouble'), text);
}

function show(answer, chosen) {
  shown = answer;
  const { runs, columns } = answer;
  part('columns').replaceChildren(
    ...['Begun', 'Status'].map((name) => element('th', { scope: 'col' }, name)),
    element('th', { scope: 'col', class: 'number' }, 'execution'),
    ...columns.map(({ name }) => element('th', { scope: 'col', class: 'number' }, name)),
  );
  part('runs').replaceChildren(...runs.map((run, at) => row(run, at, columns)));
  const outlierCount = runs.filter((run) => Object.keys(run.outOfLine).length > 0).length;
  setText(
    part('summary'),
    runs.length === 0 ? 'There is no run of this step.' : `${count(runs.length, 'run')}; ${outlierCount === 0 ? 'none' : outlierCount} out of line.`,
  );
  form.elements.plot.replaceChildren(...columns.map(({ name }) => element('option', { value: name }, name)));
  if (columns.length > 0) {
    form.elements.plot.value = columns.some(({ name }) => name === chosen) ? chosen : columns[0].name;
  }
  draw();
}

function draw() {
  const column = shown.columns.find(({ name }) => name === form.elements.plot.value);
  const runs = shown.runs.map((run) => ({ title: title(run), href: pageOf(run) }));
  part('plot').replaceChildren(...(column ? [plot(column, runs)] : []));
}

function row(run, at, columns) {
  const failed = run.kind ? `${run.status} (${run.kind})` : run.status;
  return element(
    'tr',
    {},
    element('th', { scope: 'row' }, element('a', { href: pageOf(run) }, time(run))),
    element('td', {}, element('span', { class: 'pill', 'data-status': run.status }, failed)),
    cell(run.execution ?? '', ''),
    ...columns.map(({ unit, values, standings }) => cell(figure(values[at], unit), mark(standings[at]))),
  );
}

function cell(value, mark) {
  const marks = mark === '' ? [] : [element('strong', { class: 'out' }, ` ${mark}`)];
  return element('td', { class: 'number' }, value, ...marks);
}

function beginText({ submitted, started, application }) {
  const begin = Date.parse(submitted ?? started ?? '');
  return Number.isNaN(begin) ? application : date(begin);
}

function time(run) {
  const begin = Date.parse(run.submitted ?? run.started ?? '');
  return Number.isNaN(begin) ? beginText(run) : timeOf(begin, beginText(run));
}

function title(run) {
  return run.execution ? `${beginText(run)} (execution ${run.execution})` : beginText(run);
}

function sentence({ jobs, lost, unknown, goodput, millis }) {
  if (jobs === 0) {
    return 'No job of it has begun.';
  }
  const share = goodput === undefined ? 'It is not known' : `${(goodput * 100).toFixed(1)} % of ${duration(millis)} trained and was kept`;
  const rest = [lost > 0 ? `${lost} lost` : '', unknown > 0 ? `${unknown} of which no goodput is known` : ''].filter((one) => one);
  return `${share}: ${count(jobs, 'job')}${rest.length === 0 ? '' : `, ${rest.join(', ')}`}.`;
}

function navigate() {
  const wanted = new URLSearchParams([...new FormData(form)].filter(([, value]) => value.trim() !== ''));
  window.history.pushState(null, '', `compare?${wanted}`);
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  navigate();
  load();
});
form.elements.plot.addEventListener('change', () => {
  navigate();
  draw();
});
window.addEventListener('popstate', load);
load();
