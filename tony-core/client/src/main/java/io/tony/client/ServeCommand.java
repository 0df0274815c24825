package io.tony.client;

import io.tony.client.application.ExitCode;
import io.tony.client.application.YarnLookup;
import io.tony.client.input.Arguments;
import io.tony.client.input.InvalidJobException;
import io.tony.client.login.Login;
import io.tony.config.TonyConfig;
import io.tony.config.declared.ClientOptions;
import io.tony.history.ExpiredLogCleanup;
import io.tony.history.HistoryIndex;
import io.tony.history.web.HistoryServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.jspecify.annotations.Nullable;

/** {@code tony history}: serves the history of all users until a signal ends the process. */
final class ServeCommand {
  private static final String LISTEN = "listen";
  private static final String REFRESH = "refresh";
  private static final String RETENTION = "retention";
  private static final Pattern ADDRESS = Pattern.compile("(.+):(\\d{1,5})");
  private static final Pattern SECONDS = Pattern.compile("([1-9]\\d{0,5})s?");
  private static final Pattern DAYS = Pattern.compile("([1-9]\\d{0,4})d?");
  private static final int MAX_PORT = 65_535;

  private final Console console;

  ServeCommand(Console console) {
    this.console = console;
  }

  ExitCode run(List<String> args) throws InvalidJobException, IOException, InterruptedException {
    Arguments arguments = Console.requireNoPositionalArgs(CliCommand.HISTORY.parse(args));
    InetSocketAddress listenAddress = address(arguments.last(LISTEN).orElse("localhost:18090"));
    Duration refresh = refresh(arguments.last(REFRESH).orElse("10"));
    TonyConfig config = console.submittedConfig(arguments);
    Login.requireCredentials(); // Without credentials, every refresh would fail, so fail at once.
    FileSystem fs = FileSystem.get(console.conf());
    HistorySelection selection = HistorySelection.of(fs, config, HistorySelection.ALL_USERS);
    List<String> folders =
        arguments
            .last("folders")
            .map(text -> List.of(text.split(",")))
            .orElse(List.of(selection.pattern().toString()));
    Optional<Path> file = arguments.last("index").map(Path::of);
    Duration retention = retention(arguments, config);
    try (HistoryIndex index =
            HistorySelection.index(fs, folders, file, Console.cacheFolder(System.getenv()));
        YarnClient yarn = retention.isZero() ? null : console.yarn();
        HistoryServer server =
            new HistoryServer(
                console.conf(),
                fs,
                index,
                listenAddress,
                refresh,
                expiredLogs(fs, index, retention, yarn))) {
      CountDownLatch ended = new CountDownLatch(1);
      Runtime.getRuntime().addShutdownHook(new Thread(ended::countDown, "end"));
      server.start();
      console
          .out()
          .println(
              "The history of "
                  + String.join(", ", folders)
                  + " is served at http://"
                  + listenAddress.getHostString()
                  + ":"
                  + server.address().getPort()
                  + "/");
      console.out().flush();
      ended.await();
      return ExitCode.SUCCEEDED;
    }
  }

  /**
   * Returns the task that deletes expired event logs; empty if event logs are never deleted.
   *
   * @param yarn tells which applications are still running; null if event logs are never deleted
   */
  private static Optional<ExpiredLogCleanup> expiredLogs(
      FileSystem fs, HistoryIndex index, Duration retention, @Nullable YarnClient yarn) {
    return Optional.ofNullable(yarn)
        .map(YarnLookup::of)
        .map(
            lookup ->
                new ExpiredLogCleanup(
                    fs, index, retention, lookup::findByName, InstantSource.system()));
  }

  private static Duration retention(Arguments arguments, TonyConfig config)
      throws InvalidJobException {
    if (arguments.last(RETENTION).isEmpty()) {
      return config.get(ClientOptions.HISTORY_SERVICE_RETENTION);
    }
    Matcher days = DAYS.matcher(arguments.last(RETENTION).get());
    if (!days.matches()) {
      throw new InvalidJobException(
          List.of(
              "-retention is "
                  + arguments.last(RETENTION).get()
                  + "; it is a number of days, such as 90d"));
    }
    return Duration.ofDays(Long.parseLong(days.group(1)));
  }

  private static InetSocketAddress address(String text) throws InvalidJobException {
    Matcher address = ADDRESS.matcher(text);
    if (!address.matches() || Integer.parseInt(address.group(2)) > MAX_PORT) {
      throw new InvalidJobException(
          List.of("-listen is " + text + "; it is HOST:PORT, such as localhost:18090"));
    }
    return InetSocketAddress.createUnresolved(address.group(1), Integer.parseInt(address.group(2)));
  }

  private static Duration refresh(String text) throws InvalidJobException {
    Matcher seconds = SECONDS.matcher(text);
    if (!seconds.matches()) {
      throw new InvalidJobException(
          List.of("-refresh is " + text + "; it is a number of seconds, such as 10s"));
    }
    return Duration.ofSeconds(Long.parseLong(seconds.group(1)));
  }
}
