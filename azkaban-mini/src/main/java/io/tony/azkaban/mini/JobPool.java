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
 * The thread pool on which Azkaban's {@code FlowRunner} runs its jobs. FlowRunner gives no access
 * to its {@code JobRunner}s, but submits each of them to this pool. So the pool can listen to them
 * and kill them individually.
 */
final class JobPool extends ThreadPoolExecutor {

  /**
   * Maximum number of jobs that run at a time; Azkaban's default of {@code flow.num.job.threads}.
   */
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
   * @param hasJob returns true for a runner that has already created its job
   * @param onSubmit called for each attempt of a job, before the attempt gets a thread
   * @param listener receives the events of all jobs
   * @param onCrash called if a job throws an {@link Error} that it does not catch, before the job
   *     is reported as failed
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
    // The flag is read only after the runner has been added, so that no runner escapes a concurrent
    // killAll: either killAll sees the runner, or this thread sees the flag.
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
   * Reports a job that threw an {@link Error} as failed, because FlowRunner would otherwise wait
   * for it forever: JobRunner catches a job's exceptions, but not its errors, such as a missing
   * class.
   */
  private static void failCrashed(JobRunner runner) {
    ExecutableNode node = runner.getNode();
    if (!Status.isStatusFinished(node.getStatus())) {
      node.setStatus(Status.FAILED);
      node.setEndTime(System.currentTimeMillis());
      runner.fireEventListeners(Event.create(runner, Event.Type.JOB_FINISHED));
    }
  }

  /** Kills all running and waiting jobs, and each job that is submitted later. */
  void killAll() {
    killed = true;
    runners.forEach(this::kill);
  }

  /** Kills one job. Returns when the job has been cancelled, perhaps before its end. */
  void kill(JobRunner runner) {
    ExecutableNode node = runner.getNode();
    if (node.getStatus() == Status.KILLED && !runner.isKilled()) {
      // All attempts of a job share one node, and FlowRunner also kills the runners of earlier
      // attempts. If such a runner has already set the node to KILLED, the runner of the live
      // attempt would regard itself as ended and ignore the kill. So reset the status for this
      // kill.
      node.setStatus(Status.QUEUED);
      runner.kill();
      node.setStatus(Status.KILLED);
    } else {
      runner.kill();
    }
    if (!hasJob.test(runner)) {
      // A runner without a job may be about to wait until its retry's time. JobRunner.kill only
      // notifies the runner, and a notification just before the wait is lost, whereas an interrupt
      // is not. The interrupt cannot hit a job, because a killed runner creates none.
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

  /** Returns the runner whose job got this properties object; compares identities. */
  @SuppressWarnings("ReferenceEquality") // Properties of two jobs may be equal
  Optional<JobRunner> find(Props inputProperties) {
    return runners.stream().filter(runner -> runner.getProps() == inputProperties).findFirst();
  }

  Set<JobRunner> runners() {
    return Set.copyOf(runners);
  }
}
