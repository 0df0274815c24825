package io.tony.client;

import io.tony.eventlog.EventJson;
import io.tony.model.JobEvent;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;

/**
 * Tells the events of a job to a person, a line for each that a person wants, and to a program,
 * where asked, as {@code tony-event {json}}. A URL stands at the end of its line, so that Azkaban's
 * page links it whole.
 */
final class Narrator {
  /** A job with more tasks than this has its tasks' lines left out; the event log has them. */
  private static final int TOLD_TASKS = 20;

  private static final Duration PROGRESS_EVERY = Duration.ofSeconds(10);

  private final PrintStream out;
  private final boolean machine;
  private final boolean verbose;
  private final Progress progress = new Progress();
  private Instant progressToldAt = Instant.EPOCH;
  private String untoldProgress = "";
  private int tasks;
  private int allocated;
  private int started;
  private int toldWaitAt = -1;

  Narrator(PrintStream out, boolean machine, boolean verbose) {
    this.out = out;
    this.machine = machine;
    this.verbose = verbose;
  }

  void tell(JobEvent event) {
    if (machine) {
      out.println("tony-event " + EventJson.write(event));
    }
    switch (event.type()) {
      case JOB_SUBMITTED ->
          out.println(
              event.detail("application")
                  + " submitted to queue "
                  + event.detail("queue")
                  + ": "
                  + event.detail("trackingUrl"));
      case AM_STARTED -> {
        tasks = Integer.parseInt(event.detail("tasks"));
        out.println(
            "ApplicationMaster is up on "
                + event.detail("host")
                + ", attempt "
                + event.detail("attempt"));
      }
      case GANG_REQUESTED -> {
        allocated = 0;
        started = 0;
        out.println("asking for " + event.detail("resources"));
      }
      case TASK_ALLOCATED -> {
        allocated++;
        if (tasks <= TOLD_TASKS || verbose) {
          out.println(
              allocated
                  + "/"
                  + tasks
                  + " tasks allocated: "
                  + event.task()
                  + " on "
                  + event.detail("node")
                  + ", log "
                  + event.detail("log"));
        } else if (allocated == tasks) {
          out.println(allocated + "/" + tasks + " tasks allocated");
        }
      }
      case TASK_REGISTERED -> verbose(event, "registered with " + event.detail("endpoint"));
      case TASK_STARTED -> {
        started++;
        verbose(event, "started, process " + event.detail("pid"));
        if (started == tasks) {
          out.println(started + "/" + tasks + " tasks running");
        }
      }
      case GANG_RUNNING -> {}
      case TASK_PROGRESS -> progress(event);
      case GANG_WAITING,
          GANG_BACKED_OFF,
          TASK_RESTARTED,
          NODE_AVOIDED,
          NODES_FORGIVEN,
          ROLE_EXCUSED,
          JOB_STOPPING -> {}
      case TENSORBOARD -> out.println("TensorBoard: " + event.detail("url"));
      case TASK_SUCCEEDED -> {
        tellUntoldProgress();
        if (tasks <= TOLD_TASKS || verbose) {
          out.println(event.task() + " succeeded");
        }
      }
      case TASK_STOPPED -> verbose(event, "stopped");
      case TASK_FAILED -> out.println(event.detail("message") + ", log " + event.detail("log"));
      case GANG_RESTARTED ->
          out.println(
              "the gang is started again ("
                  + event.detail("kind")
                  + ", "
                  + event.detail("left")
                  + " more after this): "
                  + event.detail("message"));
      case STOP_REQUESTED -> out.println("stop requested by " + event.detail("who"));
      case JOB_FINISHED -> tellUntoldProgress(); // the result is told when YARN has it
    }
    out.flush();
  }

  /** Nothing has happened for a while; what is waited for is told once, until it changes. */
  void tellWait() {
    if (tasks > 0 && allocated < tasks && toldWaitAt != allocated) {
      toldWaitAt = allocated;
      out.println(
          allocated
              + "/"
              + tasks
              + " tasks allocated: YARN has no room for the others yet, the queue may be full");
      out.flush();
    }
  }

  private void progress(JobEvent event) {
    String line = event.task() + ": " + progress.withEta(event.detail("text"), event.time());
    if (verbose || Duration.between(progressToldAt, event.time()).compareTo(PROGRESS_EVERY) >= 0) {
      progressToldAt = event.time();
      untoldProgress = "";
      out.println(line);
    } else {
      untoldProgress = line;
    }
  }

  private void tellUntoldProgress() {
    if (!untoldProgress.isEmpty()) {
      out.println(untoldProgress);
      untoldProgress = "";
    }
  }

  private void verbose(JobEvent event, String what) {
    if (verbose) {
      out.println(event.task() + " " + what);
    }
  }
}
