// The state of a job, computed from its events. No DOM access.

import { TaskCurves } from './curves.js';
import { HangSummary } from './hangs.js';
import { Metrics } from './metrics.js';
import { ENDED, StateCounts, StateHistory } from './taskstates.js';
import { count, date, plain } from './text.js';

// How a program prints its progress: two numbers that are neither a date nor a path, or a percentage.
const RATIO = /(?<![\w./-])(\d+(?:\.\d+)?)\s*\/\s*(\d+(?:\.\d+)?)(?!\w|\.\d|\s*\/|-\d)/g;
const TIMESTAMP = /^\W*(?:\d{1,4}[-/])?\d{1,2}[-/]\d{1,4}[ T]+\d{1,2}:\d{2}\S*/;
const PERCENT = /(\d+(?:\.\d+)?)\s*%/;
const MOVE = /(\d+):(\d+)/g;
const GROUP_OF_TASKS = /(\d+) × (\S+) \(/g;

/** Maximum number of tasks, which no log written by TonY exceeds, and of entries in each list. */
const MAX_TASKS = 100_000;
const MAX_ENTRIES = 1_000;

/** Maximum number of containers per task, each with its logs; older ones are dropped. */
const MAX_ALLOCATIONS = 50;

const MAX_REASON_CHARS = 4_000;

/** Prefix of the names of details that are options. */
const OPTION = 'option.';

/** Maximum characters of a stderr line, or a path, within a longer text. */
const MAX_STDERR_CHARS = 300;

/** The progress in a line, from 0 to 1; null if the line has none. */
export function fractionOf(text) {
  const line = text.replace(TIMESTAMP, '');
  for (const [, done, whole] of line.matchAll(RATIO)) {
    const fraction = Number(done) / Number(whole);
    if (Number(whole) > 0 && !Number.isNaN(fraction)) {
      return Math.min(1, fraction);
    }
  }
  const match = PERCENT.exec(line);
  return match === null ? null : Math.min(1, Number(match[1]) / 100);
}

class Task {
  constructor(id) {
    const colon = id.lastIndexOf(':');
    this.id = id;
    this.role = colon < 0 ? id : id.slice(0, colon);
    this.index = colon < 0 ? 0 : Number(id.slice(colon + 1)) || 0;
    this.state = 'requested';
    this.stateHistory = new StateHistory();
    this.node = '';
    this.log = '';
    /** Containers of the task, newest last: {number (from 1), event, container, node, log}. */
    this.allocations = [];
    this.starts = 1;
    this.message = '';
    this.tensorBoardUrl = '';
    this.#forgetProgress();
  }

  get ended() {
    return ENDED.has(this.state);
  }

  progressed(time, text, fraction) {
    this.text = text;
    if (fraction === null) {
      return;
    }
    if (this.first === null || fraction < this.fraction) {
      this.first = { time, fraction };
    }
    this.fraction = fraction;
    this.progressTime = time;
  }

  /** Expected end in ms since 1970, extrapolated from the pace so far; null if unknown. */
  get expectedEnd() {
    if (this.first === null || this.fraction <= this.first.fraction || this.progressTime <= this.first.time) {
      return null;
    }
    const pace = (this.fraction - this.first.fraction) / (this.progressTime - this.first.time);
    return this.progressTime + (1 - this.fraction) / pace;
  }

  /** @param event number of the event in the job's log; undefined if unknown */
  allocated(event, container, node, log) {
    this.node = node;
    this.log = log;
    const number = (this.allocations.at(-1)?.number ?? 0) + 1;
    this.allocations = [...this.allocations.slice(1 - MAX_ALLOCATIONS), { number, event, container, node, log }];
  }

  restart() {
    this.starts++;
    this.message = '';
    this.tensorBoardUrl = '';
    this.#forgetProgress();
  }

  #forgetProgress() {
    this.text = '';
    this.fraction = null;
    this.first = null;
    this.progressTime = 0;
  }
}

/** The job of one attempt. Events must be applied in order; the state is up to date after each. */
export class Job {
  application = '';
  queue = '';
  trackingUrl = '';
  /** What the job does or waits for, as text. */
  phase = '';
  /** {status, kind, message, task, time}; null before the outcome is decided. */
  result = null;
  /** Maps an id to a Task, in the order in which the tasks first occurred. */
  tasks = new Map();
  /** How often the number of tasks of a role has changed. */
  sizes = 0;
  /**
   * {time, task, what, reason, causeOf}, oldest first. The task is empty for the whole job; `causeOf` is the gang for
   * entries of its root cause, else null.
   */
  mishaps = [];
  mishapCount = 0;
  /** Sentence on the tasks that failed because of the job's final failure; empty if none is known. */
  followers = '';
  /** Failures of tasks that were not restarted since: {time, task, message, stderr, log}, oldest first. */
  failures = [];
  advice = [];
  /** Where the tasks of a hanging gang are stuck; null if the gang does not hang. */
  hangSummary = null;
  /** The latest checkpoint that the gang could resume from, as text; empty before the first. */
  checkpoint = '';
  /** Milliseconds per part of the job's time; null before the end. */
  goodput = null;
  /** Who submitted the job, and its project, flow and job in Azkaban; empty if unknown. */
  user = '';
  flow = [];
  execution = '';
  /** Maps each option that was set to its value, without secrets. Events in Azkaban's log do not have the options. */
  options = new Map();
  optionsLeftOut = '';
  metrics = new Metrics();
  curves = new TaskCurves();
  stateCounts = new StateCounts();
  /** Times of the submission, the start of the first program and the end, in ms since 1970; null if unknown. */
  submitted = null;
  started = null;
  finished = null;
  /** Times of the first and the latest event, in ms since 1970. */
  began = Infinity;
  time = 0;
  /** Whether the first event is the beginning of the job's log. */
  whole = true;
  events = 0;
  /** The number of the latest event; -1 if unknown. */
  latest = -1;

  apply(event) {
    this.events++;
    this.latest = event.number ?? -1;
    this.began = Math.min(this.began, event.time);
    this.time = Math.max(this.time, event.time);
    if (this.events === 1) {
      this.whole = event.type === 'JOB_SUBMITTED' || event.type === 'AM_STARTED';
    }
    const handler = HANDLERS[event.type];
    if (handler !== undefined && (event.task !== null || !event.type.startsWith('TASK_'))) {
      const detail = (name) => event.details.get(name) ?? '';
      handler(this, event, detail);
    }
  }

  /** Resets the state when the events begin, or begin again because another client prints all of them. */
  begin() {
    this.result = null;
    this.tasks = new Map();
    this.mishaps = [];
    this.mishapCount = 0;
    this.failures = [];
    this.followers = '';
    this.advice = [];
    this.checkpoint = '';
    this.hangSummary = null;
    this.goodput = null;
    this.user = '';
    this.flow = [];
    this.execution = '';
    this.submitted = null;
    this.started = null;
    this.finished = null;
    this.options = new Map();
    this.optionsLeftOut = '';
    this.metrics = new Metrics();
    this.curves = new TaskCurves();
    this.stateCounts = new StateCounts();
  }

  /**
   * The task with an id, added if new.
   *
   * @param time when the event was that mentions the task, in ms since 1970
   */
  task(id, time) {
    let task = this.tasks.get(id);
    if (task === undefined) {
      task = new Task(id);
      if (this.tasks.size >= MAX_TASKS) {
        return task; // not added: no job has so many
      }
      this.tasks.set(id, task);
      this.stateCounts.moved(task.role, null, task.state, time);
    }
    return task;
  }

  /** Sets the tasks that have not ended to unknown: the job has ended, and no event reports its end or theirs. */
  markLost() {
    for (const task of this.tasks.values()) {
      if (!task.ended) {
        this.setState(task, 'unknown', this.time);
      }
    }
  }

  /** Whether at least one task runs, and all others have ended. */
  get allRun() {
    const tasks = [...this.tasks.values()];
    return tasks.some(({ state }) => state === 'running') && tasks.every(({ state, ended }) => ended || state === 'running');
  }

  setState(task, state, time) {
    this.stateCounts.moved(task.role, task.state, state, time);
    task.state = state;
    task.stateHistory.entered(time, state, task.starts);
  }

  /** Changes the number of tasks of a role. `moves` are containers {from, to} of removed tasks that other tasks get. */
  resized(role, from, instances, moves, time) {
    this.sizes++;
    for (const move of moves) {
      const container = this.tasks.get(`${role}:${move.from}`)?.allocations.at(-1);
      if (container !== undefined && move.to < instances) {
        const task = this.task(`${role}:${move.to}`, time);
        this.setState(task, 'allocated', time);
        task.allocated(container.event, container.container, container.node, container.log);
      }
    }
    for (const task of [...this.tasks.values()].filter((one) => one.role === role && one.index >= instances)) {
      this.stateCounts.moved(role, task.state, null, time);
      this.tasks.delete(task.id);
    }
    for (let index = from; index < instances && this.tasks.size < MAX_TASKS; index++) {
      this.task(`${role}:${index}`, time);
    }
  }

  /** Address of a TensorBoard whose task is running; empty if there is none. */
  get tensorBoardUrl() {
    for (const { state, tensorBoardUrl } of this.tasks.values()) {
      if (state === 'running' && tensorBoardUrl !== '') {
        return tensorBoardUrl;
      }
    }
    return '';
  }

  /** [state, number of tasks] of each state that has tasks. */
  counts() {
    return this.stateCounts.counts();
  }

  /**
   * {fraction, end}: the mean of the tasks that report progress, and the expected end of the slowest, in ms since 1970
   * or null. Null if no task reports progress.
   */
  progress() {
    let sum = 0;
    let reportingCount = 0;
    let end = null;
    for (const task of this.tasks.values()) {
      if (task.fraction === null) {
        continue;
      }
      sum += task.state === 'succeeded' ? 1 : task.fraction;
      reportingCount++;
      if (!task.ended) {
        end = Math.max(end ?? 0, task.expectedEnd ?? 0) || null;
      }
    }
    return reportingCount === 0 ? null : { fraction: sum / reportingCount, end };
  }

  /** The failure that the job ended with, else the last one; null if there is none. */
  failure() {
    const named = this.result?.task ?? '';
    return this.failures.findLast((failure) => failure.task === named) ?? this.failures.at(-1) ?? null;
  }

  /** Why a task restarts: the message, and the last line of the task's stderr. */
  reason(id, message) {
    return reasonText(message, this.failures.findLast((failure) => failure.task === id)?.stderr ?? '');
  }

  /** Removes the entries on a gang's root cause; a repeated event with more details replaces them. */
  removeRootCause(gang) {
    const others = this.mishaps.filter((mishap) => mishap.causeOf !== gang);
    this.mishapCount -= this.mishaps.length - others.length;
    this.mishaps = others;
  }

  /** Adds where a task is stuck. All tasks of a hang share one entry. */
  recordHang(event, where) {
    if (this.hangSummary === null) {
      const hangSummary = new HangSummary();
      this.hangSummary = hangSummary;
      this.mishapCount++;
      pushBounded(this.mishaps, {
        time: event.time,
        task: '',
        what: 'where the tasks stand',
        get reason() {
          return hangSummary.text.slice(0, MAX_REASON_CHARS);
        },
      });
    }
    this.hangSummary.add(event.task, where);
  }

  addMishap(event, what, reason, causeOf = null) {
    this.mishapCount++;
    const task = event.task ?? '';
    pushBounded(this.mishaps, { time: event.time, task, what, reason: reason.slice(0, MAX_REASON_CHARS), causeOf });
  }
}

/** Joins a message with the last line of a stderr, which may be empty. */
function reasonText(message, stderr) {
  const line = stderr.split('\n').findLast((text) => text.trim() !== '')?.trim() ?? '';
  const shown = line.length <= MAX_STDERR_CHARS ? line : `${line.slice(0, MAX_STDERR_CHARS)}…`;
  return [message, shown].filter((text) => text !== '').join(': ');
}

/** Appends to a list, and drops the oldest entry if the list is too long. */
function pushBounded(list, one) {
  list.push(one);
  if (list.length > MAX_ENTRIES) {
    list.shift();
  }
}

function recordResult(job, event, detail) {
  job.result = {
    time: event.time,
    status: detail('status'),
    kind: detail('kind'),
    message: detail('message'),
    task: detail('task'),
  };
}

/** Text on the new number of tasks of a role. @param joins whether the other tasks keep running */
function sizeText(role, from, instances, joins) {
  if (instances < from) {
    return `the gang goes on with ${instances} of ${from} ${role}`;
  }
  return joins
    ? `the gang grows from ${from} to ${instances} ${role}`
    : `the gang is started again with ${instances} ${role} instead of ${from}`;
}

/** Text on which budget a restart is charged to, and on how many restarts remain. */
function chargeText(detail) {
  const charged = detail('charged');
  const left = detail('left');
  if (charged === 'nobody') {
    return ', not charged';
  }
  if (charged === 'incident') {
    return ', charged with an earlier loss';
  }
  return left === '' ? '' : `, ${left} more after this`;
}

/** Name of a checkpoint: `step 1200`, or `checkpoint 7` if the program has no steps. */
function checkpointName(step, number) {
  return `${step === 'true' ? 'step' : 'checkpoint'} ${number}`;
}

const UP = 'ApplicationMaster is up';
const ALL_RUN = 'the gang runs';

// Events of other types are ignored: a later version may write more.
const HANDLERS = {
  __proto__: null,
  JOB_SUBMITTED(job, event, detail) {
    job.begin();
    job.submitted = event.time;
    job.application = detail('application');
    job.queue = detail('queue');
    job.trackingUrl = detail('trackingUrl');
    job.phase = 'submitted, waits for its ApplicationMaster';
  },
  AM_STARTED(job, event, detail) {
    const attempt = Number(detail('attempt')) || 1;
    const running = detail('running');
    job.phase = UP;
    job.submitted = Date.parse(detail('submitted')) || job.submitted;
    if (attempt > 1) {
      // No new events report the tasks that the previous ApplicationMaster has started.
      job.phase = running !== '' && running !== '0' && job.allRun ? ALL_RUN : UP;
      job.addMishap(
        event,
        `ApplicationMaster attempt ${attempt} on ${detail('host')}`,
        running === '' || running === '0' ? 'the one before it was lost' : `took over ${running} running`,
      );
    }
  },
  GANG_REQUESTED(job, event, detail) {
    for (const [, number, role] of detail('resources').matchAll(GROUP_OF_TASKS)) {
      const exists = job.tasks.has(`${role}:0`);
      for (let index = 0; !exists && index < Number(number) && job.tasks.size < MAX_TASKS; index++) {
        job.task(`${role}:${index}`, event.time);
      }
    }
    job.phase = 'waits for containers';
  },
  GANG_WAITING(job, event, detail) {
    const free = detail('free');
    const short = detail('short');
    job.phase =
      `waits for ${detail('missing')}` +
      (free === '' ? '' : `; the queue has ${free} left`) +
      (short === '' ? '' : `; short of ${short}`);
  },
  JOB_DESCRIBED(job, event, detail) {
    job.user = detail('user');
    job.queue = detail('queue') || job.queue;
    job.flow = ['project', 'flow', 'job'].map(detail).filter((name) => name !== '');
    job.execution = detail('execution');
    job.options = new Map(
      [...event.details].filter(([name]) => name.startsWith(OPTION)).map(([name, value]) => [name.slice(OPTION.length), value]),
    );
    job.optionsLeftOut = detail('optionsLeftOut');
  },
  GANG_BACKED_OFF(job, event, detail) {
    job.phase = `gave its containers back, asks again in ${detail('wait')}; missing were ${detail('missing')}`;
    for (const task of job.tasks.values()) {
      if (task.state === 'allocated' || task.state === 'registered') {
        job.setState(task, 'requested', event.time);
      }
    }
  },
  TASK_ALLOCATED(job, event, detail) {
    const task = job.task(event.task, event.time);
    job.setState(task, 'allocated', event.time);
    task.allocated(event.number, detail('container'), detail('node'), detail('log'));
  },
  TASK_REGISTERED(job, event) {
    job.setState(job.task(event.task, event.time), 'registered', event.time);
  },
  TASK_STARTED(job, event) {
    job.setState(job.task(event.task, event.time), 'running', event.time);
    job.started ??= event.time;
    if (job.phase === UP && job.allRun) {
      job.phase = ALL_RUN;
    }
  },
  GANG_RUNNING(job) {
    job.hangSummary = null;
    job.phase = ALL_RUN;
  },
  TASK_PROGRESS(job, event, detail) {
    const text = plain(detail('text'));
    job.task(event.task, event.time).progressed(event.time, text, fractionOf(text));
    job.curves.add(event.task, event.time, text);
  },
  GANG_RESUMES(job, event, detail) {
    const clean = detail('clean');
    if (clean !== '') {
      job.addMishap(event, 'starts clean', clean);
      return;
    }
    const from = checkpointName(detail('step'), detail('number'));
    const maker = [detail('maker'), detail('application')].filter((name) => name !== '').join(', ');
    job.addMishap(event, `resumes from ${from}`, `kept by ${maker}`);
    if (event.task === null) {
      job.checkpoint = from;
      job.curves.resumed(from);
    }
  },
  TASK_CHECKPOINT(job, event, detail) {
    if (detail('whole') === 'true') {
      job.checkpoint = `${checkpointName(detail('step'), detail('number'))}, kept at ${date(event.time)}`;
    }
  },
  CHECKPOINT_NOT_KEPT(job, event, detail) {
    job.addMishap(event, `could not keep the checkpoint ${detail('path').slice(0, MAX_STDERR_CHARS)}`, detail('problem'));
  },
  TENSORBOARD(job, event, detail) {
    if (event.task !== null) {
      job.task(event.task, event.time).tensorBoardUrl = detail('url');
    }
  },
  METRICS(job, event) {
    job.metrics.add(event.time, event.details);
  },
  STRAGGLER(job, event, detail) {
    if (event.task !== null) {
      const recovered = detail('recovered') === 'true';
      job.addMishap(event, recovered ? 'keeps up with its gang again' : `holds its gang up on ${detail('node')}`, detail('message'));
    }
  },
  TASK_HELD(job, event, detail) {
    if (event.task !== null) {
      job.addMishap(event, `failed with exit code ${detail('exitCode')}, and its container is kept`, plain(detail('stderr')));
    }
  },
  SHELL(job, event, detail) {
    if (event.task !== null) {
      job.addMishap(event, detail('left') === 'true' ? 'has its shell closed' : 'gets a shell in its container', `by ${detail('who')}`);
    }
  },
  GOODPUT(job, event, detail) {
    const millis = (name) => Number(detail(name)) || 0;
    const lost = new Map(
      [...event.details].filter(([name]) => name.startsWith('lost.')).map(([name, value]) => [name.slice(5), Number(value) || 0]),
    );
    job.goodput = {
      queue: millis('queue'),
      starting: millis('starting'),
      training: millis('training'),
      lost,
      stopping: millis('stopping'),
      restarts: millis('restarts'),
      byProgress: detail('byProgress') !== 'false',
    };
  },
  ADVICE(job, event, detail) {
    pushBounded(job.advice, detail('text'));
  },
  TASK_FAILED(job, event, detail) {
    const task = job.task(event.task, event.time);
    job.setState(task, 'failed', event.time);
    task.message = detail('message');
    task.log = detail('log') || task.log;
    pushBounded(job.failures, {
      time: event.time,
      task: event.task,
      message: detail('message'),
      stderr: plain(detail('stderr')),
      log: detail('log'),
    });
  },
  PREEMPTION_ANNOUNCED(job, event, detail) {
    job.addMishap(event, 'is going to lose its container', `YARN takes it on ${detail('node')} for another queue or application`);
  },
  FAILURE_PENDING(job, event, detail) {
    job.addMishap(
      event,
      'failed as if because of another task',
      `${reasonText(detail('message'), plain(detail('stderr')))} YARN may still report a loss.`,
    );
  },
  TASK_STANDS(job, event, detail) {
    job.recordHang(event, detail('where'));
  },
  FIRST_CAUSE(job, event, detail) {
    if (event.task === null) {
      return;
    }
    const gang = detail('gang');
    const other = detail('other');
    const because = `failed because of ${event.task} (${detail('how')})`;
    const more = Number(detail('more')) || 0;
    const besides = Number(detail('besides')) || 0;
    job.removeRootCause(gang);
    job.addMishap(event, 'was the first cause', reasonText(detail('message'), plain(detail('stderr'))), gang);
    if (other !== '') {
      job.addMishap({ time: event.time, task: other }, because, more === 0 ? '' : `So did ${more} more.`, gang);
    }
    if (besides > 0) {
      job.addMishap({ time: event.time, task: '' }, `${count(besides, 'more task')} failed about then`, '', gang);
    }
    if (job.result === null) {
      return; // the gang restarts
    }
    job.followers = other === '' ? '' : `${other}${more === 0 ? '' : ` and ${more} more`} ${because}.`;
    const follower = job.tasks.get(other);
    if (follower?.state === 'failed') {
      follower.message = because;
    }
    pushBounded(job.failures, {
      time: event.time,
      task: event.task,
      message: detail('message'),
      stderr: plain(detail('stderr')),
      log: detail('log'),
    });
  },
  TASK_SUCCEEDED(job, event) {
    job.setState(job.task(event.task, event.time), 'succeeded', event.time);
  },
  TASK_STOPPED(job, event) {
    job.setState(job.task(event.task, event.time), 'stopped', event.time);
  },
  TASK_RESTARTED(job, event, detail) {
    job.hangSummary = null;
    const sameContainer = detail('where') === 'kept';
    const why = job.reason(event.task, detail('message'));
    const task = job.task(event.task, event.time);
    task.restart();
    job.setState(task, sameContainer ? 'allocated' : 'requested', event.time);
    job.curves.restarted(event.task, event.time, detail('kind'));
    job.failures = job.failures.filter(({ task }) => task !== event.task);
    job.addMishap(
      event,
      `started again in ${sameContainer ? 'its' : 'a new'} container (${detail('kind')}${chargeText(detail)})`,
      why,
    );
  },
  GANG_RESTARTED(job, event, detail) {
    const done = detail('done').split(',');
    const why = job.reason(event.task, detail('message'));
    const grows = detail('kind') === 'RESIZED';
    for (const task of job.tasks.values()) {
      const begins = grows && task.allocations.length === 0;
      const stays = done.includes(task.role) && (task.state === 'succeeded' || task.state === 'failed');
      if (!begins && !stays) {
        task.restart();
        job.setState(task, 'requested', event.time);
      }
    }
    job.curves.restarted(null, event.time, detail('kind'));
    job.failures = [];
    job.phase = 'the gang starts again';
    if (!grows) {
      // A gang that grows has not failed, and the event before has reported the growth.
      job.addMishap(event, `the gang is started again (${detail('kind')}${chargeText(detail)})`, why);
    }
  },
  GANG_GROWS(job, event, detail) {
    const size = `${detail('instances')} ${detail('role')}`;
    job.addMishap(event, `the queue has room for ${size}`, 'The gang starts again with them once a checkpoint is kept.');
  },
  GANG_RESIZED(job, event, detail) {
    const role = detail('role');
    const from = Number(detail('from'));
    const instances = Number(detail('instances'));
    const moves = [...detail('moved').matchAll(MOVE)].map(([, old, now]) => ({ from: Number(old), to: Number(now) }));
    job.resized(role, from, instances, moves, event.time);
    job.addMishap(event, sizeText(role, from, instances, detail('joins') !== ''), detail('message'));
  },
  NODE_AVOIDED(job, event, detail) {
    job.addMishap(event, `node ${detail('node')} is avoided`, detail('message'));
  },
  NODES_FORGIVEN(job, event) {
    job.addMishap(event, 'no node is avoided any more', '');
  },
  ROLE_EXCUSED(job, event, detail) {
    job.addMishap(event, `the job goes on without ${detail('role')}`, detail('message'));
  },
  STOP_REQUESTED(job, event, detail) {
    job.phase = `stop requested by ${detail('who')}`;
  },
  LOG_BEHIND(job, event, detail) {
    job.addMishap(event, 'the event log is behind', detail('message'));
  },
  LOG_CAUGHT_UP(job, event) {
    job.addMishap(event, 'the event log is written again', '');
  },
  JOB_STOPPING(job, event, detail) {
    recordResult(job, event, detail);
    job.phase = 'stops what still runs';
  },
  JOB_FINISHED(job, event, detail) {
    recordResult(job, event, detail);
    job.finished = event.time;
    job.phase = 'ended';
  },
};
