package io.tony.pictures;

import io.tony.am.machine.Decision;
import io.tony.am.machine.Event;
import io.tony.am.machine.JobMachine;
import io.tony.am.machine.JobState;
import io.tony.am.machine.Phase;
import io.tony.am.machine.Task;
import io.tony.am.usage.Adviser;
import io.tony.am.usage.Metrics;
import io.tony.am.usage.Stragglers;
import io.tony.am.usage.UsageJournal;
import io.tony.config.TonyConfig;
import io.tony.config.declared.TaskOptions;
import io.tony.config.job.JobSpecReader;
import io.tony.config.job.Problems;
import io.tony.event.CheckpointFact;
import io.tony.event.JobDescription;
import io.tony.event.JobFact;
import io.tony.eventlog.Journal;
import io.tony.model.Endpoint;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobSpec;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.model.TaskState;
import io.tony.model.TaskUsage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * An invented training job. The JobMachine decides what follows from what happens to it, and the
 * ApplicationMaster's journal adds goodput and advice, so its events agree with each other. Time
 * passes only within the methods; two jobs with the same arguments have the same events.
 */
final class ExampleJob {
  /** Time between two reports of the programs. */
  private static final Duration INTERVAL = Duration.ofSeconds(10);

  /** Index of the worker that is the chief. */
  private static final int CHIEF = 0;

  private static final int STEPS_PER_INTERVAL = 50;
  private static final int STEPS_PER_CHECKPOINT = 1_000;
  private static final int EXECUTOR_MIB = 48;
  private static final int MIN_PROGRAM_MIB = 6_000;

  private final String application;
  private final JobDescription description;
  private final Instant submitted;
  private final int steps;
  private final double finalLoss;
  private final Metrics metrics;
  private final UsageJournal journal;
  private final List<JobEvent> events = new ArrayList<>();
  private final SplittableRandom random;
  private final int pace; // steps per interval
  private final int maxProgramMiB;
  private JobState state;
  private Instant now;
  private int step;
  private String lastProgress = "";
  private int intervals; // since the programs were started
  private int lastContainer = 1; // that of the ApplicationMaster
  private int programMiB = MIN_PROGRAM_MIB;
  private CheckpointFact.SourceCheckpoint checkpoint; // null before the first

  /**
   * Submits a job, whose ApplicationMaster starts a few seconds later.
   *
   * @param steps number of steps until it has trained
   * @param finalLoss the loss after these steps
   */
  ExampleJob(JobDescription description, Instant submitted, int steps, double finalLoss) {
    application = "application_1791990286379_" + description.step().execution();
    this.description = description;
    this.submitted = submitted;
    this.steps = steps;
    this.finalLoss = finalLoss;
    now = submitted;
    random = new SplittableRandom(application.hashCode());
    pace = STEPS_PER_INTERVAL + random.nextInt(-1, 2);
    maxProgramMiB = random.nextInt(8_500, 8_700);
    TonyConfig config = TonyConfig.builder().layer("job", description.options()).build();
    Problems problems = new Problems();
    JobSpec spec =
        JobSpecReader.read(config, problems)
            .orElseThrow(() -> new AssertionError(problems.toString()));
    state = JobState.initial(spec, 1);
    metrics = new Metrics(spec, () -> now);
    Duration interval = config.get(TaskOptions.METRICS_INTERVAL);
    journal =
        new UsageJournal(
            log(),
            metrics,
            Adviser.of(spec, config, 1024),
            new Stragglers(spec, interval),
            interval,
            () -> now);
    passMillis(3_100, 3_900);
    JobFact.LaunchTimes launch = new JobFact.LaunchTimes(submitted, now.minusMillis(1_600));
    happens(new Event.AmReady(now, 1, "node-1", launch, description, Set.of(), Map.of()));
  }

  private Journal log() {
    return new Journal() {
      @Override
      public void record(List<JobEvent> decision) {
        events.addAll(decision);
      }

      @Override
      public void runWhenDurable(Runnable step) {
        step.run();
      }
    };
  }

  String application() {
    return application;
  }

  JobDescription description() {
    return description;
  }

  Instant submitted() {
    return submitted;
  }

  /** The time of the latest event. */
  Instant now() {
    return now;
  }

  /** A copy of the events so far. */
  List<JobEvent> events() {
    return List.copyOf(events);
  }

  // ---- What happens ----

  /** Starts the programs, after a wait for each container that the job lacks. */
  ExampleJob start(Duration wait) {
    if (state.tasks().count(TaskState.REQUESTED) > 0) {
      now = now.plus(wait);
    }
    for (Task task : in(TaskState.REQUESTED)) {
      passMillis(200, 900);
      String container =
          "%s_01_%06d".formatted(application.replace("application", "container"), ++lastContainer);
      String node = "node-" + (2 + lastContainer * 5 % 7);
      String log = "http://" + node + ":8042/node/containerlogs/" + container;
      happens(new Event.ContainerAllocated(now, task.id().role(), container, node, log));
    }
    for (Task task : in(TaskState.LAUNCHING)) {
      passMillis(900, 1_800);
      Endpoint endpoint = new Endpoint(task.node(), 40_000 + task.id().index());
      happens(new Event.TaskRegistered(now, key(task), endpoint, 0));
    }
    if (checkpoint != null) {
      happens(
          new Event.ResumePointChosen(
              now, state.session(), CheckpointFact.ResumeDecision.from(null, checkpoint)));
      step = (int) checkpoint.number();
    }
    for (Task task : in(TaskState.RUNNING)) {
      passMillis(100, 300);
      happens(new Event.TaskStarted(now, key(task), 4_000 + task.id().index()));
    }
    programMiB = MIN_PROGRAM_MIB;
    intervals = 0;
    return this;
  }

  /** Trains up to a step. The last event is the chief's report of this step. */
  ExampleJob train(int end) {
    while (step < end) {
      int before = step;
      int paceNow = paceNow();
      step = Math.min(end, step + paceNow);
      now = now.plusMillis(INTERVAL.toMillis() * (step - before) / paceNow);
      sample();
      if (step / STEPS_PER_CHECKPOINT > before / STEPS_PER_CHECKPOINT) {
        saveCheckpoint(step / STEPS_PER_CHECKPOINT * STEPS_PER_CHECKPOINT);
      }
      lastProgress = progress();
      happens(new Event.TaskProgressed(now, key(CHIEF), lastProgress));
    }
    return this;
  }

  /** Loses the node of a worker. */
  ExampleJob loseNode(int worker) {
    passMillis(2_000, 4_000);
    String message =
        "the container was released, or its node was lost: Container released on a *lost* node";
    happens(new Event.ContainerEnded(now, key(worker), FailureKind.LOST, message));
    return this;
  }

  /** Ends the container of a worker for its memory. */
  ExampleJob exceedMemory(int worker) {
    passMillis(2_000, 4_000);
    String message =
        "worker:" + worker + " used 16512 MiB of its 16384 MiB; set tony.worker.memory=21g";
    happens(new Event.ContainerEnded(now, key(worker), FailureKind.MEMORY, message));
    return endOthers();
  }

  /** Ends the program of a worker with exit code 1. */
  ExampleJob fail(int worker, String stderr) {
    passMillis(2_000, 4_000);
    exit(key(worker), 1, stderr, Map.of());
    return endOthers();
  }

  /** Ends the programs of all workers with exit code 0. */
  ExampleJob succeed() {
    for (Task task : in(TaskState.RUNNING)) {
      passMillis(100, 500);
      boolean isChief = task.id().index() == CHIEF;
      Map<String, String> outputs =
          isChief ? Map.of("loss", String.format(Locale.ROOT, "%.2f", finalLoss)) : Map.of();
      exit(key(task), 0, "", outputs);
    }
    return this;
  }

  // ---- How it happens ----

  private void happens(Event event) {
    Decision decision = JobMachine.handle(state, event);
    state = decision.state();
    journal.record(decision.facts());
  }

  private ExampleJob endOthers() {
    if (state.phase() == Phase.STOPPING) {
      for (Task task : in(TaskState.RUNNING)) {
        passMillis(100, 500);
        exit(key(task), 143, "", Map.of());
      }
    }
    return this;
  }

  private void exit(TaskKey key, int code, String stderr, Map<String, String> outputs) {
    String progress = key.task().index() == CHIEF ? lastProgress : "";
    Event.Exit exit = new Event.Exit(code, stderr, outputs, "", false, false, "", progress);
    happens(new Event.TaskExited(now, key, exit));
  }

  /** Steps of the next interval: fewer while the programs warm up. */
  private int paceNow() {
    intervals++;
    return Math.min(pace, pace * intervals / 3) + random.nextInt(-1, 2);
  }

  private void sample() {
    programMiB += (maxProgramMiB - programMiB) / 12;
    for (Task task : in(TaskState.RUNNING)) {
      int memory = programMiB + random.nextInt(200);
      TaskUsage.GpuUsage gpu = new TaskUsage.GpuUsage(random.nextInt(86, 98), 10_240);
      TaskUsage usage = new TaskUsage(memory, random.nextInt(270, 310) / 100.0, gpu);
      metrics.recordSample(
          task.id(), new Metrics.Sample(usage, INTERVAL, memory + 60L, EXECUTOR_MIB));
    }
    JobFact.UsageReport report = new JobFact.UsageReport(metrics.details(INTERVAL));
    journal.record(List.of(report.toEvent(now, state.session())));
  }

  private void saveCheckpoint(int number) {
    String[] id = application.split("_", -1);
    String set =
        String.format(
            Locale.ROOT,
            "%s_%010d_%06d-%012d",
            id[1],
            Long.parseLong(id[2]),
            state.session(),
            number);
    String file = "hdfs://nn:8020/user/ada/.tony/checkpoints/" + set + "/worker-0";
    happens(
        new Event.CheckpointReported(
            now,
            new CheckpointFact.CheckpointSaved(
                new TaskId("worker", CHIEF),
                set,
                number,
                true,
                1,
                false,
                94_371_840,
                1_200,
                now,
                "m.pt",
                file,
                null)));
    String maker = description.step().flow() + "." + description.step().job();
    checkpoint =
        new CheckpointFact.SourceCheckpoint(
            set,
            number,
            true,
            now,
            application,
            maker + ", execution " + description.step().execution(),
            file);
  }

  private String progress() {
    double rest = StrictMath.exp(-5.0 * step / steps);
    double noise = random.nextDouble(-0.5, 0.5) * (0.01 + 0.05 * rest);
    double loss = step == steps ? finalLoss : finalLoss + 1.9 * rest + noise;
    double accuracy = 0.91 - 0.6 * rest - noise / 2;
    return String.format(Locale.ROOT, "step %d/%d loss=%.3f acc=%.3f", step, steps, loss, accuracy);
  }

  private List<Task> in(TaskState wanted) {
    List<Task> found = new ArrayList<>();
    for (Task task : state.tasks()) {
      if (task.state() == wanted) {
        found.add(task);
      }
    }
    return found;
  }

  private TaskKey key(int worker) {
    return key(state.tasks().get(new TaskId("worker", worker)));
  }

  private static TaskKey key(Task task) {
    return new TaskKey(task.id(), task.attempt(), task.container());
  }

  private void passMillis(int min, int max) {
    now = now.plusMillis(random.nextInt(min, max));
  }
}
