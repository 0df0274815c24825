package io.tony.timeline;

import io.tony.event.CheckpointFact;
import io.tony.event.Fact;
import io.tony.event.GangFact;
import io.tony.event.JobFact;
import io.tony.event.ResizeFact;
import io.tony.event.TaskFact;
import io.tony.model.FailureKind;
import io.tony.text.Strings;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects the marks of a job's timeline from the facts of its events. Not thread-safe. */
final class Marks {
  private static final int MAX_CHARS = 160;

  private final List<Mark> all = new ArrayList<>();
  private @Nullable Instant last;

  void add(Instant at, int session, Fact fact) {
    if (fact instanceof JobFact.MasterStarted master && master.attempt() > 1) {
      addMark(at, Mark.Kind.MASTER, takeover(at, master));
    } else if (fact instanceof GangFact.Restarted gang && gang.kind() != FailureKind.RESIZED) {
      int restart = session + 1;
      addMark(
          at,
          Mark.Kind.GANG_RESTART,
          "gang restart " + restart + " (" + gang.kind() + "): " + gang.message());
    } else if (fact instanceof ResizeFact.Resized resized) {
      addMark(at, Mark.Kind.RESIZE, resize(session, resized));
    } else if (fact instanceof TaskFact.Restarted task) {
      addMark(
          at,
          Mark.Kind.TASK_RESTART,
          task.task() + " is started again (" + task.kind() + "): " + task.message());
    } else if (fact instanceof CheckpointFact.ResumeDecision resumes && resumes.task() == null) {
      addMark(
          at,
          Mark.Kind.RESUME,
          resumes.from() == null
              ? "starts clean: " + resumes.cleanStartReason()
              : "resumes from " + resumes.from().displayName());
    } else if (fact instanceof JobFact.StopRequested stop) {
      addMark(at, Mark.Kind.STOP, "the end was asked for: " + stop.requester());
    }
    last = at;
  }

  /**
   * Returns the text for a resize. Unless the resize is live, a growing gang is restarted by the
   * same decision, so the text mentions this restart.
   */
  private static String resize(int session, ResizeFact.Resized fact) {
    if (fact.shrinks()) {
      return fact.instances()
          + " of "
          + fact.previousInstances()
          + " "
          + fact.role()
          + " go on: "
          + fact.message();
    }
    String sizes =
        "from " + fact.previousInstances() + " to " + fact.instances() + " " + fact.role();
    return (fact.live() ? "" : "gang restart " + (session + 1) + ", ")
        + sizes
        + ": "
        + fact.message();
  }

  private String takeover(Instant at, JobFact.MasterStarted master) {
    String text = "ApplicationMaster " + master.attempt() + " took over on " + master.host();
    if (master.recoveredTaskCount() != null) {
      text += "; running programs: " + master.recoveredTaskCount();
    }
    // The log does not contain when the previous ApplicationMaster was lost, so the text gives the
    // time since its last event, after which it was lost.
    return last == null
        ? text
        : text
            + "; the last event before was "
            + PreciseDuration.format(Duration.between(last, at))
            + " ago";
  }

  private void addMark(Instant at, Mark.Kind kind, String text) {
    String line = text.lines().findFirst().orElse("");
    boolean fits = line.length() <= MAX_CHARS;
    all.add(new Mark(at, kind, fits ? line : Strings.truncate(line, MAX_CHARS) + "…"));
  }

  List<Mark> all() {
    return all;
  }
}
