package io.tony.client.submit;

import io.tony.client.application.ExitCode;
import io.tony.client.application.HadoopErrors;
import io.tony.client.application.RunningApplication;
import io.tony.client.follow.StartLimit;
import io.tony.client.follow.StatusFile;
import io.tony.client.input.InvalidJobException;
import io.tony.client.input.JobFolder;
import io.tony.client.login.Login;
import io.tony.client.narrate.Narrator;
import io.tony.client.output.JobLog;
import io.tony.config.TonyConfig;
import io.tony.config.declared.AzkabanOptions;
import io.tony.config.declared.JobOptions;
import io.tony.config.declared.TaskOptions;
import io.tony.container.JvmStartFailure;
import io.tony.model.FailureKind;
import io.tony.model.JobResult;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one job from its submission to its end, or follows an existing application, and reports
 * progress. {@link #cancel} may be called from any thread at any time and undoes whatever has been
 * started.
 */
public final class JobRun {
  private static final Logger LOG = LoggerFactory.getLogger(JobRun.class);

  /**
   * Maximum time that {@link #cancel} waits for YARN to answer a pending search or submission, and
   * for the run to end.
   */
  private static final long YARN_TIMEOUT_SECONDS = 10;

  private static final long INTERRUPT_INTERVAL_MS = 100;

  private final Configuration conf;
  private final YarnClient yarn;
  private final Login login;
  private final TonyConfig config;
  private final JobFolder folder;
  private final ReportTargets targets;
  private final JobLog out;
  private final StatusFile status;
  private final Narrator narrator;
  private final ExistingApplications existing;

  /**
   * Phases of a run, in order. A run that follows an existing application skips the phases of the
   * submission.
   */
  private enum Phase {
    /**
     * Searches for an application of an earlier attempt. {@link #cancel} waits for the result of
     * the search, because it must kill that application, too.
     */
    SEARCHING,
    /** Prepares the submission with calls that {@link #cancel} must not interrupt. */
    PREPARING,
    /** Prepares the submission with calls that {@link #cancel} interrupts. */
    INTERRUPTIBLE,
    /** Has found an application to follow instead of submitting one. */
    ATTACHED,
    /** Has staged all files and submits the application, which may exist in YARN from now on. */
    SUBMITTING,
    /** Follows the application. */
    FOLLOWING,
    ENDED;

    boolean isBefore(Phase other) {
      return compareTo(other) < 0;
    }
  }

  private enum CancelState {
    NONE,
    RUNNING,
    DONE
  }

  /**
   * Guards the phase, the cancel state, {@code abandoned} and the application; notified of each
   * change of the phase and the cancel state.
   */
  private final Object lock = new Object();

  private Phase phase = Phase.SEARCHING;
  private CancelState cancelState = CancelState.NONE;
  private boolean abandoned;
  private @Nullable RunningApplication application; // null until found or staged

  private Supplier<Path> jar = ProgramJar::path;
  private @Nullable Thread runner; // null until run() is called
  private volatile boolean watchOnly;
  private TonyConfig followedConfig; // configuration of the followed application
  private StartLimit startLimit = StartLimit.NONE;
  private Cleanup cleanup = Cleanup.NONE; // NONE until this client has submitted the job

  public JobRun(
      Configuration conf,
      YarnClient yarn,
      Login login,
      TonyConfig config,
      JobFolder folder,
      ReportTargets targets,
      JobLog out) {
    this.conf = conf;
    this.yarn = yarn;
    this.login = login;
    this.config = config;
    this.followedConfig = config;
    this.folder = folder;
    this.targets = targets;
    this.out = out;
    this.status = new StatusFile(targets.statusFile());
    status.setStopGrace(config.get(TaskOptions.STOP_GRACE));
    this.narrator = new Narrator(out, targets.machineLines(), targets.verbose());
    this.existing = new ExistingApplications(conf, yarn, config, status, out);
  }

  /**
   * Submits the job and follows it to its end. If an existing application can be followed instead,
   * submits nothing. For a dry run, only checks the job.
   *
   * @throws InvalidJobException if the job must be changed before it can be submitted, or an
   *     existing application prevents the submission
   */
  public ExitCode run()
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    synchronized (lock) {
      runner = Thread.currentThread();
    }
    try {
      boolean attached =
          !config.get(AzkabanOptions.DRY_RUN) && tryAttach(existing.resolveEarlierAttempt());
      if (!attached) {
        tryEnter(Phase.PREPARING);
        Submission submission = Submission.prepare(conf, yarn, config, folder);
        submission.warnings().forEach(warning -> out.println("warning: " + warning));
        if (config.get(AzkabanOptions.DRY_RUN)) {
          out.println(submission.validationMessage() + "; a dry run submits nothing");
          return ExitCode.SUCCEEDED;
        }
        boolean adopted =
            tryEnter(Phase.INTERRUPTIBLE) && tryAttach(existing.resolveReplacement(submission));
        if (!adopted) {
          followedConfig = submission.resolvedConfig();
          if (!trySubmit(submission)) {
            return ExitCode.TERMINATED;
          }
        }
      }
      return follow();
    } finally {
      finish();
    }
  }

  /**
   * Makes the containers run this jar instead of the jar that contains this client; returns this
   * run.
   */
  JobRun withJar(Path otherJar) {
    jar = () -> otherJar;
    return this;
  }

  /**
   * Makes this client an observer, whose {@link #cancel} does not kill the application; returns
   * this run.
   */
  public JobRun watchOnly() {
    watchOnly = true;
    return this;
  }

  /**
   * Follows an application that another client submitted, to its end. {@link #cancel} kills the
   * application unless this client is an observer.
   */
  public ExitCode follow(ApplicationId id) throws IOException, YarnException, InterruptedException {
    try {
      tryAttach(Optional.of(id));
      RunningApplication followed = application().orElseThrow();
      if (watchOnly) {
        startLimit = StartLimit.NONE;
      }
      if (watchOnly && !RunningApplication.hasEnded(followed.report())) {
        out.println(id + " goes on when you leave with Ctrl-C; to end it: tony kill " + id);
      }
      return follow();
    } finally {
      finish();
    }
  }

  private ExitCode follow() throws InterruptedException {
    enter(Phase.FOLLOWING);
    RunningApplication followed = application().orElseThrow();
    return new SubmittedApplication(
            conf, login, folder, followedConfig, followed, targets, out, status, narrator)
        .followToEnd(startLimit, this::isCancelled);
  }

  private void finish() throws InterruptedException {
    synchronized (lock) {
      enter(Phase.ENDED);
      while (cancelState == CancelState.RUNNING) {
        lock.wait();
      }
      if (cancelState == CancelState.DONE) {
        return;
      }
    }
    cleanup.awaitEnd();
  }

  private void enter(Phase next) {
    synchronized (lock) {
      phase = next;
      lock.notifyAll();
    }
  }

  /**
   * Enters a phase before the submission. If the run is cancelled, enters {@link Phase#PREPARING}
   * instead and returns false.
   */
  private boolean tryEnter(Phase next) {
    synchronized (lock) {
      enter(isCancelled() ? Phase.PREPARING : next);
      return !isCancelled();
    }
  }

  /**
   * Stages the files and submits the application. Returns false if the run was cancelled before the
   * submission; nothing is submitted then.
   */
  private boolean trySubmit(Submission submission)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    RunningApplication submitted = RunningApplication.of(conf, yarn, config, submission.id());
    if (!tryStage(submission, submitted)) {
      return false;
    }
    submitOrKill(submission, submitted);
    startLimit = StartLimit.of(followedConfig, Duration.ZERO);
    status.setState("SUBMITTED");
    submission.narrateSubmission(narrator);
    // Flush now, because Azkaban's page takes the link to the application from this event.
    out.flushEvents();
    cleanup = Cleanup.start(submission::sweep);
    return true;
  }

  /**
   * Submits the application to YARN. If the submission fails although YARN has accepted the
   * application, kills the application.
   *
   * @throws InvalidJobException if the ApplicationMaster's JVM could not start
   */
  void submitOrKill(Submission submission, RunningApplication submitted)
      throws InvalidJobException, IOException, YarnException {
    try {
      submission.submit();
    } catch (IOException | YarnException | RuntimeException e) {
      // YARN may have accepted the application although its answer was lost.
      if (submitted.killIfExists()) {
        status.recordEnd(JobResult.failed(FailureKind.LOST, "YARN did not take the application"));
      }
      var noStart = JvmStartFailure.ofMaster(config, String.valueOf(e.getMessage()));
      if (noStart.isPresent()) {
        throw new InvalidJobException(List.of(noStart.get().sentence()));
      }
      throw e;
    } finally {
      enter(Phase.FOLLOWING);
    }
  }

  private boolean tryStage(Submission submission, RunningApplication staged)
      throws IOException, InterruptedException {
    boolean submitting = false;
    try {
      // Make the creation of the folder uninterruptible: after an interrupt, HDFS could still
      // create the folder once it was deleted below.
      if (tryEnter(Phase.PREPARING)) {
        submission.createStaging();
      }
      if (!tryEnter(Phase.INTERRUPTIBLE)) {
        return false;
      }
      Shipment shipment = submission.stage(jar.get());
      synchronized (lock) {
        submitting = !isCancelled();
        if (submitting) {
          if (abandoned) {
            throw new InterruptedException("YARN did not answer in time");
          }
          application = staged; // from here on, cancel kills the application
          enter(Phase.SUBMITTING);
          // If this process is killed, its parent process can kill the application, because it
          // knows the id.
          status.setApplication(submission.id().toString());
          out.println(shipment);
        }
      }
    } catch (IOException | RuntimeException e) {
      if (!isCancelled()) {
        throw e;
      }
      LOG.info("The submission was interrupted: {}", e.toString());
    } finally {
      if (!submitting) {
        enter(Phase.PREPARING);
        // Clear the interrupt flag, so that the deletion below is not interrupted.
        Thread.interrupted();
        staged.deleteStaging();
      }
    }
    return submitting;
  }

  /**
   * Attaches to an existing application, so that {@link #cancel} kills it from now on. Returns
   * false if {@code existing} is empty, or the run was cancelled before.
   */
  private boolean tryAttach(Optional<ApplicationId> existing) throws IOException, YarnException {
    if (existing.isEmpty()) {
      return false;
    }
    RunningApplication found = RunningApplication.of(conf, yarn, config, existing.get());
    synchronized (lock) {
      if (isCancelled() && phase == Phase.INTERRUPTIBLE) {
        return false;
      }
      application = found;
      enter(Phase.ATTACHED);
    }
    status.setApplication(found.id().toString());
    status.setStopGrace(found.stopGrace());
    ApplicationReport report = found.report();
    followedConfig = found.configuration().orElseGet(() -> configFromEventLog(report));
    startLimit = StartLimit.of(followedConfig, age(report));
    narrator.notifyPrograms(
        Submission.submittedEvent(found.id(), report.getQueue(), report.getTrackingUrl()));
    return true;
  }

  /**
   * Returns the time since YARN accepted the application; zero if that would be negative because
   * the clocks of client and YARN differ.
   */
  private static Duration age(ApplicationReport report) {
    Duration age = Duration.ofMillis(System.currentTimeMillis() - report.getStartTime());
    return report.getStartTime() <= 0 || age.isNegative() ? Duration.ZERO : age;
  }

  /**
   * Returns the configuration of an application whose staged configuration was deleted: this
   * client's options, with the checkpoint folder from the application's event log.
   */
  private TonyConfig configFromEventLog(ApplicationReport report) {
    return EndedApplication.ofBeginning(conf, config, report)
        .checkpointFolder()
        .map(folder -> config.with("event log", Map.of(JobOptions.CHECKPOINT_DIR.key(), folder)))
        .orElse(config);
  }

  /**
   * Cancels the run: prevents the submission or, if the application may exist, kills it. After this
   * method has returned true, nothing will be submitted any more; an application that was submitted
   * is shown by YARN as ended, and the process of its ApplicationMaster is gone. An observing
   * client kills nothing and returns false.
   *
   * @param who who cancels the job, for the job's log
   * @return true if nothing runs any more; false if that is unknown, or this client only observes
   *     the application
   */
  public boolean cancel(String who) {
    synchronized (lock) {
      if (phase == Phase.ENDED) {
        return true;
      }
      cancelState = watchOnly ? CancelState.NONE : CancelState.RUNNING;
    }
    if (watchOnly) {
      out.println(name() + " goes on without this client");
      out.flushEvents();
      return false;
    }
    try {
      if (!tryKill(who)) {
        return false;
      }
    } catch (IOException | YarnException | RuntimeException | Error e) {
      out.println("whether " + name() + " has ended is not known: " + HadoopErrors.sentence(e));
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      synchronized (lock) {
        cancelState = CancelState.DONE;
        lock.notifyAll();
      }
      out.flushEvents();
    }
    interruptRun();
    // Print also the events that came after the kill, because this process may exit now.
    out.flushEvents();
    return true;
  }

  /**
   * Kills the application if there is one. Returns false if the search for an application of an
   * earlier attempt has not ended in time, so that it is unknown whether there is one.
   */
  private boolean tryKill(String who) throws IOException, YarnException, InterruptedException {
    // If the run is still searching for an application of an earlier attempt, wait for the result:
    // that application must be killed, too.
    if (!awaitPhase(() -> application != null || phase != Phase.SEARCHING)) {
      out.println(ExistingApplications.unknownMessage(config, YARN_TIMEOUT_SECONDS));
      return false;
    }
    Optional<RunningApplication> begun = application();
    if (begun.isEmpty()) {
      out.println("stopped before the submission by " + who);
      existing.leftAliveMessage().ifPresent(out::println);
      return true;
    }
    out.println("killing " + begun.get().id() + ", asked by " + who);
    out.flush();
    awaitPhase(() -> phase != Phase.SUBMITTING);
    begun.get().kill(who, out);
    out.flushEvents();
    out.println("KILLED: " + begun.get().id() + " was stopped by " + who);
    return true;
  }

  /**
   * Waits until {@code reached}, which is evaluated under the lock, returns true. Returns false if
   * that takes longer than {@link #YARN_TIMEOUT_SECONDS}.
   */
  private boolean awaitPhase(BooleanSupplier reached) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(YARN_TIMEOUT_SECONDS);
    synchronized (lock) {
      while (!reached.getAsBoolean()) {
        long remaining = deadline - System.nanoTime();
        if (remaining <= 0) {
          return false;
        }
        TimeUnit.NANOSECONDS.timedWait(lock, remaining);
      }
      return true;
    }
  }

  /**
   * Waits until the run has ended, at most {@link #YARN_TIMEOUT_SECONDS}, and interrupts its thread
   * while the submission is being prepared. Interrupts repeatedly, because HDFS's client ignores an
   * interrupt while it waits for a file to be complete.
   */
  private void interruptRun() {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(YARN_TIMEOUT_SECONDS);
    synchronized (lock) {
      try {
        while (phase != Phase.ENDED && System.nanoTime() - deadline < 0) {
          if (phase == Phase.INTERRUPTIBLE) {
            Objects.requireNonNull(runner).interrupt();
          }
          lock.wait(INTERRUPT_INTERVAL_MS);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private String name() {
    return application().map(known -> known.id().toString()).orElse("the application");
  }

  /**
   * Prevents the submission of the job, because this process is about to exit.
   *
   * @return true if the job will not be submitted; false if YARN may already have the application,
   *     so that the client should keep following it through outages of YARN
   */
  public boolean tryAbandon() {
    synchronized (lock) {
      boolean endedWithout = phase == Phase.ENDED && application == null;
      abandoned = endedWithout || phase.isBefore(Phase.SUBMITTING);
      return abandoned;
    }
  }

  /**
   * Returns the application that this run submits or follows. Empty until an existing application
   * has been found or the job's own one is about to be submitted.
   */
  public Optional<RunningApplication> application() {
    synchronized (lock) {
      return Optional.ofNullable(application);
    }
  }

  private boolean isCancelled() {
    synchronized (lock) {
      return cancelState != CancelState.NONE;
    }
  }
}
