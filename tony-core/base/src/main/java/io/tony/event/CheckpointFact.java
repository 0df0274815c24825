package io.tony.event;

import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * What happened to a checkpoint: it was saved or could not be saved, or the gang or a task resumes
 * from it.
 */
public sealed interface CheckpointFact extends Fact {

  /**
   * The checkpoint of one task was copied to the cluster's file system.
   *
   * @param set name of the folder of the checkpoint set, which holds the checkpoints of all tasks
   * @param number the training step if {@code isStep}; otherwise a running number
   * @param isStep true if the program reported a training step
   * @param taskCount number of tasks that save checkpoints
   * @param completesSet true if, with this checkpoint, the set contains the checkpoints of all
   *     {@code taskCount} tasks, so that the gang can resume from the set
   * @param bytes size of the checkpoint
   * @param copyMs duration of the copy, in milliseconds
   * @param namedAt when the program reported the checkpoint, by the clock of the task's node
   * @param path local path that the program reported
   * @param uri URI of the copied file or folder in the cluster's file system
   * @param requestedAt when the program was asked for a checkpoint for the last time before it
   *     reported this one; null if it was not asked
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
      @Nullable Instant requestedAt)
      implements CheckpointFact {
    /**
     * Returns true if the program reported this checkpoint after it had been asked for one at
     * {@code requestTime} or later.
     */
    public boolean answersRequestOf(Instant requestTime) {
      return requestedAt != null
          && !requestedAt.isBefore(requestTime.truncatedTo(ChronoUnit.MILLIS));
    }

    /** Returns a copy of this fact with {@link #completesSet} set to {@code completes}. */
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
   * The checkpoint from which the gang or a single task starts. Also recorded if it starts from
   * scratch although a checkpoint exists.
   *
   * @param task the task that starts on its own; null if the whole gang starts
   * @param from the checkpoint; null for a start from scratch
   * @param cleanStartReason reason for a start from scratch; empty if {@code from} is not null
   */
  record ResumeDecision(
      @Nullable TaskId task, @Nullable SourceCheckpoint from, String cleanStartReason)
      implements CheckpointFact {
    /**
     * Returns the decision to resume from {@code source}; {@code task} is null for the whole gang.
     */
    public static ResumeDecision from(@Nullable TaskId task, SourceCheckpoint source) {
      return new ResumeDecision(task, source, "");
    }

    /**
     * Returns the decision to start from scratch for {@code reason}; {@code task} is null for the
     * whole gang.
     */
    public static ResumeDecision clean(@Nullable TaskId task, String reason) {
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
   * The checkpoint set from which the gang or a task resumes.
   *
   * @param set name of the folder of the checkpoint set
   * @param number the training step if {@code isStep}; otherwise a running number
   * @param isStep true if the program reported a training step
   * @param createdAt when the program reported the checkpoint
   * @param application ID of the application that wrote the checkpoint set
   * @param creator the job that made the checkpoint, for display, such as {@code nightly.train,
   *     execution 17}; may be empty
   * @param uri URI of the chief's file or folder in the set; if the gang has no chief, URI of the
   *     first task's file or folder
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
