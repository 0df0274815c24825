package io.tony.fact;

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
   * @param log the URL of the container's logs
   * @param memory of the container in MiB; null where YARN has not said
   */
  record Allocated(TaskId task, String container, String node, String log, Long memory)
      implements TaskFact {
    /** In a container of which nobody says how large it is. */
    public Allocated(TaskId task, String container, String node, String log) {
      this(task, container, node, log, null);
    }

    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.TASK_ALLOCATED;
    }

    @Override
    public Details details() {
      return Details.none()
          .with("container", container)
          .with("node", node)
          .with("log", log)
          .withAny("memory", memory);
    }

    public static Allocated of(JobEvent event) {
      Details of = Details.of(event);
      return new Allocated(
          of.task(), of.text("container"), of.text("node"), of.text("log"), of.anyLong("memory"));
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
      return Details.none().with("endpoint", endpoint).with("tensorBoardPort", tensorBoardPort);
    }

    public static Registered of(JobEvent event) {
      Details of = Details.of(event);
      return new Registered(
          of.task(),
          of.read("endpoint", "a host:port", Endpoint::parse),
          of.number("tensorBoardPort"));
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
      return Details.none().with("pid", pid);
    }

    public static Started of(JobEvent event) {
      Details of = Details.of(event);
      return new Started(of.task(), of.longNumber("pid"));
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
      return Details.none().with("text", text);
    }

    public static Progressed of(JobEvent event) {
      Details of = Details.of(event);
      return new Progressed(of.task(), of.text("text"));
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
      return Details.none().with("url", url);
    }

    public static TensorBoard of(JobEvent event) {
      Details of = Details.of(event);
      return new TensorBoard(of.task(), of.text("url"));
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
      String log)
      implements TaskFact {
    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.TASK_FAILED;
    }

    @Override
    public Details details() {
      return Details.none()
          .with("kind", kind)
          .with("message", message)
          .withAny("exitCode", exitCode)
          .withAny("stderr", stderr)
          .withAny("step", step)
          .with("node", node)
          .with("log", log);
    }

    /** With other words of its stderr. */
    public Failed withStderr(String words) {
      return new Failed(task, kind, message, exitCode, words, step, node, log);
    }

    public static Failed of(JobEvent event) {
      Details of = Details.of(event);
      return new Failed(
          of.task(),
          of.failure("kind"),
          of.text("message"),
          of.anyNumber("exitCode"),
          of.any("stderr"),
          of.any("step"),
          of.text("node"),
          of.text("log"));
    }
  }

  /**
   * Its program ended with 0.
   *
   * @param outputs what it left in its output file
   * @param outputsLeftOut what of that is not recorded, why, and the remedy; empty when all is
   */
  record Succeeded(TaskId task, Map<String, String> outputs, String outputsLeftOut)
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
      return Details.none()
          .with("exitCode", 0)
          .withAny("outputsLeftOut", outputsLeftOut)
          .withOutputs(outputs);
    }

    public static Succeeded of(JobEvent event) {
      Details of = Details.of(event);
      return new Succeeded(of.task(), of.outputs(), of.any("outputsLeftOut"));
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
      return Details.none();
    }

    public static Stopped of(JobEvent event) {
      return new Stopped(Details.of(event).task());
    }
  }

  /**
   * It is started again by itself.
   *
   * @param kind of the failure that made it necessary, and {@code message} in words
   * @param left how many more such restarts there can be at the same expense
   * @param attempt the number of its new start
   * @param kept whether it stays in its container, with its executor
   * @param alone whether it waits for nobody, as the others run
   * @param payer at whose expense
   * @param replaced whether its program had not been started
   * @param node where it had been
   * @param memory in MiB of which its role's containers are asked for from now on; null where that
   *     stays as it was
   */
  record Restarted(
      TaskId task,
      FailureKind kind,
      String message,
      int left,
      int attempt,
      boolean kept,
      boolean alone,
      Payer payer,
      boolean replaced,
      String node,
      Long memory)
      implements TaskFact {
    private static final String KEPT = "kept";
    private static final String NEW = "new";

    public Restarted {
      Objects.requireNonNull(payer, "payer");
    }

    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.TASK_RESTARTED;
    }

    @Override
    public Details details() {
      return Details.none()
          .with("kind", kind)
          .with("message", message)
          .with("left", left)
          .with("attempt", attempt)
          .with("where", kept ? KEPT : NEW)
          .with("alone", alone)
          .withLower("charged", payer)
          .with("replaced", replaced)
          .with("node", node)
          .withAny("memory", memory);
    }

    public static Restarted of(JobEvent event) {
      Details of = Details.of(event);
      return new Restarted(
          of.task(),
          of.failure("kind"),
          of.text("message"),
          of.number("left"),
          of.number("attempt"),
          of.read("where", KEPT + " or " + NEW, Restarted::kept),
          of.flag("alone"),
          of.lower("charged", Payer.class),
          of.flag("replaced"),
          of.text("node"),
          of.anyLong("memory"));
    }

    private static boolean kept(String where) {
      if (!where.equals(KEPT) && !where.equals(NEW)) {
        throw new IllegalArgumentException(where);
      }
      return where.equals(KEPT);
    }
  }
}
