// The page of one job: what its log tells, redrawn when more has come.

import { Azkaban, SessionExpired } from './azkaban.js';
import { chart } from './chart.js';
import { element, setText } from './dom.js';
import { Follower } from './follower.js';
import { Job } from './job.js';
import { EventReader } from './log.js';
import { TaskTable } from './tasks.js';
import { clock, count, duration, percent, webAddress } from './text.js';

/** More are in the log; a page that lists all does not help. */
const LISTED = 100;

/** Milliseconds; a chart is not redrawn more often while a long log is read. */
const CHART_PACE = 500;

const part = (id) => document.getElementById(id);

class Page {
  #azkaban;
  #table = new TaskTable(part);
  #job = new Job();
  #events = new EventReader();
  #attempts = [];
  #shown = 0;
  #ended = false;
  #follower = null;
  #scheduled = false;
  #chartsDrawn = -Infinity;
  #chartsLater = null;
  #chartSamples = 0;

  constructor(azkaban, execution, name) {
    this.#azkaban = azkaban;
    document.title = `${name} · TonY`;
    setText(part('job'), name);
    setText(part('execution'), `Execution ${execution}`);
    part('execution').href = azkaban.executionPage;
    part('attempt').addEventListener('change', (event) => this.follow(Number(event.target.value)));
    setInterval(() => this.#drawTime(), 1000);
  }

  /** @param chosen an attempt counted from 0, or null for the latest */
  follow(chosen) {
    this.#follower?.stop();
    const follower = new Follower(this.#azkaban, chosen, this);
    this.#follower = follower;
    document.body.setAttribute('aria-busy', 'true');
    follower.run().finally(() => this.#rest(follower));
  }

  // What it told last is drawn by then, in the same frame. One that another has taken over from says nothing.
  #rest(follower) {
    requestAnimationFrame(() => {
      if (this.#follower === follower) {
        document.body.setAttribute('aria-busy', 'false');
      }
    });
  }

  // ---- What the follower tells ----

  begin() {
    this.#job = new Job();
    this.#events = new EventReader();
    this.#chartSamples = 0;
    this.#ended = false;
    part('charts').replaceChildren();
  }

  attempts(list, shown) {
    this.#attempts = list;
    this.#shown = shown;
    this.#ended = list[shown].ended;
    this.#redraw();
  }

  lines(lines) {
    for (const line of lines) {
      this.#events.eventsOf(line).forEach((event) => this.#job.apply(event));
    }
    this.#redraw();
  }

  trouble(error, final) {
    const box = part('trouble');
    box.hidden = error === null;
    if (error === null) {
      return;
    }
    if (error instanceof SessionExpired) {
      box.replaceChildren(
        `${error.message} Log in to `,
        element('a', { href: '../' }, 'Azkaban'),
        ' and load this page again.',
      );
    } else {
      box.replaceChildren(`${error.message} ${final ? '' : 'The page tries again.'}`);
    }
  }

  // ---- What is shown ----

  #redraw() {
    if (!this.#scheduled) {
      this.#scheduled = true;
      requestAnimationFrame(() => {
        this.#scheduled = false;
        this.#draw();
      });
    }
  }

  #draw() {
    this.#drawAttempts();
    this.#drawState();
    this.#drawTime();
    this.#drawFailure();
    this.#drawCharts();
    this.#drawLists();
    part('tasks').hidden = this.#job.tasks.size === 0;
    this.#table.show(this.#job);
    part('incomplete').hidden = this.#job.whole;
    part('nothing').hidden = !(this.#ended && this.#job.events === 0);
  }

  #drawAttempts() {
    const choice = part('attempt');
    this.#attempts.forEach(({ status }, number) => {
      const option = choice.options[number] ?? choice.appendChild(element('option', { value: number }));
      setText(option, `Attempt ${number + 1} of ${this.#attempts.length}: ${status}`);
    });
    choice.value = String(this.#shown);
    choice.disabled = this.#attempts.length === 1;
    part('azkaban-log').href = this.#azkaban.logPage(this.#shown);
  }

  #drawState() {
    const job = this.#job;
    const { status } = this.#attempts[this.#shown];
    const state = part('state');
    setText(state, status);
    state.dataset.status = status;
    setText(part('phase'), !this.#ended ? job.phase : job.result?.status === 'SUCCEEDED' ? job.result.message : '');
    setText(part('application'), job.application || 'not known yet');
    setText(part('queue'), job.queue || 'not known yet');
    const counts = job.counts();
    setText(
      part('task-counts'),
      job.tasks.size === 0
        ? 'not known yet'
        : counts.map(([name, number]) => `${number.toLocaleString('en')} ${name}`).join(', '),
    );
    offer(part('tracking'), job.trackingUrl);
    offer(part('tensorboard'), job.tensorBoardUrl);
  }

  #drawTime() {
    const attempt = this.#attempts[this.#shown];
    if (attempt === undefined) {
      return;
    }
    const now = Date.now();
    setText(part('elapsed'), attempt.start === null ? 'not started' : duration((attempt.end ?? now) - attempt.start));
    const progress = this.#job.progress();
    part('progress').hidden = progress === null;
    if (progress !== null) {
      part('progress-bar').value = progress.fraction;
      const left = this.#ended || !(progress.end > now) ? '' : `, about ${duration(progress.end - now)} left`;
      setText(part('progress-text'), `${percent(progress.fraction)}${left}`);
    }
  }

  #drawFailure() {
    const { result } = this.#job;
    const failed = this.#ended && (result !== null ? result.status !== 'SUCCEEDED' : this.#job.failures.length > 0);
    part('failure').hidden = !failed;
    if (!failed) {
      return;
    }
    const failure = this.#job.failure();
    const kind = result?.kind ? ` (${result.kind})` : '';
    setText(part('failure-message'), `${result?.message || failure?.message || 'It did not say why.'}${kind}`);
    const stderr = failure?.stderr ?? '';
    part('stderr').hidden = stderr === '';
    setText(part('stderr-title'), `The last lines of the stderr of ${failure?.task}`);
    setText(part('stderr-text'), stderr);
    offer(part('failure-log'), failure?.log ?? '');
  }

  #drawCharts() {
    const charts = this.#job.metrics.charts();
    part('usage').hidden = charts.length === 0;
    const samples = charts.reduce((sum, { lines }) => sum + lines.reduce((all, { points }) => all + points.length, 0), 0);
    const now = performance.now();
    if (samples === this.#chartSamples) {
      return;
    }
    if (!this.#ended && now - this.#chartsDrawn < CHART_PACE) {
      this.#chartsLater ??= setTimeout(() => {
        this.#chartsLater = null;
        this.#redraw();
      }, CHART_PACE);
      return;
    }
    this.#chartSamples = samples;
    this.#chartsDrawn = now;
    const since = this.#attempts[this.#shown].start ?? Infinity;
    const roles = new Set(charts.map(({ role }) => role));
    part('charts').replaceChildren(
      ...[...roles].map((role) =>
        element('div', { class: 'role' }, ...charts.filter((one) => one.role === role).map((one) => chart(one, since))),
      ),
    );
  }

  #drawLists() {
    const { mishaps, advice } = this.#job;
    fill(part('mishaps'), mishaps.slice(-LISTED), ({ time, task, what, reason }) => [
      element('time', { datetime: new Date(time).toISOString() }, clock(time)),
      element('b', {}, task === '' ? what : `${task} ${what}`),
      ...(reason === '' ? [] : [element('p', {}, reason)]),
    ]);
    part('restarts').hidden = mishaps.length === 0;
    setText(
      part('mishap-count'),
      mishaps.length <= LISTED ? '' : `The last ${LISTED} of ${count(mishaps.length, 'event')}; the log has all.`,
    );
    fill(part('advice-list'), advice, (text) => [text]);
    part('advice').hidden = advice.length === 0;
  }
}

/** Shows a link when its address is known and one of a web page. */
function offer(link, address) {
  const href = webAddress(address);
  link.hidden = href === null;
  if (href !== null) {
    link.href = href;
  }
}

/** Makes an item of a list for each value, where there are others than before. */
function fill(list, values, content) {
  const key = JSON.stringify(values);
  if (list.dataset.key !== key) {
    list.dataset.key = key;
    list.replaceChildren(...values.map((value) => element('li', {}, ...content(value))));
  }
}

function begin() {
  const asked = new URLSearchParams(location.search);
  const execution = asked.get('execid') ?? '';
  const name = asked.get('jobid') ?? '';
  if (!/^\d+$/.test(execution) || name === '') {
    const box = part('trouble');
    box.hidden = false;
    setText(box, 'This page is about one job. Open it from the tab of the job’s page in Azkaban.');
    return;
  }
  const chosen = asked.get('attempt') ?? '';
  new Page(new Azkaban(execution, name), execution, name).follow(/^\d+$/.test(chosen) ? Number(chosen) : null);
}

begin();
