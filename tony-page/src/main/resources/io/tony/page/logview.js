// A panel below the table of tasks with the log of a task: the last lines, and further ones while the task runs.

import { element, externalLink, setContent, setText } from './dom.js';
import { startPause } from './pause.js';
import { Unreachable } from './source.js';
import { bytes, plain, webAddress } from './text.js';

/** Maximum number of characters on display; browsers draw so many without a noticeable delay. */
const MAX_SHOWN_CHARS = 256 * 1024;

/** Milliseconds between two requests: the minimum, and the pause after an error. */
const MIN_PAUSE_MS = 50;
const RETRY_MS = 5_000;

/** Maximum distance from the end of the text, in pixels, at which the view follows new lines. */
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
  /** The container whose log is shown: {event, container, node, log}; null if there is none. */
  #container = null;
  /** Number of the event of the chosen container; null for the newest. */
  #chosen = null;
  /** The offset of the next request; below 0 for the last part of the file. */
  #from = -1;
  #raw = '';
  /** The text on display, and the number of characters cut from its beginning since. */
  #drawn = '';
  #cut = 0;
  /** Whether the text begins with the file. */
  #whole = true;
  /** The running poll; another one stops it. */
  #poll = null;

  /** @param part returns the element with an id */
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

  /** @param back restores the focus */
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

  /** Shows a job's current state. @param ended whether all of the job has ended */
  show(job, ended) {
    this.#job = job;
    this.#ended = ended;
    if (this.#panel.hidden) {
      return;
    }
    if (this.#drawContainers()) {
      this.#begin();
    } else if (this.#poll?.caughtUp && this.#isRunning()) {
      this.#follow(); // its program was restarted in the same container
    }
  }

  #choose(file) {
    this.#file = file;
    this.#begin();
  }

  /**
   * Lists the containers; the newest is selected until the user chooses another. Returns whether the selection changed.
   */
  #drawContainers() {
    const { allocations = [] } = this.#job?.tasks.get(this.#task) ?? {};
    const before = this.#container;
    const isListed = before === null || allocations.some(({ event }) => event === before.event);
    if (!isListed && (allocations.length === 0 || this.#job.latest < before.event)) {
      return false; // the next ApplicationMaster reports everything again
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

  /** Whether the program may write more to this log. */
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
      const last = !this.#isRunning(); // a log that is read after the end is complete
      const answer = await this.#request(poll.signal);
      if (poll.stopped) {
        return;
      }
      const { begin, end, length, text, why, onNode, moved = false, pause = null } = answer;
      if (text !== undefined) {
        this.#add(text, begin, this.#from >= 0);
        // Skip to the last part if the program writes faster than this page reads.
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

  async #request(signal) {
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

  /** {href, text, label} of the log's page on the node. */
  #nodeLink() {
    return { href: this.#container.log, text: 'On its node', label: `log of ${this.#task} on its node` };
  }

  #historyLink() {
    return { href: this.#source.successor, text: 'Open the job in the history', label: 'Open the job in the history' };
  }

  /** Shows a link that may help. @param link null for none */
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

  // Keep the scroll position, unless the view is at the end, and do not draw while text is selected.
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

  /** @param next what the panel does now; empty for nothing */
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

/** Polls one file of a container until another one is shown. */
class Poll {
  stopped = false;
  /** Whether the poll stopped at the current end of a file that may still grow. */
  caughtUp = false;
  #answer = new AbortController();
  #wake = () => {};

  /** Aborts the pending request, which would keep others from reading logs. */
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
