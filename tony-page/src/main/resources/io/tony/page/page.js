// The page of one job, redrawn when there are new events.

import { Azkaban } from './azkaban.js';
import { nonFiniteText } from './chart.js';
import { element, externalLink, names, setContent, setText, timeOf } from './dom.js';
import { Follower } from './follower.js';
import { Job } from './job.js';
import { ServedJob } from './jobserver.js';
import { LogView } from './logview.js';
import { OptionTable } from './options.js';
import { Pictures } from './pictures.js';
import { SessionExpired } from './source.js';
import { TaskTable } from './tasks.js';
import { clock, count, date, duration, percent, plain, webAddress } from './text.js';

/** Maximum number of listed restarts and losses; the log has all. */
const MAX_LISTED = 100;

/** Milliseconds after which a page without data shows that it is loading. */
const SLOW_MS = 1_000;

/** Maximum number of NaN or infinite values in the headline; the charts show all. */
const MAX_NON_FINITE = 3;

/** Minimum milliseconds between two redraws; a single change is drawn in the next frame. */
const REDRAW_MS = 250;

const part = (id) => document.getElementById(id);

class Page {
  #source;
  /** Shows the logs of tasks; null if the source has none. */
  #logView;
  #table;
  #options = new OptionTable(part);
  #pictures = new Pictures(part, () => this.#redraw());
  #job = new Job();
  #attempts = [];
  #shown = 0;
  #ended = false;
  #follower = null;
  #scheduled = false;
  #drawn = -Infinity;
  /** Whether the follower has delivered everything. */
  #finished = false;

  constructor(source) {
    this.#source = source;
    this.#logView = source.taskLog === null ? null : new LogView(part, source);
    this.#table = new TaskTable(part, this.#logView === null ? null : (id, back) => this.#logView.open(id, back));
    part('failure-open').addEventListener('click', ({ target }) =>
      this.#logView.open(target.dataset.task, () => target.focus()),
    );
    this.#drawPlace();
    part('attempt').addEventListener('change', (event) => this.follow(Number(event.target.value)));
    setInterval(() => this.#drawTime(), 1000);
    setTimeout(() => this.#attempts.length === 0 && part('trouble').hidden && setText(part('phase'), 'Loading…'), SLOW_MS);
  }

  /** @param chosen an attempt counted from 0; null for the latest */
  follow(chosen) {
    this.#follower?.stop();
    const follower = new Follower(this.#source, chosen, this);
    this.#follower = follower;
    this.#finished = false;
    document.body.setAttribute('aria-busy', 'true');
    follower.run().finally(() => this.#finish(follower));
  }

  // The last events are drawn by the next frame. Ignores a follower that another one has replaced.
  #finish(follower) {
    requestAnimationFrame(() => {
      if (this.#follower === follower) {
        this.#finished = true;
        this.#draw();
        document.body.setAttribute('aria-busy', 'false');
      }
    });
  }

  // ---- Called by the follower ----

  begin() {
    this.#job = new Job();
    this.#ended = false;
    this.#pictures.begin();
  }

  attempts(list, shown) {
    this.#attempts = list;
    this.#shown = shown;
    this.#ended = list[shown].ended;
    this.#redraw();
  }

  events(events) {
    for (const event of events) {
      this.#job.apply(event);
    }
    this.#redraw();
  }

  trouble(error, final) {
    const box = part('trouble');
    // After the job's end, a server that is gone is no error: a note links to the job's page in the history.
    box.hidden = error === null || (this.#ended && this.#source.successor !== null && !(error instanceof SessionExpired));
    if (box.hidden) {
      return;
    }
    if (this.#attempts.length === 0) {
      setText(part('phase'), '');
    }
    setContent(box, [error.message, final, this.#source.path, this.#source.successor], () => this.#troubleContent(error, final));
  }

  #troubleContent(error, final) {
    if (error instanceof SessionExpired) {
      const login = element('a', { href: this.#source.path[0]?.href ?? './' }, this.#source.path[0]?.label ?? 'it');
      return [`${error.message} Log in to `, login, ' and load this page again.'];
    }
    const href = webAddress(this.#source.successor);
    return [
      `${error.message} ${final ? '' : 'The page tries again.'}`,
      ...(href === null ? [] : [' If the job has ended, ', element('a', { href }, 'the history has its page'), '.']),
    ];
  }

  // ---- Drawing ----

  #redraw() {
    if (this.#scheduled) {
      return;
    }
    this.#scheduled = true;
    const draw = () =>
      requestAnimationFrame(() => {
        this.#scheduled = false;
        this.#draw();
      });
    const wait = this.#drawn + REDRAW_MS - performance.now();
    if (wait <= 0) {
      draw();
    } else {
      setTimeout(draw, wait);
    }
  }

  #draw() {
    if (this.#attempts.length === 0) {
      return;
    }
    this.#drawn = performance.now();
    if (this.#ended && this.#attempts[this.#shown].status === 'LOST') {
      this.#job.markLost();
    }
    this.#drawPlace();
    this.#drawAttempts();
    const explained = this.#explained();
    this.#drawState(explained.submitted);
    this.#drawTime();
    this.#drawFailure(explained);
    this.#pictures.draw(this.#job, this.#attempts[this.#shown].start, this.#finished);
    this.#drawLists();
    part('tasks').hidden = this.#job.tasks.size === 0;
    this.#table.show(this.#job);
    this.#logView?.show(this.#job, this.#ended);
    this.#options.show(this.#job);
    this.#drawOrigin();
    this.#drawMoved();
    const { labels, hasGap } = this.#source;
    setText(part('incomplete'), this.#job.whole ? labels.gap : labels.incomplete);
    part('incomplete').hidden = this.#job.whole && !hasGap;
    setText(part('nothing'), explained.text);
    part('nothing').hidden = !(this.#ended && this.#job.events === 0) || explained.lines.length > 0;
  }

  #drawPlace() {
    const { title, path } = this.#source;
    document.title = `${plain(title)} · TonY`;
    setText(part('job'), title);
    setContent(part('place'), path, () =>
      path.flatMap(({ label, href }, depth) => [
        ...(depth === 0 ? [] : [' ', element('span', { 'aria-hidden': 'true' }, '›'), ' ']),
        element('a', { href }, element('bdi', {}, label)),
      ]),
    );
  }

  #drawOrigin() {
    const { origin } = this.#source;
    part('origin').hidden = origin === null;
    setContent(part('origin'), origin, () =>
      origin === null ? [] : [`${origin.text} `, externalLink(origin.href, 'Open the history')],
    );
  }

  #drawMoved() {
    const href = webAddress(this.#source.successor);
    part('moved').hidden = !this.#ended || href === null;
    setContent(part('moved'), href, () => [
      'The job has ended. Its page is in the history now, with its logs: ',
      element('a', { href: href ?? '' }, 'open the job in the history'),
      '.',
    ]);
  }

  #drawAttempts() {
    const choice = part('attempt');
    this.#attempts.forEach(({ status }, number) => {
      const option = choice.options[number] ?? choice.appendChild(element('option', { value: number }));
      setText(option, `Attempt ${number + 1} of ${this.#attempts.length}: ${status}`);
    });
    choice.value = String(this.#shown);
    choice.hidden = this.#attempts.length === 1;
    const log = this.#source.log(this.#shown);
    part('log').hidden = log === null;
    if (log !== null) {
      part('log').href = log.href;
      setText(part('log'), log.label);
    }
  }

  #drawState(submitted) {
    const job = this.#job;
    const { status } = this.#attempts[this.#shown];
    const state = part('state');
    setText(state, status);
    state.dataset.status = status;
    setText(part('phase'), !this.#ended ? job.phase : job.result?.status === 'SUCCEEDED' ? job.result.message : '');
    const unknown = !this.#ended ? 'not known yet' : submitted ? 'not known' : 'none';
    setText(part('application'), job.application || unknown);
    setText(part('queue'), job.queue || unknown);
    this.#drawNonFinite();
    showFact(part('user'), job.user);
    this.#drawFlow();
    showFact(part('checkpoint'), job.checkpoint);
    const counts = job.counts();
    setText(
      part('task-counts'),
      job.tasks.size === 0
        ? unknown
        : counts.map(([name, number]) => `${number.toLocaleString('en')} ${name}`).join(', '),
    );
    showLink(part('tracking'), job.trackingUrl);
    showLink(part('tensorboard'), job.tensorBoardUrl);
  }

  #drawFlow() {
    const { flow, execution } = this.#job;
    part('flow').parentElement.hidden = flow.length === 0 && execution === '';
    setContent(part('flow'), [flow, execution], () => [
      ...names(flow),
      ...(execution === '' ? [] : [' (execution ', element('bdi', {}, execution), ')']),
    ]);
  }

  #drawNonFinite() {
    const nonFinite = this.#job.curves.nonFinite();
    const is = this.#ended ? 'was at last' : 'is';
    const more = nonFinite.length > MAX_NON_FINITE ? [`${nonFinite.length - MAX_NON_FINITE} more`] : [];
    const texts = nonFinite
      .slice(0, MAX_NON_FINITE)
      .map(({ task, name, firstNonFinite }) => `${name} of ${task} ${is} ${nonFiniteText(firstNonFinite)}`);
    part('strange').hidden = texts.length === 0;
    setText(part('strange'), [...texts, ...more].join('; '));
  }

  #drawTime() {
    const attempt = this.#attempts[this.#shown];
    if (attempt === undefined) {
      return;
    }
    const now = Date.now();
    const { submitted, started, finished } = this.#job;
    drawTime(part('submitted'), submitted);
    drawTime(part('started'), started);
    drawTime(part('finished'), this.#ended ? (finished ?? attempt.end) : null);
    setText(part('elapsed-name'), this.#ended ? this.#source.labels.took : 'Elapsed');
    setText(part('elapsed'), attempt.start === null ? 'not started' : duration((attempt.end ?? now) - attempt.start));
    const progress = this.#job.progress();
    part('progress').hidden = progress === null;
    if (progress !== null) {
      part('progress-bar').value = progress.fraction;
      const left = this.#ended || !(progress.end > now) ? '' : `, about ${duration(progress.end - now)} left`;
      setText(part('progress-text'), `${percent(progress.fraction)}${left}`);
    }
  }

  /** Explains an end that no event reports; the text is empty if an event does. */
  #explained() {
    const lost = this.#attempts[this.#shown].status === 'LOST';
    const recorded = !this.#ended || (!lost && (this.#job.result !== null || this.#job.failures.length > 0));
    return recorded ? { text: '', lines: [], submitted: true } : this.#source.explain(this.#attempts[this.#shown]);
  }

  #drawFailure({ text, lines }) {
    const { result } = this.#job;
    part('reasons').hidden = lines.length === 0;
    setText(part('reasons'), plain(lines.join('\n')));
    const explained = lines.length > 0;
    const lost = this.#attempts[this.#shown].status === 'LOST';
    const failed =
      this.#ended && (lost || (result !== null ? result.status !== 'SUCCEEDED' : explained || this.#job.failures.length > 0));
    part('failure').hidden = !failed;
    if (!failed) {
      return;
    }
    const failure = this.#job.failure();
    const kind = result?.kind && result.kind !== result.status ? ` (${result.kind})` : '';
    const message = (lost ? text : '') || result?.message || failure?.message || text || 'It did not say why.';
    setText(part('failure-message'), `${message}${kind}`);
    setText(part('failure-others'), this.#job.followers);
    part('failure-others').hidden = this.#job.followers === '';
    const stderr = failure?.stderr ?? '';
    part('stderr').hidden = stderr === '';
    setText(part('stderr-title'), `The last lines of the stderr of ${failure?.task}`);
    setText(part('stderr-text'), stderr);
    showLink(part('failure-log'), this.#logView === null ? failure?.log ?? '' : '');
    part('failure-open').hidden = this.#logView === null || !failure?.log;
    part('failure-open').dataset.task = failure?.task ?? '';
  }

  #drawLists() {
    const { mishaps, mishapCount, advice } = this.#job;
    setContent(part('mishaps'), mishaps.slice(-MAX_LISTED), (shown) => this.#mishapItems(shown));
    part('restarts').hidden = mishaps.length === 0;
    setText(
      part('mishap-count'),
      mishapCount <= MAX_LISTED ? '' : `The last ${MAX_LISTED} of ${count(mishapCount, 'event')}; the log has all.`,
    );
    setContent(part('advice-list'), advice, (list) => list.map((text) => element('li', {}, text)));
    part('advice').hidden = advice.length === 0;
  }

  /** The items, each day's under its date, unless all of them are of the day on which the log begins. */
  #mishapItems(mishaps) {
    const dayOf = (time) => date(time).split(' ')[0];
    let day = mishaps.every(({ time }) => dayOf(time) === dayOf(this.#job.began)) ? dayOf(this.#job.began) : '';
    return mishaps.flatMap(({ time, task, what, reason }) => {
      const isNewDay = dayOf(time) !== day;
      day = dayOf(time);
      return [
        ...(isNewDay ? [element('li', { class: 'day' }, timeOf(time, day))] : []),
        element(
          'li',
          {},
          timeOf(time, clock(time)),
          element('b', {}, task === '' ? what : `${task} ${what}`),
          ...(reason === '' ? [] : [element('p', {}, reason)]),
        ),
      ];
    });
  }
}

/** Shows a time with its label if known. */
function drawTime(fact, millis) {
  fact.parentElement.hidden = millis === null;
  setContent(fact, millis, () => (millis === null ? [] : [timeOf(millis)]));
}

/** Shows a link if its address is http(s). */
function showLink(link, address) {
  const href = webAddress(address);
  link.hidden = href === null;
  if (href !== null) {
    link.href = href;
  }
}

/** Shows a text with its label if not empty. */
function showFact(fact, text) {
  fact.parentElement.hidden = text === '';
  setText(fact, text);
}

/** Azkaban's link has an execution and a job; elsewhere the page is served beside the events that it shows. */
function begin() {
  const query = new URLSearchParams(location.search);
  const execution = query.get('execid');
  const job = query.get('jobid');
  if (execution === null && job === null) {
    new Page(new ServedJob()).follow(null);
    return;
  }
  if (!/^\d+$/.test(execution ?? '') || !job) {
    const box = part('trouble');
    box.hidden = false;
    setText(box, 'This page is about one job. Open it from the tab of the job’s page in Azkaban.');
    return;
  }
  const chosen = query.get('attempt') ?? '';
  new Page(new Azkaban(execution, job, location.href)).follow(/^\d+$/.test(chosen) ? Number(chosen) : null);
}

begin();
