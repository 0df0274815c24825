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
 * The threads on which {@code FlowRunner} runs its jobs. The runner keeps its {@code JobRunner}s to
 * itself; as they all pass through here, this is where they can be listened to and killed one by
 * one.
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
   * @param hasJob whether a runner has come so far as to make its job
   * @param onSubmit hears of each attempt before it gets a thread
   * @param listener hears each job's own events
   * @param onCrash hears of an error that escaped a job, before the job's failure is reported
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
    // Looked at after the add: either killAll saw the runner, or the flag is seen here.
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
   * JobRunner catches a job type's exceptions but not its errors (a missing class, say), and
   * FlowRunner would wait for such a job for ever.
   */
  private static void failCrashed(JobRunner runner) {
    ExecutableNode node = runner.getNode();
    if (!Status.isStatusFinished(node.getStatus())) {
      node.setStatus(Status.FAILED);
      node.setEndTime(System.currentTimeMillis());
      runner.fireEventListeners(Event.create(runner, Event.Type.JOB_FINISHED));
    }
  }

  /** Kills the jobs that run or wait, and from now on each new one. */
  void killAll() {
    killed = true;
    runners.forEach(this::kill);
  }

  /** Kills one job; returns when it has been cancelled. */
  void kill(JobRunner runner) {
    ExecutableNode node = runner.getNode();
    if (node.getStatus() == Status.KILLED && !runner.isKilled()) {
      // FlowRunner also kills the runners of a job's earlier attempts. All attempts share the node,
      // and when one of those has marked it, the runner of the attempt that is alive takes itself
      // for ended and its own kill for late.
      node.setStatus(Status.QUEUED);
      runner.kill();
      node.setStatus(Status.KILLED);
    } else {
      runner.kill();
    }
    if (!hasJob.test(runner)) {
      // Until it has a job, a runner may be about to wait for its retry's time: JobRunner.kill only
      // notifies it, and a notify just before the wait is lost. An interrupt is not. From the kill
      // on
      // the runner makes no job that the interrupt could hit.
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

  /** The runner whose job was given exactly these properties. */
  @SuppressWarnings("ReferenceEquality") // Two jobs' properties may be equal.
  Optional<JobRunner> find(Props inputProperties) {
    return runners.stream().filter(runner -> runner.getProps() == inputProperties).findFirst();
  }

  Set<JobRunner> runners() {
    return Set.copyOf(runners);
  }
}
