// What the lines of a program's progress hold as numbers, over time. Nothing here touches the page.

import { DownsampledSeries } from './downsampling.js';

const NUMBER = '[-+]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:e[-+]?\\d+)?';
/** What programs print of a value that is no number any more. */
const NO_NUMBER = '[-+]?(?:nan|inf(?:inity)?)';
/** A number is whole: no part of a time, a version, a date or a name. */
const END = '(?![\\w:]|[.-]\\w)';
const NAME = '(?<![\\w./@-])([a-z_](?:[\\w./-]*\\w)?)';

/** What is told without `=` or `:` before its number. Other words before a number are words. */
const COMMON_NAMES =
  /(?:^|[_/.-])(?:step|iteration|iter|epoch|batch|loss|acc|accuracy|error|lr|learning_rate|perplexity|ppl|reward|score|auc|f1|mae|mse|rmse)$/;
const STEPS = ['step', 'global_step', 'iteration', 'iter'];

const PAIR = new RegExp(`${NAME}(\\s*[=:]\\s*|\\s+)(${NUMBER}|${NO_NUMBER})${END}`, 'gi');
const RATE = new RegExp(`(?<![\\w.:/-])(${NUMBER})\\s*([a-z]+)/(s|sec|second|it|step)(?!\\w)`, 'gi');

/** A line that holds more, or longer names, does not speak of a training. */
const MAX_NUMBERS = 32;
const MAX_NAME_CHARS = 40;

/** A number beyond is as good as infinite: no chart has room for it and the others. */
const MAX_MAGNITUDE = 1e100;

/**
 * From a name, in lower case, to its number: of `step 300/1000 loss=0.41, 12.3 steps/s` step, loss and steps/s.
 * Where a name comes twice, the first counts. Of `loss=nan` it is NaN, and of `loss=inf` infinite.
 */
export function numbersOf(text) {
  const numbers = new Map();
  const put = (name, number) => {
    if (name.length <= MAX_NAME_CHARS && numbers.size < MAX_NUMBERS && !numbers.has(name)) {
      numbers.set(name, valueOf(number));
    }
  };
  for (const [, rawName, between, number] of text.matchAll(PAIR)) {
    const name = rawName.toLowerCase();
    if (between.trim() !== '' || COMMON_NAMES.test(name)) {
      put(name, number);
    }
  }
  for (const [, number, what, each] of text.matchAll(RATE)) {
    put(`${what}/${each.replace(/^sec(?:ond)?$/i, 's')}`.toLowerCase(), number);
  }
  return numbers;
}

function valueOf(text) {
  const value = Number(text.replace(/inf(?:inity)?/i, 'Infinity'));
  return Math.abs(value) > MAX_MAGNITUDE ? Math.sign(value) * Infinity : value;
}

/** Of those that a line tells; null where it tells none. */
function stepOf(numbers) {
  const name = STEPS.find((one) => Number.isFinite(numbers.get(one)));
  return name === undefined ? null : numbers.get(name);
}

const MAX_SERIES = 24;
const MAX_RESTARTS = 100;

/** The pace is told from steps that are so far apart: a line may come with each step. */
const PACE_MILLIS = 10_000;

/** Derived where the program does not tell it. */
const PACE = 'steps/s';

/** One series: its points, and since which of them it has been no number; null while it is one. */
class Series {
  #samples = new DownsampledSeries(({ value }) => [value]);
  firstNonFinite = null;

  add(point) {
    this.#samples.add(point);
    this.firstNonFinite = Number.isFinite(point.value) ? null : (this.firstNonFinite ?? point);
  }

  get points() {
    return this.#samples.points;
  }
}

/** The numbers of one task's progress. Add its lines in order; what is read is then up to date. */
export class Curves {
  /** When and why the task was started again: {time, label}, in milliseconds since 1970; the last ones. */
  restarts = [];
  /** How often it was. */
  #run = 0;
  #series = new Map();
  /** The last step that is known: a line may tell the loss, and no step. */
  #step = null;
  /** Where the pace is measured from: {time, step}; null before the first step of a run. */
  #mark = null;
  #reportsPace = false;

  /** A line of progress. */
  add(time, text) {
    const numbers = numbersOf(text);
    const step = stepOf(numbers);
    this.#step = step ?? this.#step;
    for (const [name, value] of numbers) {
      if (!STEPS.includes(name)) {
        this.#put(name, time, value);
      }
    }
    if (numbers.has(PACE) && !this.#reportsPace) {
      this.#reportsPace = true;
      this.#series.delete(PACE);
      this.#put(PACE, time, numbers.get(PACE));
    }
    if (step !== null && !this.#reportsPace) {
      this.#pace(time, step);
    }
  }

  /** What is added from now on is another run's: it may begin where an earlier one has been. */
  restarted(time, label) {
    this.#run++;
    this.#step = null;
    this.#mark = null;
    this.restarts = [...this.restarts, { time, label }].slice(-MAX_RESTARTS);
  }

  /** Its last start went on from there. */
  resumed(from) {
    const last = this.restarts.at(-1);
    if (last !== undefined) {
      this.restarts = [...this.restarts.slice(0, -1), { ...last, label: `${last.label}, from ${from}` }];
    }
  }

  /**
   * What to draw: {name, points: [{time, step, value, run}], strange}. A step is null where none was told; strange is
   * the first of the last points, when those are no numbers, and else null.
   */
  series() {
    return [...this.#series].map(([name, { points, firstNonFinite }]) => ({ name, points, firstNonFinite }));
  }

  #pace(time, step) {
    if (this.#mark === null || step < this.#mark.step || time < this.#mark.time) {
      this.#mark = { time, step }; // it begins, or counts anew
    } else if (time - this.#mark.time >= PACE_MILLIS) {
      this.#put(PACE, time, ((step - this.#mark.step) * 1000) / (time - this.#mark.time));
      this.#mark = { time, step };
    }
  }

  #put(name, time, value) {
    let series = this.#series.get(name);
    if (series === undefined) {
      if (this.#series.size === MAX_SERIES) {
        return;
      }
      series = new Series();
      this.#series.set(name, series);
    }
    series.add({ time, step: this.#step, value, run: this.#run });
  }
}

/** So many lines can be told apart in one chart. */
const MAX_TASKS = 8;
const CHIEFS = ['chief:0', 'master:0'];

/** The curves of the tasks that tell their progress: of the chief, and of those that were first. */
export class TaskCurves {
  #tasks = new Map();

  add(task, time, text) {
    let curves = this.#tasks.get(task);
    if (curves === undefined) {
      // One place is the chief's.
      const others = [...this.#tasks.keys()].filter((id) => !CHIEFS.includes(id)).length;
      if (CHIEFS.includes(task) ? this.#tasks.size === MAX_TASKS : others === MAX_TASKS - 1) {
        return;
      }
      curves = new Curves();
      this.#tasks.set(task, curves);
    }
    curves.add(time, text);
  }

  /** @param task null for all of them */
  restarted(task, time, label) {
    for (const [id, curves] of this.#tasks) {
      if (task === null || task === id) {
        curves.restarted(time, label);
      }
    }
  }

  /** The last start of all went on from there. */
  resumed(from) {
    this.#tasks.forEach((curves) => curves.resumed(from));
  }

  /** What is no number any more: {task, name, strange}, with the first such point. */
  nonFinite() {
    return [...this.#tasks].flatMap(([task, curves]) =>
      curves
        .series()
        .filter(({ firstNonFinite }) => firstNonFinite !== null)
        .map(({ name, firstNonFinite }) => ({ task, name, firstNonFinite })),
    );
  }

  /** The charts to draw: {name, lines: [{name, points: [[time, value, run], …], strange}], marks: [{time, label}, …]}. */
  charts() {
    const charts = new Map();
    const marks = new Map();
    for (const [task, curves] of this.#tasks) {
      for (const { name, points, firstNonFinite } of curves.series()) {
        const lines = charts.get(name) ?? [];
        charts.set(name, lines);
        lines.push({ name: task, points: points.map(({ time, value, run }) => [time, value, run]), firstNonFinite });
      }
      curves.restarts.forEach((mark) => marks.set(`${mark.time} ${mark.label}`, mark));
    }
    const inOrder = [...marks.values()].sort((a, b) => a.time - b.time);
    return [...charts].map(([name, lines]) => ({ name, lines, marks: inOrder }));
  }
}
