// Summarizes where the tasks of a hanging gang are stuck, in the wording of the job's log. No DOM access.

const MAX_GROUPS = 4;
const MAX_NAMES = 3;

const roleOf = (task) => task.slice(0, task.lastIndexOf(':'));
const placeName = (place) => place || 'an unknown place';

export class HangSummary {
  /** Maps a place to the tasks that are stuck there. */
  #groups = new Map();
  #tasks = 0;

  add(task, place) {
    const group = this.#groups.get(place);
    if (group === undefined) {
      this.#groups.set(place, [task]);
    } else {
      group.push(task);
    }
    this.#tasks++;
  }

  /** `3 of 4 tasks hang in A; worker:2 hangs in B: the likely cause`; empty if no place is known. */
  get text() {
    const groups = [...this.#groups].sort(([, one], [, other]) => other.length - one.length);
    if (groups.every(([place]) => place === '')) {
      return '';
    }
    if (this.#tasks === 1) {
      return `${groups[0][1][0]} hung in ${groups[0][0]}`;
    }
    const cause = this.#cause(groups);
    const others = groups.filter(([, tasks]) => tasks[0] !== cause);
    const parts = others.slice(0, MAX_GROUPS).map(([place, tasks], i) => this.#subject(tasks, i === 0) + placeName(place));
    const left = others.slice(MAX_GROUPS).reduce((sum, [, tasks]) => sum + tasks.length, 0);
    if (left > 0) {
      parts.push(`${left} ${left === 1 ? 'hangs' : 'hang'} elsewhere`);
    }
    if (cause !== null) {
      const [place] = groups.find(([, tasks]) => tasks[0] === cause);
      parts.push(`${cause} hangs in ${placeName(place)}: the likely cause`);
    }
    return parts.join('; ');
  }

  #subject(tasks, largest) {
    if (tasks.length === 1) {
      return `${tasks[0]} hangs in `;
    }
    const subject = largest || tasks.length > MAX_NAMES ? `${tasks.length} of ${this.#tasks} tasks` : tasks.join(' and ');
    return `${subject} hang in `;
  }

  /**
   * The only task outside the majority's place whose role also occurs in the majority; null if there is no such task.
   */
  #cause([[, majority], ...rest]) {
    if (2 * majority.length <= this.#tasks || this.#tasks < 3) {
      return null;
    }
    const roles = new Set(majority.map(roleOf));
    const others = rest.map(([, tasks]) => tasks).filter((tasks) => tasks.some((task) => roles.has(roleOf(task))));
    return others.length === 1 && others[0].length === 1 ? others[0][0] : null;
  }
}
