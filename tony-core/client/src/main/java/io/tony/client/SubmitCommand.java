package io.tony.client;

import io.tony.client.application.ExitCode;
import io.tony.client.input.Arguments;
import io.tony.client.input.InvalidJobException;
import io.tony.client.inspect.ApplicationView;
import io.tony.client.submit.JobRun;
import io.tony.client.submit.ReportTargets;
import io.tony.config.TonyConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;

/**
 * {@code tony submit}, {@code tony run} and {@code tony follow}: submits a job, or connects to one
 * that another client submitted, and reports about it until it ends.
 */
final class SubmitCommand {
  /**
   * Maximum time, in seconds, that the cancel of a job waits for the job's configuration to be
   * read.
   */
  private static final long MAX_CANCEL_WAIT_SECONDS = 10;

  private final Console console;

  SubmitCommand(Console console) {
    this.console = console;
  }

  ExitCode submit(List<String> args)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    return submit(CliCommand.SUBMIT.parse(args));
  }

  private ExitCode submit(Arguments arguments)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    Console.requireNoPositionalArgs(arguments);
    return run(arguments, true, () -> console.config(arguments), JobRun::run);
  }

  /**
   * {@code tony run}: runs a job on this machine, without a cluster. A first argument that does not
   * begin with a dash is the job file.
   */
  static ExitCode run(Console console, List<String> args)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    List<String> namedArgs = new ArrayList<>(args);
    Path startFolder = null;
    if (!args.isEmpty() && !args.get(0).startsWith("-")) {
      namedArgs.add(0, "-job_file");
      startFolder = Path.of(args.get(0)).toAbsolutePath().getParent();
    }
    return new SubmitCommand(console.onThisMachine(startFolder))
        .submit(CliCommand.RUN.parse(namedArgs));
  }

  /**
   * {@code tony follow}: follows a job that another client submitted. If a program started this
   * client, this client takes the other client's place, and a signal to it ends the job. If a user
   * at a terminal started it, this client only watches, and its exit does not affect the job.
   */
  ExitCode follow(List<String> args)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    Arguments arguments = CliCommand.FOLLOW.parse(args);
    if (arguments.positionalArgs().size() != 1) {
      throw new InvalidJobException(List.of("tony follow takes an application id"));
    }
    ApplicationId application = ApplicationView.parseId(arguments.positionalArgs().get(0));
    return run(
        arguments, false, () -> console.submittedConfig(arguments), job -> job.follow(application));
  }

  interface JobAction {
    ExitCode run(JobRun job)
        throws InvalidJobException, IOException, YarnException, InterruptedException;
  }

  interface ConfigSource {
    TonyConfig config() throws InvalidJobException, IOException, YarnException;
  }

  /**
   * Reads a job's configuration and runs {@code action}, which submits or follows the job. A signal
   * to this process ends the job, unless a user only watches a job that another client submitted.
   *
   * @param submits whether {@code action} submits the job; false if it follows a job that another
   *     client submitted
   */
  ExitCode run(Arguments arguments, boolean submits, ConfigSource configSource, JobAction action)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    ReportTargets reports =
        new ReportTargets(
            arguments.last("status_file").map(Path::of).orElse(null),
            arguments.last("output_file").map(Path::of).orElse(null),
            arguments.hasFlag("events"),
            arguments.hasFlag("v"));
    // Handle signals even while the configuration is read: a job to be followed is already running
    // then.
    CompletableFuture<Optional<JobRun>> run = new CompletableFuture<>();
    Console.onSignal(who -> cancel(run, submits, who));
    if (reports.hasParentProcess()) {
      LauncherProcess.of(System.getenv()).exitWithParent();
    }
    try {
      TonyConfig config = configSource.config();
      console.prepareFileSystem();
      try (YarnClient yarn = console.yarn()) {
        JobRun job =
            new JobRun(
                console.conf(),
                yarn,
                console.login(),
                config,
                console.jobFolder(),
                reports,
                console.out());
        run.complete(Optional.of(submits || reports.hasParentProcess() ? job : job.watchOnly()));
        console.setEndCondition(job::tryAbandon);
        return action.run(job);
      }
    } finally {
      // If no job was created, a cancel may still wait for it; the empty value makes it return.
      run.complete(Optional.empty());
    }
  }

  /**
   * Cancels the job; returns false if an application may still be running. Waits until {@code
   * started} has the job, at most {@link #MAX_CANCEL_WAIT_SECONDS}. If there is no job by then,
   * returns {@code submits}: a job to be submitted has no application yet, but a followed job has.
   */
  private static boolean cancel(
      CompletableFuture<Optional<JobRun>> started, boolean submits, String who) {
    try {
      Optional<JobRun> run = started.get(MAX_CANCEL_WAIT_SECONDS, TimeUnit.SECONDS);
      // Empty if the command ended before it created a job.
      return run.isEmpty() || run.get().cancel(who);
    } catch (TimeoutException | ExecutionException e) {
      return submits;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
