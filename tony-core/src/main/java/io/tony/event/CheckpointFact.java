package io.tony.event;

import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Checkpoints that the user's programs report: whether they were saved, and from which one a gang
 * or a task resumes.
 */
public sealed interface CheckpointFact extends Fact {

  /**
   * The checkpoint of one task was copied to the cluster's file system.
   *
   * @param set name of the folder of the checkpoint set, which holds the checkpoints of all tasks
   * @param number the training step if {@code isStep}, otherwise a running count
   * @param isStep true if the program reported a training step
   * @param taskCount number of tasks that save checkpoints
   * @param completesSet true if all these tasks have now saved this number, so that the gang can
   *     resume from it
   * @param bytes size of the checkpoint
   * @param copyMs duration of the copy, in milliseconds
   * @param namedAt when the program reported the checkpoint, by the clock of the task's node
   * @param path local path that the program reported
   * @param uri URI of the copied file or folder in the cluster's file system
   * @param requestedAt when the program was last asked for a checkpoint before it reported this
   *     one; null if it was not asked
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
     * Returns true if the program reported this checkpoint after the checkpoint request made at
     * {@code requestTime} or a later request.
     */
    public boolean answersRequestOf(Instant requestTime) {
      return requestedAt != null
          && !requestedAt.isBefore(requestTime.truncatedTo(ChronoUnit.MILLIS));
    }

    /** Returns a copy of this fact that says whether the set is complete with it. */
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

    /**
     * Returns a name for use in a sentence: {@code the checkpoint of step 1200}, or {@code
     * checkpoint 7} for a program without steps.
     */
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
   * A checkpoint that the program of a task reported was not saved.
   *
   * @param path local path that the program reported
   * @param problem why the checkpoint was not saved, and how to fix the cause
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
   * A gang or a single task starts from a checkpoint, or from scratch although a checkpoint exists.
   *
   * @param task the task that resumes on its own; null if the whole gang does
   * @param from the checkpoint; null for a start from scratch
   * @param cleanStartReason reason for a start from scratch; empty if {@code from} is not null
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
     * Returns the decision to start from scratch for {@code reason}; {@code task} is null for the
     * whole gang.
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
   * A checkpoint set from which a gang or a task can resume.
   *
   * @param set name of the folder of the checkpoint set
   * @param number the training step if {@code isStep}, otherwise a running count
   * @param isStep true if the program reported a training step
   * @param createdAt when the program reported the checkpoint
   * @param application ID of the application that wrote the checkpoint
   * @param creator who made the checkpoint, for display, such as {@code nightly.train, execution
   *     17}; may be empty
   * @param uri URI of the chief's file or folder in the set; in a gang without a chief, of the
   *     first task's
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
