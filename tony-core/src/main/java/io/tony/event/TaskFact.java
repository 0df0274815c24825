package io.tony.event;

import io.tony.model.Endpoint;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** What can become of one task. */
public sealed interface TaskFact extends Fact {

  /**
   * It has a container.
   *
   * @param logUrl the URL of the container's logs
   * @param memoryMiB of the container in MiB; null where YARN has not said
   */
  record Allocated(TaskId task, String container, String node, String logUrl, Long memoryMiB)
      implements TaskFact {
    /** In a container of which nobody says how large it is. */
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

  /** Its executor holds a port. {@code tensorBoardPort} is 0 where it has none. */
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

  /** The executor has started the user's process. */
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

  /** What the program told last of how far it is. */
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

  /** Its TensorBoard listens. */
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
   * It has failed.
   *
   * @param exitCode of the program; null when it did not end by itself
   * @param stderr the last lines of its stderr; empty when there is none
   * @param step how far the job was, as far as anybody tells; empty otherwise
   * @param node where it ran, and {@code log} the URL of its logs
   */
  record Failed(
      TaskId task,
      FailureKind kind,
      String message,
      Integer exitCode,
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

    /** With other words of its stderr. */
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
   * Its program ended with 0.
   *
   * @param outputs what it left in its output file
   * @param omittedOutputs what of that is not recorded, why, and the remedy; empty when all is
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

  /** It has ended because the job no longer wants it. */
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
   * It is started again by itself.
   *
   * @param kind of the failure that made it necessary, and {@code message} in words
   * @param remaining how many more such restarts there can be at the same expense
   * @param attempt the number of its new start
   * @param sameContainer whether it stays in its container, with its executor
   * @param alone whether it waits for nobody, as the others run
   * @param chargedTo at whose expense
   * @param replaced whether its program had not been started
   * @param node where it had been
   * @param memoryMiB in MiB of which its role's containers are asked for from now on; null where
   *     that stays as it was
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
      boolean replaced,
      String node,
      Long memoryMiB)
      implements TaskFact {
    private static final String KEPT = "kept";
    private static final String NEW = "new";

    public Restarted {
      Objects.requireNonNull(chargedTo, "payer");
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
          .with("replaced", replaced)
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
