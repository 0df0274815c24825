package io.tony.event;

import io.tony.model.Endpoint;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Something that happened to one task. */
public sealed interface TaskFact extends Fact {
  @Override
  TaskId task();

  /**
   * YARN allocated a container to the task.
   *
   * @param container ID of the container
   * @param node name of the node
   * @param logUrl URL of the container's logs
   * @param memoryMiB memory of the container in MiB; null if YARN did not report it
   */
  record Allocated(
      TaskId task, String container, String node, String logUrl, @Nullable Long memoryMiB)
      implements TaskFact {
    /** Creates the fact for a container whose memory size is unknown. */
    public Allocated(TaskId task, String container, String node, String logUrl) {
      this(task, container, node, logUrl, null);
    }

    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.TASK_ALLOCATED;
    }

    @Override
    public Details details() {
      return Details.empty()
          .with("container", container)
          .with("node", node)
          .with("log", logUrl)
          .withNonEmpty("memory", memoryMiB);
    }

    public static Allocated of(JobEvent event) {
      Details details = Details.of(event);
      return new Allocated(
          details.task(),
          details.text("container"),
          details.text("node"),
          details.text("log"),
          details.optionalLong("memory"));
    }
  }

  /**
   * The executor of the task registered with the ApplicationMaster.
   *
   * @param endpoint host and port that the executor has reserved for the user's program
   * @param tensorBoardPort port of the task's TensorBoard; 0 if it has none
   */
  record Registered(TaskId task, Endpoint endpoint, int tensorBoardPort) implements TaskFact {
    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.TASK_REGISTERED;
    }

    @Override
    public Details details() {
      return Details.empty().with("endpoint", endpoint).with("tensorBoardPort", tensorBoardPort);
    }

    public static Registered of(JobEvent event) {
      Details details = Details.of(event);
      return new Registered(
          details.task(),
          details.read("endpoint", "a host:port", Endpoint::parse),
          details.number("tensorBoardPort"));
    }
  }

  /** The executor started the user's program; {@code pid} is its process ID. */
  record Started(TaskId task, long pid) implements TaskFact {
    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.TASK_STARTED;
    }

    @Override
    public Details details() {
      return Details.empty().with("pid", pid);
    }

    public static Started of(JobEvent event) {
      Details details = Details.of(event);
      return new Started(details.task(), details.longNumber("pid"));
    }
  }

  /** The latest progress that the user's program reported. */
  record Progressed(TaskId task, String text) implements TaskFact {
    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.TASK_PROGRESS;
    }

    @Override
    public Details details() {
      return Details.empty().with("text", text);
    }

    public static Progressed of(JobEvent event) {
      Details details = Details.of(event);
      return new Progressed(details.task(), details.text("text"));
    }
  }

  /** The TensorBoard of the task accepts connections. */
  record TensorBoard(TaskId task, String url) implements TaskFact {
    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.TENSORBOARD;
    }

    @Override
    public Details details() {
      return Details.empty().with("url", url);
    }

    public static TensorBoard of(JobEvent event) {
      Details details = Details.of(event);
      return new TensorBoard(details.task(), details.text("url"));
    }
  }

  /**
   * The task failed.
   *
   * @param kind kind of the failure
   * @param message description of the failure
   * @param exitCode exit code of the program; null if the program did not end by itself
   * @param stderr last lines of the program's stderr; empty if there are none
   * @param step last progress that the job had reported before the failure; empty if unknown
   * @param node node on which the task ran
   * @param logUrl URL of the container's logs
   */
  record Failed(
      TaskId task,
      FailureKind kind,
      String message,
      @Nullable Integer exitCode,
      String stderr,
      String step,
      String node,
      String logUrl)
      implements TaskFact {
    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.TASK_FAILED;
    }

    @Override
    public Details details() {
      return Details.empty()
          .with("kind", kind)
          .with("message", message)
          .withNonEmpty("exitCode", exitCode)
          .withNonEmpty("stderr", stderr)
          .withNonEmpty("step", step)
          .with("node", node)
          .with("log", logUrl);
    }

    /** Returns a copy of this failure with another {@code stderr}. */
    public Failed withStderr(String text) {
      return new Failed(task, kind, message, exitCode, text, step, node, logUrl);
    }

    public static Failed of(JobEvent event) {
      Details details = Details.of(event);
      return new Failed(
          details.task(),
          details.failureKind("kind"),
          details.text("message"),
          details.optionalNumber("exitCode"),
          details.optionalText("stderr"),
          details.optionalText("step"),
          details.text("node"),
          details.text("log"));
    }
  }

  /**
   * The program of the task ended with exit code 0.
   *
   * @param outputs values that the program wrote to its output file, by name
   * @param omittedOutputs which outputs were not recorded, why, and how to fix the cause; empty if
   *     all were recorded
   */
  record Succeeded(TaskId task, Map<String, String> outputs, String omittedOutputs)
      implements TaskFact {
    public Succeeded {
      outputs = Collections.unmodifiableMap(new LinkedHashMap<>(outputs));
    }

    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.TASK_SUCCEEDED;
    }

    @Override
    public Details details() {
      return Details.empty()
          .with("exitCode", 0)
          .withNonEmpty("outputsLeftOut", omittedOutputs)
          .withOutputs(outputs);
    }

    public static Succeeded of(JobEvent event) {
      Details details = Details.of(event);
      return new Succeeded(
          details.task(), details.outputs(), details.optionalText("outputsLeftOut"));
    }
  }

  /** The task was stopped because the job does not need it any more. */
  record Stopped(TaskId task) implements TaskFact {
    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.TASK_STOPPED;
    }

    @Override
    public Details details() {
      return Details.empty();
    }

    public static Stopped of(JobEvent event) {
      return new Stopped(Details.of(event).task());
    }
  }

  /**
   * The task was restarted on its own, without its gang.
   *
   * @param kind kind of the failure that caused the restart
   * @param message description of that failure
   * @param remaining number of further restarts that the charged retry budget allows
   * @param attempt new attempt number of the task
   * @param sameContainer true if the task keeps its container and its executor
   * @param alone true if the other tasks keep running, so that the program starts without waiting
   *     for them
   * @param chargedTo owner of the charged retry budget
   * @param beforeStart true if the program of the failed attempt had not been started yet
   * @param node node of the failed attempt
   * @param memoryMiB new container memory of the task's role, in MiB; null if unchanged
   */
  record Restarted(
      TaskId task,
      FailureKind kind,
      String message,
      int remaining,
      int attempt,
      boolean sameContainer,
      boolean alone,
      RetryBudgetOwner chargedTo,
      boolean beforeStart,
      String node,
      @Nullable Long memoryMiB)
      implements TaskFact {
    private static final String KEPT = "kept";
    private static final String NEW = "new";

    public Restarted {
      Objects.requireNonNull(chargedTo, "chargedTo");
    }

    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.TASK_RESTARTED;
    }

    @Override
    public Details details() {
      return Details.empty()
          .with("kind", kind)
          .with("message", message)
          .with("left", remaining)
          .with("attempt", attempt)
          .with("where", sameContainer ? KEPT : NEW)
          .with("alone", alone)
          .withLowerCase("charged", chargedTo)
          .with("replaced", beforeStart)
          .with("node", node)
          .withNonEmpty("memory", memoryMiB);
    }

    public static Restarted of(JobEvent event) {
      Details details = Details.of(event);
      return new Restarted(
          details.task(),
          details.failureKind("kind"),
          details.text("message"),
          details.number("left"),
          details.number("attempt"),
          details.read("where", KEPT + " or " + NEW, Restarted::sameContainer),
          details.flag("alone"),
          details.lowerCaseConstant("charged", RetryBudgetOwner.class),
          details.flag("replaced"),
          details.text("node"),
          details.optionalLong("memory"));
    }

    private static boolean sameContainer(String container) {
      if (!container.equals(KEPT) && !container.equals(NEW)) {
        throw new IllegalArgumentException(container);
      }
      return container.equals(KEPT);
    }
  }
}
