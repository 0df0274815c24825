package io.tony.client;

import io.tony.client.follow.ExitCode;
import io.tony.client.source.Arguments;
import io.tony.client.source.InvalidJobException;
import io.tony.client.source.JobSources;
import io.tony.client.submit.JobRun;
import io.tony.client.submit.Reports;
import io.tony.config.TonyConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;

/** {@code tony submit}: runs a job and follows it to its end. */
final class SubmitCommand {
  /** How long a cancel waits for a job whose configuration is being read. */
  private static final long BEGIN_LIMIT_SECONDS = 10;

  private final Console console;

  SubmitCommand(Console console) {
    this.console = console;
  }

  ExitCode run(List<String> args)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    Set<String> names = new HashSet<>(JobSources.NAMES);
    names.addAll(Set.of("status_file", "output_file"));
    Arguments arguments = Console.noWords(Arguments.parse(args, names, Set.of("events", "v")));
    Reports reports =
        new Reports(
            arguments.last("status_file").map(Path::of).orElse(null),
            arguments.last("output_file").map(Path::of).orElse(null),
            arguments.flag("events"),
            arguments.flag("v"));
    // It may be on the cluster already.
    CompletableFuture<JobRun> run = new CompletableFuture<>();
    Console.onSignal(who -> cancel(run, who));
    try {
      TonyConfig config = console.config(arguments);
      try (YarnClient yarn = console.yarn()) {
        JobRun job =
            new JobRun(console.conf(), yarn, config, Console.folder(), reports, console.out());
        run.complete(job);
        if (reports.statusFile() != null) {
          exitWithoutStarter();
        }
        return job.run();
      }
    } finally {
      run.complete(null); // no effect on one that there is
    }
  }

  private static boolean cancel(CompletableFuture<JobRun> begun, String who) {
    JobRun run = begun.completeOnTimeout(null, BEGIN_LIMIT_SECONDS, TimeUnit.SECONDS).join();
    return run == null || run.cancel(who);
  }

  /**
   * A client that a program started, and that nobody hears any more, goes without a word: the job
   * trains on, and tony.application.client-lost-timeout begins to count.
   */
  private static void exitWithoutStarter() {
    Optional<ProcessHandle> starter = ProcessHandle.current().parent();
    Thread thread =
        new Thread(
            () -> {
              starter.ifPresent(process -> process.onExit().join());
              TonyCli.exitWithoutAnEnd();
            },
            "starter");
    thread.setDaemon(true);
    starter.ifPresent(process -> thread.start());
  }
}
