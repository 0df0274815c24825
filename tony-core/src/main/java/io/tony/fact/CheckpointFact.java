package io.tony.fact;

import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** What becomes of the checkpoints that programs name, and which of them others go on from. */
public sealed interface CheckpointFact extends Fact {

  /**
   * A task's checkpoint is in the cluster's file system.
   *
   * @param set name of the folder of all that belong together
   * @param number of the set: the step that the program named, where {@code step}; else a count
   * @param tasks how many tasks keep one of each number
   * @param whole whether this was the last of them: now the gang can go on from there
   * @param tookMs how long the copy took
   * @param named when the program named it, by its node's clock
   * @param path as the program named it
   * @param kept URI of the file or folder in the cluster's file system
   * @param asked when the program had been asked for one last, before it named it; null for never
   */
  record Kept(
      TaskId task,
      String set,
      long number,
      boolean step,
      int tasks,
      boolean whole,
      long bytes,
      long tookMs,
      Instant named,
      String path,
      String kept,
      Instant asked)
      implements CheckpointFact {
    /** Whether it answers what was asked at that instant, or later. */
    public boolean answers(Instant question) {
      return asked != null && !asked.isBefore(question.truncatedTo(ChronoUnit.MILLIS));
    }

    /** The same, of which it is known whether it was the last of its set. */
    public Kept completing(boolean set) {
      return new Kept(
          task, this.set, number, step, tasks, set, bytes, tookMs, named, path, kept, asked);
    }

    /** As people call it, in a sentence. */
    public String words() {
      return (step ? "the checkpoint of step " : "checkpoint ") + number;
    }

    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.TASK_CHECKPOINT;
    }

    @Override
    public Details details() {
      return Details.none()
          .with("set", set)
          .with("number", number)
          .with("step", step)
          .with("tasks", tasks)
          .with("whole", whole)
          .with("bytes", bytes)
          .with("tookMs", tookMs)
          .with("named", named)
          .with("path", path)
          .with("kept", kept)
          .withAny("asked", asked);
    }

    public static Kept of(JobEvent event) {
      Details of = Details.of(event);
      return new Kept(
          of.task(),
          of.text("set"),
          of.longNumber("number"),
          of.flag("step"),
          of.number("tasks"),
          of.flag("whole"),
          of.longNumber("bytes"),
          of.longNumber("tookMs"),
          of.time("named"),
          of.text("path"),
          of.text("kept"),
          of.anyTime("asked"));
    }
  }

  /** What a program named is not kept. {@code problem} says why, and the remedy. */
  record NotKept(TaskId task, String path, String problem) implements CheckpointFact {
    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.CHECKPOINT_NOT_KEPT;
    }

    @Override
    public Details details() {
      return Details.none().with("path", path).with("problem", problem);
    }

    public static NotKept of(JobEvent event) {
      Details of = Details.of(event);
      return new NotKept(of.task(), of.text("path"), of.text("problem"));
    }
  }

  /**
   * A gang goes on from a checkpoint, or from none though there is one.
   *
   * @param task the one that goes on by itself; null where the gang does together
   * @param from null where it starts clean
   * @param clean why; empty where it does not
   */
  record Resumes(TaskId task, Source from, String clean) implements CheckpointFact {
    /** It goes on from there. */
    public static Resumes from(TaskId task, Source source) {
      return new Resumes(task, source, "");
    }

    /** It does not, for this reason. */
    public static Resumes clean(TaskId task, String why) {
      return new Resumes(task, null, why);
    }

    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.GANG_RESUMES;
    }

    @Override
    public Details details() {
      Details details = Details.none().withAny("clean", clean);
      return from == null ? details : from.to(details);
    }

    public static Resumes of(JobEvent event) {
      Details of = Details.of(event);
      String clean = of.any("clean");
      return new Resumes(event.task(), clean.isEmpty() ? Source.of(of) : null, clean);
    }
  }

  /**
   * A checkpoint to go on from.
   *
   * @param set name of its folder
   * @param number of the set: a step, where {@code step}; else a count
   * @param made when its program named it
   * @param application that ran the program
   * @param maker the same for people; may be empty
   * @param kept URI of the chief's file or folder, or of the first task's where it has none
   */
  record Source(
      String set,
      long number,
      boolean step,
      Instant made,
      String application,
      String maker,
      String kept) {
    /** As people call it: {@code step 1200}, or {@code checkpoint 7} of a program without steps. */
    public String words() {
      return (step ? "step " : "checkpoint ") + number;
    }

    private Details to(Details details) {
      return details
          .with("from", set)
          .with("number", number)
          .with("step", step)
          .with("made", made)
          .with("application", application)
          .withAny("maker", maker)
          .with("kept", kept);
    }

    private static Source of(Details of) {
      return new Source(
          of.text("from"),
          of.longNumber("number"),
          of.flag("step"),
          of.time("made"),
          of.text("application"),
          of.any("maker"),
          of.text("kept"));
    }
  }
}
