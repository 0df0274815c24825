// Where the tasks of a gang stand that hangs, in the words of the job's log. Nothing here touches the page.

const MOST_GROUPS = 4;
const MOST_NAMES = 3;

const roleOf = (task) => task.slice(0, task.lastIndexOf(':'));
const named = (place) => place || 'an unknown place';

export class Whereabouts {
  /** From a place to the tasks that stand there. */
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

  /** `3 of 4 tasks stand in A; worker:2 stands in B: the likely cause`; empty where no place is known. */
  get words() {
    const groups = [...this.#groups].sort(([, one], [, other]) => other.length - one.length);
    if (groups.every(([place]) => place === '')) {
      return '';
    }
    if (this.#tasks === 1) {
      return `${groups[0][1][0]} stood in ${groups[0][0]}`;
    }
    const cause = this.#cause(groups);
    const others = groups.filter(([, tasks]) => tasks[0] !== cause);
    const parts = others.slice(0, MOST_GROUPS).map(([place, tasks], i) => this.#stand(tasks, i === 0) + named(place));
    const left = others.slice(MOST_GROUPS).reduce((sum, [, tasks]) => sum + tasks.length, 0);
    if (left > 0) {
      parts.push(`${left} ${left === 1 ? 'stands' : 'stand'} elsewhere`);
    }
    if (cause !== null) {
      const [place] = groups.find(([, tasks]) => tasks[0] === cause);
      parts.push(`${cause} stands in ${named(place)}: the likely cause`);
    }
    return parts.join('; ');
  }

  #stand(tasks, largest) {
    if (tasks.length === 1) {
      return `${tasks[0]} stands in `;
    }
    const who = largest || tasks.length > MOST_NAMES ? `${tasks.length} of ${this.#tasks} tasks` : tasks.join(' and ');
    return `${who} stand in `;
  }

  /** The one task that stands elsewhere than most, of a role of which tasks are among these. */
  #cause([[, most], ...rest]) {
    if (2 * most.length <= this.#tasks || this.#tasks < 3) {
      return null;
    }
    const roles = new Set(most.map(roleOf));
    const others = rest.map(([, tasks]) => tasks).filter((tasks) => tasks.some((task) => roles.has(roleOf(task))));
    return others.length === 1 && others[0].length === 1 ? others[0][0] : null;
  }
}
