// What a task writes, in a panel below the table of the tasks: its last lines, and what follows while it runs.

import { element, externalLink, setContent, setText } from './dom.js';
import { startPause } from './pause.js';
import { Unreachable } from './source.js';
import { bytes, plain, webAddress } from './text.js';

/** Characters. A browser draws so many without a pause that one feels. */
const MAX_SHOWN_CHARS = 256 * 1024;

/** Milliseconds between two questions where there is more at once, or nobody answers. */
const MIN_PAUSE_MS = 50;
const RETRY_MS = 5_000;

/** Pixels from the end of the text within which somebody reads along. */
const END_TOLERANCE_PX = 8;

export class LogView {
  #source;
  #panel;
  #title;
  #files;
  #containers;
  #node;
  #state;
  #why;
  #text;
  #task = '';
  #file = 'stdout';
  #back = () => {};
  #job = null;
  #ended = false;
  /** {event, container, node, log}: what is shown. */
  #container = null;
  /** The event that names the container that was chosen; null for the newest, whichever that is. */
  #chosen = null;
  /** The offset from which on more is asked for; below 0 for the last part. */
  #from = -1;
  #raw = '';
  /** What of it is drawn, and how many characters of that have been cut since. */
  #drawn = '';
  #cut = 0;
  /** Whether the text begins with the file. */
  #whole = true;
  /** The look that is under way: another one ends it. */
  #poll = null;

  /** @param part finds the element with an id */
  constructor(part, source) {
    this.#source = source;
    this.#panel = part('written');
    this.#title = part('written-title');
    this.#files = part('written-files');
    this.#containers = part('written-container');
    this.#node = part('written-node');
    this.#state = part('written-state');
    this.#why = part('written-why');
    this.#text = part('written-text');
    this.#files.addEventListener('click', ({ target }) => target.dataset.file && this.#choose(target.dataset.file));
    this.#containers.addEventListener('change', () => {
      const newest = this.#containers.selectedIndex === this.#containers.options.length - 1;
      this.#chosen = newest ? null : (this.#selected()?.event ?? null);
      this.#begin();
    });
    document.addEventListener('selectionchange', () => this.#draw());
    part('written-close').addEventListener('click', () => this.close());
    this.#panel.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') {
        this.close();
      }
    });
  }

  /** @param back brings the focus to where it was */
  open(id, back) {
    this.#back = back;
    this.#panel.hidden = false;
    setText(this.#title, `Log of ${id}`);
    if (this.#task !== id) {
      this.#task = id;
      this.#containers.replaceChildren();
      this.#container = null;
    }
    this.#chosen = null;
    this.#drawContainers();
    this.#begin();
    this.#title.focus();
    this.#panel.scrollIntoView({ block: 'nearest' });
  }

  close() {
    this.#poll?.stop();
    this.#poll = null;
    this.#panel.hidden = true;
    this.#back();
  }

  /** The job as it is now. @param ended whether nothing of it runs any more */
  show(job, ended) {
    this.#job = job;
    this.#ended = ended;
    if (this.#panel.hidden) {
      return;
    }
    if (this.#drawContainers()) {
      this.#begin();
    } else if (this.#poll?.caughtUp && this.#isRunning()) {
      this.#follow(); // its program is started again in the same container
    }
  }

  #choose(file) {
    this.#file = file;
    this.#begin();
  }

  /** The newest is shown until another is chosen. Answers whether another is shown now. */
  #drawContainers() {
    const { allocations = [] } = this.#job?.tasks.get(this.#task) ?? {};
    const before = this.#container;
    const isListed = before === null || allocations.some(({ event }) => event === before.event);
    if (!isListed && (allocations.length === 0 || this.#job.latest < before.event)) {
      return false; // the next ApplicationMaster tells all again
    }
    allocations.forEach(({ number, container, node }, position) => {
      const option = this.#containers.options[position] ?? this.#containers.appendChild(element('option'));
      option.value = container;
      setText(option, `${number} on ${node}`);
    });
    while (this.#containers.options.length > allocations.length) {
      this.#containers.lastChild.remove();
    }
    const chosen = allocations.findIndex(({ event }) => event === this.#chosen);
    this.#containers.selectedIndex = chosen < 0 ? allocations.length - 1 : chosen;
    this.#containers.parentElement.hidden = allocations.length < 2;
    return this.#selected()?.event !== before?.event;
  }

  #selected() {
    const { allocations = [] } = this.#job?.tasks.get(this.#task) ?? {};
    return allocations[this.#containers.selectedIndex] ?? null;
  }

  /** Whether the program that writes there may write more. */
  #isRunning() {
    const task = this.#job.tasks.get(this.#task);
    return !this.#ended && task?.ended === false && this.#container.container === task.allocations.at(-1)?.container;
  }

  #begin() {
    for (const button of this.#files.children) {
      button.setAttribute('aria-pressed', button.dataset.file === this.#file);
    }
    this.#poll?.stop();
    this.#poll = null;
    this.#container = this.#selected() ?? this.#container;
    this.#from = -1;
    this.#raw = '';
    this.#drawn = '';
    this.#cut = 0;
    this.#whole = true;
    setText(this.#why, '');
    setText(this.#text, '');
    this.#showLink(null);
    if (this.#container === null) {
      setText(this.#state, '');
      setText(this.#why, 'It has no container yet.');
      return;
    }
    setText(this.#state, 'asks…');
    this.#follow();
  }

  async #follow() {
    const poll = new Poll();
    this.#poll = poll;
    while (!poll.stopped) {
      const last = !this.#isRunning(); // what is read after the end is whole
      const answer = await this.#ask(poll.signal);
      if (poll.stopped) {
        return;
      }
      const { begin, end, length, text, why, onNode, moved = false, pause = null } = answer;
      if (text !== undefined) {
        this.#add(text, begin, this.#from >= 0);
        // Who writes faster than anybody reads is not read to the end.
        this.#from = length - end > MAX_SHOWN_CHARS ? -1 : end;
      }
      const over = pause === null || (last && pause > 0 && text !== undefined);
      setText(this.#why, why ?? '');
      this.#showLink(onNode === true || (why !== undefined && !this.#ended) ? this.#nodeLink() : moved ? this.#historyLink() : null);
      const refused = text === undefined && why === undefined;
      this.#showState(length, over ? '' : refused ? 'Others read logs now; asks again.' : 'Follows.');
      if (over) {
        poll.caughtUp = pause !== null;
        return;
      }
      await poll.pause(Math.max(MIN_PAUSE_MS, pause));
    }
  }

  async #ask(signal) {
    try {
      return await this.#source.taskLog(this.#container, this.#file, this.#from, signal);
    } catch (error) {
      const moved = this.#ended && this.#source.successor !== null;
      if (moved && webAddress(this.#source.successor) !== null) {
        return { why: 'The job has ended, and the server of this page with it. The history has what its tasks wrote.', moved };
      }
      const again = error instanceof Unreachable && !this.#ended;
      const command = `tony logs ${this.#job.application} ${this.#task}`;
      return { why: `${error.message} This command shows it: ${command}`, pause: again ? RETRY_MS : null };
    }
  }

  /** {href, words, label} of the node's own page. */
  #nodeLink() {
    return { href: this.#container.log, text: 'On its node', label: `log of ${this.#task} on its node` };
  }

  #historyLink() {
    return { href: this.#source.successor, text: 'Open the job in the history', label: 'Open the job in the history' };
  }

  /** Shows a link that may help; null for none. */
  #showLink(link) {
    setContent(this.#node, link, () =>
      link === null ? [] : [externalLink(link.href, link.text, { 'aria-label': link.label })],
    );
  }

  #add(text, begin, appends) {
    if (text === '' && appends) {
      return;
    }
    const all = appends ? this.#raw + text : text;
    this.#whole = (appends ? this.#whole : begin === 0) && all.length <= MAX_SHOWN_CHARS;
    this.#raw = all.slice(-MAX_SHOWN_CHARS);
    this.#cut += appends ? all.length - this.#raw.length : MAX_SHOWN_CHARS;
    this.#draw();
  }

  // What somebody reads or selects stays as and where it is.
  #draw() {
    const box = this.#text;
    if (this.#drawn === this.#raw || isSelected(box)) {
      return;
    }
    const { scrollHeight, scrollTop, clientHeight } = box;
    const atEnd = scrollHeight - scrollTop - clientHeight < END_TOLERANCE_PX;
    if (!atEnd && this.#cut > 0) {
      setText(box, plain(this.#drawn.slice(this.#cut)));
    }
    const lost = scrollHeight - box.scrollHeight;
    setText(box, plain(this.#raw));
    box.scrollTop = atEnd ? box.scrollHeight : scrollTop - lost;
    this.#drawn = this.#raw;
    this.#cut = 0;
  }

  /** @param next what it does now; empty where that is nothing */
  #showState(length, next) {
    const parts = [
      ...(this.#raw === '' && length === 0 ? ['Nothing is written.'] : []),
      ...(this.#whole || length === undefined ? [] : [`The last part of ${bytes(length)}.`]),
      ...(next === '' ? [] : [next]),
    ];
    setText(this.#state, parts.join(' '));
  }
}

function isSelected(box) {
  const selection = document.getSelection();
  return !selection.isCollapsed && selection.containsNode(box, true);
}

/** Somebody looks at one file, until he looks at another. */
class Poll {
  stopped = false;
  /** Whether it has seen all that there is, and there may be more. */
  caughtUp = false;
  #answer = new AbortController();
  #wake = () => {};

  /** Ends the question that is under way: who waits for an answer keeps others from asking. */
  get signal() {
    return this.#answer.signal;
  }

  stop() {
    this.stopped = true;
    this.#answer.abort();
    this.#wake();
  }

  pause(millis) {
    const { done, wake } = startPause(millis);
    this.#wake = wake;
    return done;
  }
}
