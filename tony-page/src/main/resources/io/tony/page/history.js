// The list of the jobs in the history. The query is in the address, so that it can be bookmarked and shared.

import { element, names, setText, timeOf } from './dom.js';
import { Loader, request } from './requests.js';
import { count, date, duration, pageOf } from './text.js';

const ROWS = 50;
const DAY = 86_400_000;

const part = (id) => document.getElementById(id);
const form = part('filters');

function currentQuery() {
  return new URLSearchParams(location.search);
}

/** The query for the server: `age`, in days, becomes the time `since`. */
function query(wanted) {
  const query = new URLSearchParams();
  for (const [name, value] of wanted) {
    if (name === 'age') {
      query.set('since', new Date(Date.now() - Number(value) * DAY).toISOString());
    } else {
      query.set(name, value);
    }
  }
  query.set('limit', String(ROWS));
  return query;
}

async function load() {
  document.body.setAttribute('aria-busy', 'true');
  const wanted = currentQuery();
  for (const field of form.elements) {
    if (field.name !== '') {
      field.value = wanted.get(field.name) ?? '';
    }
  }
  const address = others(Object.fromEntries(wanted));
  part('compare').hidden = address === null;
  part('compare').href = address ?? '';
  await loader.load(() => request('The history', `jobs.json?${query(wanted)}`), show);
}

const loader = new Loader({
  slow: () => setText(part('position'), 'Loading…'),
  trouble,
  done: () => document.body.setAttribute('aria-busy', 'false'),
});

function trouble(text) {
  if (text !== '') {
    setText(part('position'), '');
  }
  part('trouble').hidden = text === '';
  setText(part('trouble'), text);
}

function show({ total, offset, jobs }) {
  part('jobs').replaceChildren(...jobs.map(row));
  const last = offset + jobs.length;
  setText(part('position'), total === 0 ? 'no such job' : `${offset + 1} to ${last} of ${count(total, 'job')}`);
  part('previous').disabled = offset === 0;
  part('next').disabled = last >= total;
}

function row(job) {
  const failed = job.kind ? `${job.status} (${job.kind})` : job.status;
  const begin = Date.parse(job.submitted ?? job.started ?? '');
  const cells = [
    element('th', { scope: 'row' }, element('a', { href: pageOf(job) }, ...title(job)), ...runs(job)),
    element('td', {}, element('span', { class: 'pill', 'data-status': job.status }, failed)),
    element('td', { class: 'number' }, job.execution ?? ''),
    element('td', { class: 'time' }, Number.isNaN(begin) ? '' : timeOf(begin, date(begin))),
    element('td', { class: 'number' }, took(job, begin)),
    element('td', { class: 'number' }, time(job.queueWaitMs)),
    element('td', { class: 'number' }, String(job.restarts)),
    element('td', {}, job.user),
    element('td', {}, job.queue),
    element('td', {}, job.message || job.progress || ''),
  ];
  return element('tr', {}, ...cells);
}

/** The address of the page that compares the runs of a step; null if the project, flow or job is missing. */
function others(step) {
  const given = ['project', 'flow', 'job'].map((name) => [name, step[name]]);
  return given.every(([, value]) => value) ? `compare?${new URLSearchParams(given)}` : null;
}

function runs(job) {
  const address = others(job);
  return address === null ? [] : [' ', element('a', { class: 'more', href: address, 'aria-label': `Compare the runs of ${job.job}` }, 'runs')];
}

function title({ project, flow, job, name, application }) {
  const step = [project, flow, job].filter((one) => one);
  return names(step.length > 0 ? step : [name || application]);
}

function took(job, begin) {
  const end = job.status === 'RUNNING' ? Date.now() : Date.parse(job.ended ?? '');
  return Number.isNaN(end) || Number.isNaN(begin) ? '' : duration(end - begin);
}

function time(millis) {
  return millis === undefined || millis === null ? '' : duration(millis);
}

function navigate(wanted) {
  history.pushState(null, '', wanted.size === 0 ? './' : `?${wanted}`);
  load();
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  navigate(new URLSearchParams([...new FormData(form)].filter(([, value]) => value.trim() !== '')));
});

function turn(rows) {
  const wanted = currentQuery();
  wanted.set('offset', String(Math.max(0, Number(wanted.get('offset') ?? 0) + rows)));
  navigate(wanted);
}

part('previous').addEventListener('click', () => turn(-ROWS));
part('next').addEventListener('click', () => turn(ROWS));
window.addEventListener('popstate', load);
load();
