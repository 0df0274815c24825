package io.tony.cluster;

import io.tony.model.JobEvent;
import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.util.List;

/** What the event log of a job's application tells of checkpoints. */
record ToldCheckpoints(TonyCommand tony) {

  static long number(JobEvent event) {
    return Long.parseLong(event.detail("number"));
  }

  /** Every one that a task has kept. */
  List<JobEvent> kept() throws IOException {
    return ClusterTest.events(tony.application(), JobEvent.Type.TASK_CHECKPOINT);
  }

  /** The same by their steps. */
  List<Long> keptSteps() throws IOException {
    return kept().stream().map(ToldCheckpoints::number).toList();
  }

  /** The newest step that was kept before this start of the gang; 0 for none. */
  long newestBefore(int session) throws IOException {
    return kept().stream()
        .filter(event -> event.session() < session)
        .mapToLong(ToldCheckpoints::number)
        .max()
        .orElse(0);
  }

  /** What the gang went on from, each time that there was something. */
  List<JobEvent> resumes() throws IOException {
    return ClusterTest.events(tony.application(), JobEvent.Type.GANG_RESUMES);
  }

  /** The same by the steps. */
  List<Long> resumedSteps() throws IOException {
    return resumes().stream().map(ToldCheckpoints::number).toList();
  }

  /** Waits until the task has kept the checkpoint of this step. */
  void awaitKept(String task, long step) throws IOException, InterruptedException {
    Looks.await(
        tony,
        "a checkpoint of step " + step + " of " + task,
        () ->
            kept().stream()
                .anyMatch(event -> event.task().toString().equals(task) && number(event) == step));
  }

  /** Waits until so many are kept in this start of the gang. */
  void awaitKeptIn(int session, int times) throws IOException, InterruptedException {
    Looks.await(
        tony,
        times + " checkpoints of session " + session,
        () -> kept().stream().filter(event -> event.session() == session).count() >= times);
  }

  /**
   * Waits until all programs of a start of the gang have ended, and it goes on from a checkpoint.
   */
  void awaitResumed() throws IOException, InterruptedException {
    Looks.await(tony, "a start from a checkpoint", () -> !resumes().isEmpty());
  }
}
