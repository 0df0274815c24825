package io.tony.event;

import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Checkpoints that programs report, whether they are saved, and from which one a gang resumes. */
public sealed interface CheckpointFact extends Fact {

  /**
   * The checkpoint of one task was copied to the cluster's file system.
   *
   * @param set name of the folder of the checkpoint set, which holds the checkpoints of all tasks
   * @param number the training step if {@code isStep}, otherwise a running count
   * @param taskCount number of tasks that save a checkpoint for each number
   * @param completesSet true if all tasks have now saved this number, so that the gang can resume
   *     from it
   * @param bytes size of the checkpoint
   * @param copyMs duration of the copy, in milliseconds
   * @param namedAt when the program reported the checkpoint, by the clock of its node
   * @param path local path that the program reported
   * @param uri URI of the file or folder in the cluster's file system
   * @param requestedAt time of the last checkpoint request to the program before it reported this
   *     checkpoint; null if there was none
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
    /**
     * Returns true if this checkpoint answers the request made at {@code requestTime}, or a later
     * one.
     */
    public boolean answersRequestOf(Instant requestTime) {
      return requestedAt != null
          && !requestedAt.isBefore(requestTime.truncatedTo(ChronoUnit.MILLIS));
    }

    /** Returns a copy of this fact with another value of {@code completes}. */
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

    /** Returns the name of the checkpoint for use in a sentence. */
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

  /**
   * A checkpoint that a program reported was not saved. {@code problem} explains why and how to fix
   * the cause.
   */
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
   * A gang or a single task starts from a checkpoint, or from the beginning although a checkpoint
   * exists.
   *
   * @param task the task that resumes on its own; null if the whole gang does
   * @param from the checkpoint; null for a clean start
   * @param cleanStartReason reason for a clean start; empty if the gang resumes from a checkpoint
   */
  record ResumeDecision(TaskId task, SourceCheckpoint from, String cleanStartReason)
      implements CheckpointFact {
    /**
     * Returns the decision to resume from {@code source}; {@code task} is null for the whole gang.
     */
    public static ResumeDecision from(TaskId task, SourceCheckpoint source) {
      return new ResumeDecision(task, source, "");
    }

    /**
     * Returns the decision to start from the beginning; {@code task} is null for the whole gang.
     */
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
   * A checkpoint from which a gang or a task can resume.
   *
   * @param set name of the folder of the checkpoint set
   * @param number the training step if {@code isStep}, otherwise a running count
   * @param createdAt when the program reported the checkpoint
   * @param application ID of the application that wrote the checkpoint
   * @param creator display name of that application; may be empty
   * @param uri URI of the chief's file or folder; without a chief, of the first task's
   */
  record SourceCheckpoint(
      String set,
      long number,
      boolean isStep,
      Instant createdAt,
      String application,
      String creator,
      String uri) {
    /**
     * Returns the display name: {@code step 1200}, or {@code checkpoint 7} for a program without
     * steps.
     */
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
          .withNonEmpty("maker", creator)
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
