// The page of one job: what its log tells, redrawn when more has come.

import { Azkaban } from './azkaban.js';
import { element, externalLink, setText } from './dom.js';
import { Follower } from './follower.js';
import { Job } from './job.js';
import { LogView } from './logview.js';
import { OptionTable } from './options.js';
import { Pictures } from './pictures.js';
import { Served } from './served.js';
import { SessionExpired } from './source.js';
import { TaskTable } from './tasks.js';
import { clock, count, duration, percent, plain, webAddress } from './text.js';

/** More are in the log; a page that lists all does not help. */
const LISTED = 100;

/** Milliseconds between two drawings; what happens once is drawn in the next frame. */
const PACE = 250;

const part = (id) => document.getElementById(id);

class Page {
  #source;
  /** What tasks write; null where the source does not tell it. */
  #written;
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
  /** Whether the follower has told all. */
  #resting = false;

  constructor(source) {
    this.#source = source;
    this.#written = source.written === null ? null : new LogView(part, source);
    this.#table = new TaskTable(part, this.#written === null ? null : (id, back) => this.#written.open(id, back));
    part('failure-open').addEventListener('click', ({ target }) =>
      this.#written.open(target.dataset.task, () => target.focus()),
    );
    this.#drawPlace();
    part('attempt').addEventListener('change', (event) => this.follow(Number(event.target.value)));
    setInterval(() => this.#drawTime(), 1000);
  }

  /** @param chosen an attempt counted from 0, or null for the latest */
  follow(chosen) {
    this.#follower?.stop();
    const follower = new Follower(this.#source, chosen, this);
    this.#follower = follower;
    this.#resting = false;
    document.body.setAttribute('aria-busy', 'true');
    follower.run().finally(() => this.#rest(follower));
  }

  // What it told last is drawn by then. One that another has taken over from says nothing.
  #rest(follower) {
    requestAnimationFrame(() => {
      if (this.#follower === follower) {
        this.#resting = true;
        this.#draw();
        document.body.setAttribute('aria-busy', 'false');
      }
    });
  }

  // ---- What the follower tells ----

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
    box.hidden = error === null;
    if (error === null) {
      return;
    }
    if (error instanceof SessionExpired) {
      box.replaceChildren(
        `${error.message} Log in to `,
        element('a', { href: this.#source.path[0]?.href ?? './' }, this.#source.path[0]?.label ?? 'it'),
        ' and load this page again.',
      );
    } else {
      box.replaceChildren(`${error.message} ${final ? '' : 'The page tries again.'}`);
    }
  }

  // ---- What is shown ----

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
    const wait = this.#drawn + PACE - performance.now();
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
    this.#drawPlace();
    this.#drawAttempts();
    const explained = this.#explained();
    this.#drawState(explained.submitted);
    this.#drawTime();
    this.#drawFailure(explained);
    this.#pictures.draw(this.#job, this.#attempts[this.#shown].start, this.#resting);
    this.#drawLists();
    part('tasks').hidden = this.#job.tasks.size === 0;
    this.#table.show(this.#job);
    this.#written?.show(this.#job, this.#ended);
    this.#options.show(this.#job);
    this.#drawOrigin();
    setText(part('incomplete'), this.#source.words.incomplete);
    part('incomplete').hidden = this.#job.whole;
    setText(part('nothing'), explained.text);
    part('nothing').hidden = !(this.#ended && this.#job.events === 0) || explained.lines.length > 0;
  }

  #drawPlace() {
    const { title, path } = this.#source;
    document.title = `${title} · TonY`;
    setText(part('job'), title);
    const place = part('place');
    const key = JSON.stringify(path);
    if (place.dataset.key !== key) {
      place.dataset.key = key;
      place.replaceChildren(
        ...path.flatMap(({ label, href }, depth) => [
          ...(depth === 0 ? [] : [' ', element('span', { 'aria-hidden': 'true' }, '›'), ' ']),
          element('a', { href }, label),
        ]),
      );
    }
  }

  #drawOrigin() {
    const { origin } = this.#source;
    const box = part('origin');
    const key = JSON.stringify(origin);
    box.hidden = origin === null;
    if (box.dataset.key !== key) {
      box.dataset.key = key;
      box.replaceChildren(...(origin === null ? [] : [`${origin.text} `, externalLink(origin.href, 'Open the history')]));
    }
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
    tell(part('user'), job.user);
    tell(part('flow'), job.flow);
    tell(part('checkpoint'), job.checkpoint);
    const counts = job.counts();
    setText(
      part('task-counts'),
      job.tasks.size === 0
        ? unknown
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

  /** What is said instead of an event that tells the end; nothing where there is such an event. */
  #explained() {
    const told = !this.#ended || this.#job.result !== null || this.#job.failures.length > 0;
    return told ? { text: '', lines: [], submitted: true } : this.#source.explain(this.#attempts[this.#shown]);
  }

  #drawFailure({ text, lines }) {
    const { result } = this.#job;
    part('reasons').hidden = lines.length === 0;
    setText(part('reasons'), plain(lines.join('\n')));
    const explained = lines.length > 0;
    const failed =
      this.#ended && (result !== null ? result.status !== 'SUCCEEDED' : explained || this.#job.failures.length > 0);
    part('failure').hidden = !failed;
    if (!failed) {
      return;
    }
    const failure = this.#job.failure();
    const kind = result?.kind && result.kind !== result.status ? ` (${result.kind})` : '';
    const message = result?.message || failure?.message || text || 'It did not say why.';
    setText(part('failure-message'), `${message}${kind}`);
    setText(part('failure-others'), this.#job.followers);
    part('failure-others').hidden = this.#job.followers === '';
    const stderr = failure?.stderr ?? '';
    part('stderr').hidden = stderr === '';
    setText(part('stderr-title'), `The last lines of the stderr of ${failure?.task}`);
    setText(part('stderr-text'), stderr);
    offer(part('failure-log'), this.#written === null ? failure?.log ?? '' : '');
    part('failure-open').hidden = this.#written === null || !failure?.log;
    part('failure-open').dataset.task = failure?.task ?? '';
  }

  #drawLists() {
    const { mishaps, mishapCount, advice } = this.#job;
    fill(part('mishaps'), mishaps.slice(-LISTED), ({ time, task, what, reason }) => [
      element('time', { datetime: new Date(time).toISOString() }, clock(time)),
      element('b', {}, task === '' ? what : `${task} ${what}`),
      ...(reason === '' ? [] : [element('p', {}, reason)]),
    ]);
    part('restarts').hidden = mishaps.length === 0;
    setText(
      part('mishap-count'),
      mishapCount <= LISTED ? '' : `The last ${LISTED} of ${count(mishapCount, 'event')}; the log has all.`,
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

/** Shows a fact with its name when it is known. */
function tell(fact, text) {
  fact.parentElement.hidden = text === '';
  setText(fact, text);
}

/** Makes an item of a list for each value, where there are others than before. */
function fill(list, values, content) {
  const key = JSON.stringify(values);
  if (list.dataset.key !== key) {
    list.dataset.key = key;
    list.replaceChildren(...values.map((value) => element('li', {}, ...content(value))));
  }
}

/** Azkaban's link names an execution and a job; elsewhere the page lies beside the events that it is to show. */
function begin() {
  const asked = new URLSearchParams(location.search);
  const execution = asked.get('execid');
  const job = asked.get('jobid');
  if (execution === null && job === null) {
    new Page(new Served()).follow(null);
    return;
  }
  if (!/^\d+$/.test(execution ?? '') || !job) {
    const box = part('trouble');
    box.hidden = false;
    setText(box, 'This page is about one job. Open it from the tab of the job’s page in Azkaban.');
    return;
  }
  const chosen = asked.get('attempt') ?? '';
  new Page(new Azkaban(execution, job, location.href)).follow(/^\d+$/.test(chosen) ? Number(chosen) : null);
}

begin();
