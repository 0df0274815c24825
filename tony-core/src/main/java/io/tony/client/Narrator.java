package io.tony.client;

import io.tony.eventlog.EventJson;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Tells the events of a job to a person, a line for each that a person wants, and to a program,
 * where asked, as {@code tony-event {json}}. A URL stands at the end of its line, so that Azkaban's
 * page links it whole.
 */
final class Narrator {
  /** Beyond so many, what happens to single tasks is left out; the event log has all of it. */
  private static final int TOLD_TASKS = 20;

  private final PrintStream out;
  private final boolean machine;
  private final boolean verbose;
  private final Progress progress = new Progress();
  private final Pace progressPace = new Pace();
  private final Set<TaskId> started = new HashSet<>();
  private final Set<TaskId> succeeded = new HashSet<>();

  /** What came of a gang that is asked for again and again; told when it is complete. */
  private final List<String> untoldAllocations = new ArrayList<>();

  private Pace waitPace = new Pace();
  private Pace backOffPace = new Pace();
  private String untoldProgress = "";
  private int tasks;
  private int allocated;
  private int owed; // of what was asked for
  private int mishaps;
  private boolean askedAgain;
  private boolean waitExplained;
  private int toldWaitAt = -1;

  Narrator(PrintStream out, boolean machine, boolean verbose) {
    this.out = out;
    this.machine = machine;
    this.verbose = verbose;
  }

  void tell(JobEvent event) {
    tellPrograms(event);
    switch (event.type()) {
      case JOB_SUBMITTED ->
          out.println(
              event.detail("application")
                  + " submitted to queue "
                  + event.detail("queue")
                  + ": "
                  + event.detail("trackingUrl"));
      case AM_STARTED -> masterStarted(event);
      case GANG_REQUESTED -> {
        owed += Integer.parseInt(event.detail("tasks"));
        if (!askedAgain || verbose) {
          out.println("asking for " + event.detail("resources"));
        }
      }
      case GANG_WAITING -> waiting(event);
      case GANG_BACKED_OFF -> backedOff(event);
      case TASK_ALLOCATED -> allocated(event);
      case TASK_REGISTERED -> verbose(event, "registered with " + event.detail("endpoint"));
      case TASK_STARTED -> {
        verbose(event, "started, process " + event.detail("pid"));
        if (started.add(event.task()) && started.size() == tasks) {
          out.println(tasks + "/" + tasks + " tasks running");
        }
      }
      case GANG_RUNNING -> {
        tellUntoldAllocations();
        askedAnew(allocated);
      }
      case TASK_PROGRESS -> progress(event);
      case TENSORBOARD -> out.println("TensorBoard: " + event.detail("url"));
      case TASK_SUCCEEDED -> {
        tellUntoldProgress();
        succeeded.add(event.task());
        if (tasks <= TOLD_TASKS || verbose) {
          out.println(event.task() + " succeeded");
        }
        if (!event.detail("outputsLeftOut").isEmpty()) {
          mishap(event.task() + ": " + event.detail("outputsLeftOut"));
        }
      }
      case TASK_STOPPED -> verbose(event, "stopped");
      case TASK_FAILED -> mishap(event.detail("message") + ", log " + event.detail("log"));
      case TASK_RESTARTED -> taskRestarted(event);
      case GANG_RESTARTED -> gangRestarted(event);
      case NODE_AVOIDED ->
          mishap("node " + event.detail("node") + " is avoided: " + event.detail("message"));
      case NODES_FORGIVEN -> {
        if (verbose) {
          out.println("no node is avoided any more");
        }
      }
      case ROLE_EXCUSED ->
          out.println(
              "the job goes on without " + event.detail("role") + ": " + event.detail("message"));
      case STOP_REQUESTED -> out.println("stop requested by " + event.detail("who"));
      case LOG_BEHIND -> out.println(event.detail("message"));
      case LOG_CAUGHT_UP -> out.println("the event log is written again, nothing of it is missing");
      case ADVICE -> out.println("advice: " + event.detail("text"));
      case JOB_FINISHED -> tellUntoldProgress();
      // For programs that draw them; told when YARN has the result; for a client of its version.
      case METRICS, JOB_STOPPING, UNKNOWN -> {}
    }
    out.flush();
  }

  /** For a fact that a person is told in other words. */
  void tellPrograms(JobEvent event) {
    if (machine) {
      out.println("tony-event " + EventJson.write(event));
    }
  }

  /** YARN has another ApplicationMaster started; {@code host} of the lost one, null if unknown. */
  void tellLoss(String host) {
    out.println(
        "the ApplicationMaster"
            + (host == null ? "" : " on host " + host)
            + " is lost; YARN starts another"
            + (started.isEmpty() ? "" : ", the tasks train on"));
    out.flush();
  }

  private void masterStarted(JobEvent event) {
    tasks = Integer.parseInt(event.detail("tasks"));
    String running = event.detail("running");
    if (running.isEmpty() || running.equals("0")) {
      out.println(
          "ApplicationMaster is up on "
              + event.detail("host")
              + ", attempt "
              + event.detail("attempt"));
    } else {
      out.println(
          "ApplicationMaster attempt "
              + event.detail("attempt")
              + " on "
              + event.detail("host")
              + " took over "
              + running
              + (running.equals("1") ? " running task" : " running tasks"));
    }
  }

  // ---- Containers ----

  private void allocated(JobEvent event) {
    allocated++;
    owed = Math.max(0, owed - 1);
    String count = allocated + "/" + tasks + " tasks allocated";
    if (tasks <= TOLD_TASKS || verbose) {
      untoldAllocations.add(
          count
              + ": "
              + event.task()
              + " on "
              + event.detail("node")
              + ", log "
              + event.detail("log"));
    } else if (allocated == tasks) {
      untoldAllocations.add(count);
    }
    if (!askedAgain || verbose || allocated >= tasks) {
      tellUntoldAllocations();
    }
  }

  private void tellUntoldAllocations() {
    untoldAllocations.forEach(out::println);
    untoldAllocations.clear();
  }

  private void waiting(JobEvent event) {
    waitExplained = true;
    if (verbose || waitPace.due(event.time())) {
      out.println(
          "waits for "
              + owed
              + " of "
              + tasks
              + " containers: "
              + event.detail("missing")
              + shortage(event));
    }
  }

  private void backedOff(JobEvent event) {
    boolean told = verbose || backOffPace.due(event.time());
    if (told) {
      out.println(
          "gives its containers back and asks again in "
              + event.detail("wait")
              + ", others may be waiting for them; missing were "
              + event.detail("missing")
              + shortage(event));
    }
    allocated = 0;
    owed = 0;
    untoldAllocations.clear();
    askedAgain = true;
    waitExplained = true;
  }

  private static String shortage(JobEvent event) {
    String free = event.detail("free");
    String lacking = event.detail("short");
    return (free.isEmpty() ? "" : "; the queue has " + free + " left")
        + (free.isEmpty() && lacking.isEmpty() ? "" : ": " + reason(lacking));
  }

  private static String reason(String lacking) {
    return lacking.isEmpty()
        ? "enough in sum for one, but perhaps not on any single node"
        : lacking + (lacking.contains(",") ? " are" : " is") + " short";
  }

  /** Whatever is asked for from here on is told as at first. */
  private void askedAnew(int kept) {
    allocated = kept;
    untoldAllocations.clear();
    askedAgain = false;
    waitExplained = false;
    waitPace = new Pace();
    backOffPace = new Pace();
  }

  /** Nothing has happened for a while; what is waited for is told once, until it changes. */
  void tellWait() {
    if (owed > 0 && !waitExplained && toldWaitAt != allocated) {
      toldWaitAt = allocated;
      out.println(
          allocated
              + "/"
              + tasks
              + " tasks allocated: YARN has no room for the others yet, the queue may be full");
      out.flush();
    }
  }

  // ---- What goes wrong, and is tried again ----

  private void taskRestarted(JobEvent event) {
    boolean kept = event.detail("where").equals("kept");
    started.remove(event.task());
    if (!kept) {
      allocated = Math.max(0, allocated - 1);
      owed++;
    }
    mishap(
        event.task()
            + " is started again in "
            + (kept ? "its" : "a new")
            + " container ("
            + event.detail("kind")
            + ", "
            + event.detail("left")
            + " more after this): "
            + event.detail("message"));
  }

  private void gangRestarted(JobEvent event) {
    String kept = event.detail("kept");
    succeeded.removeIf(task -> !JobStory.staysDone(task, event));
    started.retainAll(succeeded);
    int there = succeeded.size() + (kept.isEmpty() ? 0 : Integer.parseInt(kept));
    owed += Math.max(0, allocated - there);
    askedAnew(there);
    out.println(
        "the gang is started again ("
            + event.detail("kind")
            + ", "
            + event.detail("left")
            + " more after this"
            + (allocated == 0 ? "" : ", " + kept + " of " + tasks + " containers are kept")
            + "): "
            + event.detail("message"));
  }

  private void mishap(String line) {
    mishaps++;
    if (mishaps <= TOLD_TASKS || verbose) {
      out.println(line);
    } else if (mishaps == TOLD_TASKS + 1) {
      out.println("more of the kind happens to other tasks; -v or the event log tells it");
    }
  }

  // ---- Progress ----

  private void progress(JobEvent event) {
    String line = event.task() + ": " + progress.withEta(event.detail("text"), event.time());
    if (verbose || progressPace.due(event.time())) {
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
