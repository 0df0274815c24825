// The table of the tasks. It shows one page of them at a time, so that 10,000 cost no more than 100.

import { element, externalLink, setText } from './dom.js';
import { count, percent } from './text.js';

const ROWS = 100;

/** The order of the tasks by state: those that need attention come first. */
const ORDER = ['failed', 'unknown', 'requested', 'allocated', 'registered', 'running', 'stopped', 'succeeded'];

const FILTERS = {
  all: () => true,
  failed: (task) => task.state === 'failed',
  restarted: (task) => task.starts > 1,
  waiting: (task) => task.state === 'requested' || task.state === 'allocated' || task.state === 'registered',
  running: (task) => task.state === 'running',
  ended: (task) => task.ended,
};

export class TaskTable {
  #body;
  #state;
  #role;
  #text;
  #previous;
  #next;
  #position;
  #page = 0;
  /** The tasks when last sorted; the job has another map once a new ApplicationMaster reports everything again. */
  #jobTasks = null;
  #sizes = 0;
  /** By role and number; sorted again only if the tasks change. */
  #sorted = [];
  #tasks = [];
  #roles = new Set();
  #open;

  /**
   * @param part returns the element with an id
   * @param open shows a task's log, given the task's id and a function that restores the focus; null if logs are links
   */
  constructor(part, open) {
    this.#open = open;
    this.#body = part('task-rows');
    this.#state = part('task-state');
    this.#role = part('task-role');
    this.#text = part('task-text');
    this.#previous = part('previous-tasks');
    this.#next = part('next-tasks');
    this.#position = part('task-position');
    for (const filter of [this.#state, this.#role, this.#text]) {
      filter.addEventListener('input', () => this.#turnTo(0));
    }
    this.#previous.addEventListener('click', () => this.#turnTo(this.#page - 1));
    this.#next.addEventListener('click', () => this.#turnTo(this.#page + 1));
    this.#body.addEventListener('click', ({ target }) => {
      if (target.localName === 'button') {
        const { task } = target.closest('tr').cells[0].dataset;
        this.#open(task, () => this.#focus(task));
      }
    });
  }

  show(job) {
    if (this.#jobTasks !== job.tasks || this.#sizes !== job.sizes || this.#sorted.length !== job.tasks.size) {
      this.#jobTasks = job.tasks;
      this.#sizes = job.sizes;
      this.#sort(job);
    }
    const byState = new Map(ORDER.map((state) => [state, []]));
    for (const task of this.#sorted) {
      byState.get(task.state).push(task);
    }
    this.#tasks = [...byState.values()].flat();
    this.#draw();
  }

  #sort(job) {
    const roles = new Map();
    for (const { role } of job.tasks.values()) {
      if (!roles.has(role)) {
        roles.set(role, roles.size);
      }
    }
    for (const role of roles.keys()) {
      if (!this.#roles.has(role)) {
        this.#roles.add(role);
        this.#role.append(element('option', { value: `role ${role}` }, role));
      }
    }
    this.#sorted = [...job.tasks.values()].sort((a, b) => roles.get(a.role) - roles.get(b.role) || a.index - b.index);
  }

  #turnTo(page) {
    this.#page = page;
    this.#draw();
  }

  #draw() {
    const hasState = FILTERS[this.#state.value];
    const role = this.#role.value;
    const text = this.#text.value.trim().toLowerCase();
    const found = this.#tasks.filter(
      (task) =>
        hasState(task) &&
        (role === '' || role === `role ${task.role}`) &&
        (text === '' || `${task.id} ${task.node}`.toLowerCase().includes(text)),
    );
    const pages = Math.max(1, Math.ceil(found.length / ROWS));
    this.#page = Math.min(Math.max(0, this.#page), pages - 1);
    const first = this.#page * ROWS;
    this.#fill(found.slice(first, first + ROWS));
    this.#previous.disabled = this.#page === 0;
    this.#next.disabled = this.#page === pages - 1;
    const of = found.length === this.#tasks.length ? count(found.length, 'task') : `${count(found.length, 'task')} of ${this.#tasks.length.toLocaleString('en')}`;
    setText(this.#position, found.length <= ROWS ? of : `${first + 1} to ${Math.min(first + ROWS, found.length)} of ${of}`);
  }

  // Rows are reused, so that focus and selection survive changes elsewhere.
  #fill(tasks) {
    while (this.#body.rows.length > tasks.length) {
      this.#body.deleteRow(-1);
    }
    tasks.forEach((task, position) => {
      const row = this.#body.rows[position] ?? this.#body.appendChild(emptyRow());
      const [id, state, node, starts, progress, log] = row.cells;
      setText(id, task.id);
      row.dataset.state = task.state;
      setText(state.firstChild, task.state);
      setText(node, task.node);
      setText(starts, String(task.starts));
      const done = task.fraction === null ? '' : `${percent(task.state === 'succeeded' ? 1 : task.fraction)} `;
      setText(progress, task.message !== '' ? task.message : task.text === '' ? '' : `${done}${task.text}`);
      // Keep the button if its row shows another task: the button may have the focus.
      const address = this.#open === null || task.log === '' ? task.log : 'the panel';
      if (log.dataset.address !== address) {
        log.dataset.address = address;
        log.replaceChildren(...(task.log === '' ? [] : [this.#opener(task)]));
      } else if (id.dataset.task !== task.id && log.querySelector('a, button') !== null) {
        log.firstChild.setAttribute('aria-label', `log of ${task.id}`);
      }
      id.dataset.task = task.id;
    });
  }

  #opener({ id, log }) {
    const label = { 'aria-label': `log of ${id}` };
    return this.#open === null ? externalLink(log, 'log', label) : element('button', { ...label, type: 'button' }, 'Log');
  }

  // The row of a task changes if others come before it. Without such a row, the filter gets the focus.
  #focus(id) {
    const row = [...this.#body.rows].find(({ cells }) => cells[0].dataset.task === id);
    (row?.querySelector('button') ?? this.#text).focus();
  }
}

function emptyRow() {
  return element(
    'tr',
    {},
    element('th', { scope: 'row' }),
    element('td', {}, element('span', { class: 'state' })),
    element('td'),
    element('td', { class: 'number' }),
    element('td', { class: 'long' }),
    element('td'),
  );
}
