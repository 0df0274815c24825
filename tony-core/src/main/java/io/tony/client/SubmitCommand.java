package io.tony.client;

import io.tony.client.follow.ExitCode;
import io.tony.client.follow.Inspection;
import io.tony.client.source.Arguments;
import io.tony.client.source.InvalidJobException;
import io.tony.client.submit.JobRun;
import io.tony.client.submit.Reports;
import io.tony.config.TonyConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;

/** {@code tony submit} and {@code tony follow}: a job, followed to its end. */
final class SubmitCommand {
  /** How long a cancel waits for a job whose configuration is being read. */
  private static final long BEGIN_LIMIT_SECONDS = 10;

  private final Console console;

  SubmitCommand(Console console) {
    this.console = console;
  }

  ExitCode submit(List<String> args)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    return submit(Command.SUBMIT.parse(args));
  }

  private ExitCode submit(Arguments arguments)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    Console.noWords(arguments);
    return run(arguments, true, () -> console.config(arguments), JobRun::run);
  }

  /** {@code tony run}: a job of this machine alone, whose file may come without its option. */
  static ExitCode run(Console console, List<String> args)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    List<String> named = new ArrayList<>(args);
    Path start = null;
    if (!args.isEmpty() && !args.get(0).startsWith("-")) {
      named.add(0, "-job_file");
      start = Path.of(args.get(0)).toAbsolutePath().getParent();
    }
    return new SubmitCommand(console.onThisMachine(start)).submit(Command.RUN.parse(named));
  }

  /**
   * One that another client has submitted. A client that a program has started takes that one's
   * place; a person looks on, and may leave.
   */
  ExitCode follow(List<String> args)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    Arguments arguments = Command.FOLLOW.parse(args);
    if (arguments.words().size() != 1) {
      throw new InvalidJobException(List.of("tony follow takes an application id"));
    }
    ApplicationId application = Inspection.id(arguments.words().get(0));
    return run(
        arguments, false, () -> console.submittedConfig(arguments), job -> job.follow(application));
  }

  interface Way {
    ExitCode run(JobRun job)
        throws InvalidJobException, IOException, YarnException, InterruptedException;
  }

  interface Read {
    TonyConfig config() throws InvalidJobException, IOException, YarnException;
  }

  /**
   * Runs the job, in this way. A signal to this process ends it, unless the job is another client's
   * and a person only looks on.
   */
  ExitCode run(Arguments arguments, boolean submits, Read read, Way way)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    Reports reports =
        new Reports(
            arguments.last("status_file").map(Path::of).orElse(null),
            arguments.last("output_file").map(Path::of).orElse(null),
            arguments.flag("events"),
            arguments.flag("v"));
    // It may be on the cluster already.
    CompletableFuture<JobRun> run = new CompletableFuture<>();
    Console.onSignal(who -> cancel(run, submits, who));
    if (reports.toStarter()) {
      Starter.of(System.getenv()).endWithIt();
    }
    try {
      TonyConfig config = read.config();
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
        run.complete(submits || reports.toStarter() ? job : job.watching());
        console.endOnlyWhile(job::abandon);
        return way.run(job);
      }
    } finally {
      run.complete(null); // no effect on one that there is
    }
  }

  /** False where an application may live on: one that is only to be followed is there already. */
  private static boolean cancel(CompletableFuture<JobRun> begun, boolean submits, String who) {
    try {
      JobRun run = begun.get(BEGIN_LIMIT_SECONDS, TimeUnit.SECONDS);
      return run == null || run.cancel(who); // a command without a job has said why
    } catch (TimeoutException | ExecutionException e) {
      return submits;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
