package io.tony.event;

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
   * @param taskCount how many tasks keep one of each number
   * @param completesSet whether this was the last of them: now the gang can go on from there
   * @param copyMs how long the copy took
   * @param namedAt when the program named it, by its node's clock
   * @param path as the program named it
   * @param uri URI of the file or folder in the cluster's file system
   * @param requestedAt when the program had been asked for one last, before it named it; null for
   *     never
   */
  record CheckpointSaved(
      TaskId task,
      String set,
      long number,
      boolean isStep,
      int taskCount,
      boolean completesSet,
      long bytes,
      long copyMs,
      Instant namedAt,
      String path,
      String uri,
      Instant requestedAt)
      implements CheckpointFact {
    /** Whether it answers what was asked at that instant, or later. */
    public boolean answersRequestOf(Instant requestTime) {
      return requestedAt != null
          && !requestedAt.isBefore(requestTime.truncatedTo(ChronoUnit.MILLIS));
    }

    /** The same, of which it is known whether it was the last of its set. */
    public CheckpointSaved withCompletesSet(boolean completes) {
      return new CheckpointSaved(
          task,
          this.set,
          number,
          isStep,
          taskCount,
          completes,
          bytes,
          copyMs,
          namedAt,
          path,
          uri,
          requestedAt);
    }

    /** As people call it, in a sentence. */
    public String displayName() {
      return (isStep ? "the checkpoint of step " : "checkpoint ") + number;
    }

    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.TASK_CHECKPOINT;
    }

    @Override
    public Details details() {
      return Details.empty()
          .with("set", set)
          .with("number", number)
          .with("step", isStep)
          .with("tasks", taskCount)
          .with("whole", completesSet)
          .with("bytes", bytes)
          .with("tookMs", copyMs)
          .with("named", namedAt)
          .with("path", path)
          .with("kept", uri)
          .withNonEmpty("asked", requestedAt);
    }

    public static CheckpointSaved of(JobEvent event) {
      Details details = Details.of(event);
      return new CheckpointSaved(
          details.task(),
          details.text("set"),
          details.longNumber("number"),
          details.flag("step"),
          details.number("tasks"),
          details.flag("whole"),
          details.longNumber("bytes"),
          details.longNumber("tookMs"),
          details.time("named"),
          details.text("path"),
          details.text("kept"),
          details.optionalTime("asked"));
    }
  }

  /** What a program named is not kept. {@code problem} says why, and the remedy. */
  record CheckpointNotSaved(TaskId task, String path, String problem) implements CheckpointFact {
    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.CHECKPOINT_NOT_KEPT;
    }

    @Override
    public Details details() {
      return Details.empty().with("path", path).with("problem", problem);
    }

    public static CheckpointNotSaved of(JobEvent event) {
      Details details = Details.of(event);
      return new CheckpointNotSaved(details.task(), details.text("path"), details.text("problem"));
    }
  }

  /**
   * A gang goes on from a checkpoint, or from none though there is one.
   *
   * @param task the one that goes on by itself; null where the gang does together
   * @param from null where it starts clean
   * @param cleanStartReason why; empty where it does not
   */
  record ResumeDecision(TaskId task, SourceCheckpoint from, String cleanStartReason)
      implements CheckpointFact {
    /** It goes on from there. */
    public static ResumeDecision from(TaskId task, SourceCheckpoint source) {
      return new ResumeDecision(task, source, "");
    }

    /** It does not, for this reason. */
    public static ResumeDecision clean(TaskId task, String reason) {
      return new ResumeDecision(task, null, reason);
    }

    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.GANG_RESUMES;
    }

    @Override
    public Details details() {
      Details details = Details.empty().withNonEmpty("clean", cleanStartReason);
      return from == null ? details : from.addTo(details);
    }

    public static ResumeDecision of(JobEvent event) {
      Details details = Details.of(event);
      String clean = details.optionalText("clean");
      return new ResumeDecision(
          event.task(), clean.isEmpty() ? SourceCheckpoint.of(details) : null, clean);
    }
  }

  /**
   * A checkpoint to go on from.
   *
   * @param set name of its folder
   * @param number of the set: a step, where {@code step}; else a count
   * @param createdAt when its program named it
   * @param application that ran the program
   * @param applicationLabel the same for people; may be empty
   * @param uri URI of the chief's file or folder, or of the first task's where it has none
   */
  record SourceCheckpoint(
      String set,
      long number,
      boolean isStep,
      Instant createdAt,
      String application,
      String applicationLabel,
      String uri) {
    /** As people call it: {@code step 1200}, or {@code checkpoint 7} of a program without steps. */
    public String displayName() {
      return (isStep ? "step " : "checkpoint ") + number;
    }

    private Details addTo(Details details) {
      return details
          .with("from", set)
          .with("number", number)
          .with("step", isStep)
          .with("made", createdAt)
          .with("application", application)
          .withNonEmpty("maker", applicationLabel)
          .with("kept", uri);
    }

    private static SourceCheckpoint of(Details details) {
      return new SourceCheckpoint(
          details.text("from"),
          details.longNumber("number"),
          details.flag("step"),
          details.time("made"),
          details.text("application"),
          details.optionalText("maker"),
          details.text("kept"));
    }
  }
}
