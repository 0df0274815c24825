package io.tony.fact;

import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.util.List;

/** What can become of the tasks of a job together. */
public sealed interface GangFact extends Fact {

  /**
   * Containers are asked for, for all tasks of some roles.
   *
   * @param tasks how many
   * @param resources of each role, in words
   */
  record Requested(int tasks, String resources, List<String> roles) implements GangFact {
    public Requested {
      roles = List.copyOf(roles);
    }

    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.GANG_REQUESTED;
    }

    @Override
    public Details details() {
      return Details.none()
          .with("tasks", tasks)
          .with("resources", resources)
          .with("roles", String.join(",", roles));
    }

    public static Requested of(JobEvent event) {
      Details of = Details.of(event);
      return new Requested(of.number("tasks"), of.text("resources"), of.names("roles"));
    }
  }

  /**
   * Which containers are missing, what the queue has left (empty when YARN has not said), and what
   * of it is too little; all in words.
   */
  record Shortage(String missing, String free, String lacking) {
    private Details to(Details details) {
      return details.with("missing", missing).with("free", free).with("short", lacking);
    }

    private static Shortage of(Details of) {
      return new Shortage(of.text("missing"), of.text("free"), of.text("short"));
    }
  }

  /** Containers are waited for. */
  record Waiting(Shortage shortage) implements GangFact {
    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.GANG_WAITING;
    }

    @Override
    public Details details() {
      return shortage.to(Details.none());
    }

    public static Waiting of(JobEvent event) {
      return new Waiting(Shortage.of(Details.of(event)));
    }
  }

  /** A gang gave back the containers that it had, to ask again after a {@code pause}. */
  record BackedOff(Shortage shortage, String pause) implements GangFact {
    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.GANG_BACKED_OFF;
    }

    @Override
    public Details details() {
      return shortage.to(Details.none()).with("wait", pause);
    }

    public static BackedOff of(JobEvent event) {
      Details of = Details.of(event);
      return new BackedOff(Shortage.of(of), of.text("wait"));
    }
  }

  /** Every task of the gang has been told to start. */
  record Running() implements GangFact {
    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.GANG_RUNNING;
    }

    @Override
    public Details details() {
      return Details.none();
    }
  }

  /**
   * The gang is started again.
   *
   * @param task whose failure made it necessary, of the {@code kind}, {@code message} in words
   * @param left how many more such restarts there can be
   * @param attempt the number of the new start
   * @param payer at whose expense; never a role's
   * @param kept how many containers stay
   * @param keptFailed whether that of the failed task does
   * @param node where the failed task ran
   * @param done roles that are not started again: what they did was for others, and they have ended
   * @param memory in MiB of which the containers of the failed task's role are asked for from now
   *     on; null where that stays as it was
   */
  record Restarted(
      TaskId task,
      FailureKind kind,
      String message,
      int left,
      int attempt,
      Payer payer,
      int kept,
      boolean keptFailed,
      String node,
      List<String> done,
      Long memory)
      implements GangFact {
    public Restarted {
      done = List.copyOf(done);
    }

    /** In containers as large as those before. */
    public Restarted(
        TaskId task,
        FailureKind kind,
        String message,
        int left,
        int attempt,
        Payer payer,
        int kept,
        boolean keptFailed,
        String node,
        List<String> done) {
      this(task, kind, message, left, attempt, payer, kept, keptFailed, node, done, null);
    }

    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.GANG_RESTARTED;
    }

    @Override
    public Details details() {
      return Details.none()
          .with("kind", kind)
          .with("message", message)
          .with("left", left)
          .with("attempt", attempt)
          .withLower("charged", payer)
          .with("kept", kept)
          .with("keptFailed", keptFailed)
          .with("node", node)
          .with("done", String.join(",", done))
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
          // Release 0.1.0 did not write it: the job paid for every start.
          of.any("charged").isEmpty() ? Payer.JOB : of.lower("charged", Payer.class),
          of.number("kept"),
          of.flag("keptFailed"),
          of.text("node"),
          of.names("done"),
          of.anyLong("memory"));
    }
  }
}
