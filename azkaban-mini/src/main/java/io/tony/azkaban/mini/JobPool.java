package io.tony.azkaban.mini;

import azkaban.execapp.JobRunner;
import azkaban.execapp.event.Event;
import azkaban.execapp.event.EventListener;
import azkaban.executor.ExecutableNode;
import azkaban.executor.Status;
import azkaban.utils.Props;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The threads on which {@code FlowRunner} runs its jobs. The runner does not expose its {@code
 * JobRunner}s; as all of them pass through this pool, the pool can listen to them and kill them
 * individually.
 */
final class JobPool extends ThreadPoolExecutor {

  /** Azkaban's default of {@code flow.num.job.threads}. */
  private static final int MAX_CONCURRENT_JOBS = 10;

  private final Set<JobRunner> runners = ConcurrentHashMap.newKeySet();
  private final Map<JobRunner, Thread> threads = new ConcurrentHashMap<>();
  private final Predicate<JobRunner> hasJob;
  private final Consumer<JobRunner> onSubmit;
  private final EventListener listener;
  private final BiConsumer<JobRunner, Error> onCrash;
  private volatile boolean killed;

  /**
   * Creates a pool.
   *
   * @param hasJob true for a runner that has already created its job
   * @param onSubmit called for each attempt before it gets a thread
   * @param listener receives the events of each job
   * @param onCrash called for an error that a job did not catch, before the job's failure is
   *     reported
   */
  JobPool(
      Predicate<JobRunner> hasJob,
      Consumer<JobRunner> onSubmit,
      EventListener listener,
      BiConsumer<JobRunner, Error> onCrash) {
    super(
        MAX_CONCURRENT_JOBS, MAX_CONCURRENT_JOBS, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
    this.hasJob = hasJob;
    this.onSubmit = onSubmit;
    this.listener = listener;
    this.onCrash = onCrash;
  }

  @Override
  public Future<?> submit(Runnable task) {
    JobRunner runner = (JobRunner) task;
    runner.addListener(listener);
    runners.add(runner);
    // Check the flag after the add: either killAll saw the runner, or this thread sees the flag.
    if (killed) {
      kill(runner);
    }
    onSubmit.accept(runner);
    return super.submit(() -> run(runner));
  }

  private void run(JobRunner runner) {
    threads.put(runner, Thread.currentThread());
    try {
      runner.run();
    } catch (Error e) {
      onCrash.accept(runner, e);
      failCrashed(runner);
    } finally {
      threads.remove(runner);
      runners.remove(runner);
    }
  }

  /**
   * Reports a crashed job as failed. JobRunner catches a job type's exceptions but not its errors
   * (such as a missing class), and FlowRunner would wait for such a job forever.
   */
  private static void failCrashed(JobRunner runner) {
    ExecutableNode node = runner.getNode();
    if (!Status.isStatusFinished(node.getStatus())) {
      node.setStatus(Status.FAILED);
      node.setEndTime(System.currentTimeMillis());
      runner.fireEventListeners(Event.create(runner, Event.Type.JOB_FINISHED));
    }
  }

  /** Kills the running and waiting jobs, and from now on each new job. */
  void killAll() {
    killed = true;
    runners.forEach(this::kill);
  }

  /** Kills one job; returns when it has been cancelled. */
  void kill(JobRunner runner) {
    ExecutableNode node = runner.getNode();
    if (node.getStatus() == Status.KILLED && !runner.isKilled()) {
      // FlowRunner also kills the runners of a job's earlier attempts. All attempts share the node.
      // Once an earlier runner has set the node to KILLED, the live attempt's runner would take
      // itself for ended and ignore the kill.
      node.setStatus(Status.QUEUED);
      runner.kill();
      node.setStatus(Status.KILLED);
    } else {
      runner.kill();
    }
    if (!hasJob.test(runner)) {
      // Until it has a job, a runner may be about to wait for its retry's time: JobRunner.kill only
      // notifies it, and a notify just before the wait is lost. An interrupt is not lost. After the
      // kill, the runner creates no job that the interrupt could hit.
      threads.computeIfPresent(runner, (same, thread) -> interrupt(thread));
    }
  }

  private static Thread interrupt(Thread thread) {
    thread.interrupt();
    return thread;
  }

  Optional<JobRunner> find(String job) {
    return runners.stream()
        .filter(runner -> runner.getNode().getNestedId().equals(job))
        .findFirst();
  }

  /** Finds the runner whose job got exactly this properties object. */
  @SuppressWarnings("ReferenceEquality") // Two jobs' properties may be equal.
  Optional<JobRunner> find(Props inputProperties) {
    return runners.stream().filter(runner -> runner.getProps() == inputProperties).findFirst();
  }

  Set<JobRunner> runners() {
    return Set.copyOf(runners);
  }
}
