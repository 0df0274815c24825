package io.tony.client;

import io.tony.client.application.ExitCode;
import io.tony.client.application.RunningApplication;
import io.tony.client.input.Arguments;
import io.tony.client.input.InvalidJobException;
import io.tony.client.inspect.ApplicationInspector;
import io.tony.client.inspect.ApplicationView;
import io.tony.client.notebook.NotebookJob;
import io.tony.client.notebook.NotebookLink;
import io.tony.client.notebook.PortForward;
import io.tony.client.shell.Terminal;
import io.tony.client.submit.ApplicationSearch;
import io.tony.client.submit.JobRun;
import io.tony.config.TonyConfig;
import io.tony.config.declared.JobOptions;
import io.tony.config.declared.RoleOptions;
import io.tony.process.Spawner;
import java.io.IOException;
import java.net.BindException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;

/**
 * {@code tony notebook}: runs Jupyter in a container, and forwards a port of this machine to
 * Jupyter.
 */
final class NotebookCommand {
  private static final String PORT = "port";
  private static final String NAME = "name";
  private static final String LINK_FILE = "link_file";
  private static final int DEFAULT_PORT = 8888;

  /**
   * Keys of the job options that this command's own options set, by the name of the command's
   * option.
   */
  private static final Map<String, String> OPTION_ALIASES =
      Map.of(
          "idle", JobOptions.NOTEBOOK_IDLE_TIMEOUT.key(),
          "memory", RoleOptions.MEMORY.at(NotebookJob.TASK.role()).key(),
          "vcores", RoleOptions.VCORES.at(NotebookJob.TASK.role()).key(),
          "gpus", RoleOptions.GPUS.at(NotebookJob.TASK.role()).key());

  private final Console console;

  NotebookCommand(Console console) {
    this.console = console;
  }

  ExitCode run(List<String> args)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    Arguments arguments = CliCommand.NOTEBOOK.parse(args);
    checkLink(arguments);
    return switch (arguments.positionalArgs().size()) {
      case 0 -> startNew(expandAliases(arguments));
      case 1 -> join(arguments, arguments.positionalArgs().get(0));
      default -> throw new InvalidJobException(List.of("name one application at most"));
    };
  }

  /**
   * Requires that the notebook's link goes to a terminal or to the file of {@code -link_file}: the
   * link is a secret, which must not be printed to redirected output.
   *
   * @throws InvalidJobException if the output is not a terminal and no file is given, or if the
   *     file cannot be written
   */
  private static void checkLink(Arguments arguments)
      throws InvalidJobException, InterruptedException, IOException {
    Optional<String> file = arguments.last(LINK_FILE);
    if (file.isPresent()) {
      try {
        NotebookLink.checkWritable(Path.of(file.get()));
      } catch (IOException e) {
        throw new InvalidJobException(
            List.of("-link_file " + file.get() + " cannot be written: " + e));
      }
    } else if (!Terminal.isAvailable()) {
      throw new InvalidJobException(
          List.of(
              "there is no terminal here to show the notebook's link at, which is a secret: say"
                  + " with -link_file FILE where it is to be written"));
    }
  }

  private static Arguments expandAliases(Arguments given) {
    Map<String, List<String>> values = new HashMap<>(given.values());
    List<String> options = new ArrayList<>(given.all("conf"));
    OPTION_ALIASES.forEach(
        (name, key) -> given.last(name).ifPresent(v -> options.add(key + "=" + v)));
    values.put("conf", options);
    return new Arguments(values, given.flags(), given.positionalArgs());
  }

  private ExitCode startNew(Arguments arguments)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    NotebookJob notebook = NotebookJob.create(arguments.last(NAME).orElse("default"));
    AtomicReference<JobRun> startedRun = new AtomicReference<>();
    try (PortForward forward =
        listen(
            arguments, () -> Optional.ofNullable(startedRun.get()).flatMap(JobRun::application))) {
      return new SubmitCommand(console)
          .run(
              arguments,
              true,
              () -> {
                TonyConfig config = console.config(arguments, notebook::withNotebookOptions);
                refuseSecond(notebook);
                return notebook.withFolder(config, console.conf());
              },
              job -> {
                startedRun.set(job);
                showLinkWhenReady(
                    forward,
                    notebook.token(),
                    arguments,
                    "Ctrl-C, or the end of this terminal, ends it; its files are kept");
                return job.run();
              });
    }
  }

  /**
   * Throws an exception if a notebook with the same name is running, because both would write into
   * the same folder.
   */
  private void refuseSecond(NotebookJob notebook)
      throws InvalidJobException, IOException, YarnException {
    Optional<ApplicationId> first;
    try (YarnClient yarn = console.yarn()) {
      first = ApplicationSearch.findAlive(yarn, notebook.applicationName());
    }
    if (first.isPresent()) {
      throw new InvalidJobException(
          List.of(
              "a notebook of this name runs already: go on in it (tony notebook "
                  + first.get()
                  + "), end it (tony kill "
                  + first.get()
                  + "), or give this one another -name"));
    }
  }

  /**
   * Connects to a running notebook that another client started. Returns when the notebook has
   * ended; if this client exits earlier, the notebook continues.
   */
  private ExitCode join(Arguments arguments, String id)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    if (!id.startsWith("application_")) {
      throw new InvalidJobException(
          List.of(
              "'" + id + "' is no application id; to begin a notebook of that name: -name " + id));
    }
    Set<String> startOptions = new HashSet<>(OPTION_ALIASES.keySet());
    startOptions.addAll(List.of(NAME, "executes", "src_dir"));
    startOptions.retainAll(arguments.values().keySet());
    if (!startOptions.isEmpty()) {
      throw new InvalidJobException(
          List.of("a notebook that runs takes no -" + String.join(", -", startOptions)));
    }
    TonyConfig config = console.submittedConfig(arguments);
    try (YarnClient yarn = console.yarn()) {
      ApplicationView notebook = ApplicationView.of(console.conf(), yarn, config, id);
      RunningApplication application = notebook.application();
      String token =
          application
              .configuration()
              .flatMap(NotebookJob::token)
              .orElseThrow(
                  () ->
                      new InvalidJobException(
                          List.of(
                              id
                                  + " is not a running notebook of yours: tony list -status RUNNING"
                                  + " names your jobs")));
      try (PortForward forward = listen(arguments, () -> Optional.of(application))) {
        console.out().println("waiting for the notebook to answer");
        console.out().flush();
        showLinkWhenReady(
            forward,
            token,
            arguments,
            "it goes on when you leave with Ctrl-C; to end it: tony kill " + id);
        // Never end this command because YARN does not answer: that does not affect the notebook.
        console.setEndCondition(() -> false);
        return new ApplicationInspector(notebook, console.out()).awaitEnd();
      }
    }
  }

  private static PortForward listen(
      Arguments arguments, Supplier<Optional<RunningApplication>> application)
      throws InvalidJobException, IOException {
    Optional<String> requestedPort = arguments.last(PORT);
    try {
      int port = requestedPort.isPresent() ? port(requestedPort.get()) : DEFAULT_PORT;
      return PortForward.listen(port, NotebookJob.TASK, application);
    } catch (BindException e) {
      if (requestedPort.isPresent()) {
        throw new InvalidJobException(
            List.of(
                "port "
                    + requestedPort.get()
                    + " of this machine cannot be had ("
                    + e.getMessage()
                    + "): give another -port, or none, for any that is free"));
      }
      return PortForward.listen(0, NotebookJob.TASK, application);
    }
  }

  private static int port(String text) throws InvalidJobException {
    if (!text.matches("[1-9]\\d{0,4}") || Integer.parseInt(text) > 65_535) {
      throw new InvalidJobException(
          List.of("-port is " + text + "; it is a port of this machine, from 1 to 65535"));
    }
    return Integer.parseInt(text);
  }

  private void showLinkWhenReady(
      PortForward forward, String token, Arguments arguments, String endHint) throws IOException {
    NotebookLink link = new NotebookLink(forward.port(), token);
    Optional<Path> file = arguments.last(LINK_FILE).map(Path::of);
    if (file.isPresent()) {
      NotebookLink.delete(file.get());
    }
    Spawner.SYSTEM.startThread(
        "notebook-link",
        () -> {
          try {
            forward.awaitAnswer();
            showLink(link, file, endHint);
          } catch (IOException e) {
            console.out().println("the notebook is up, and its link cannot be written: " + e);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }

  private void showLink(NotebookLink link, Optional<Path> file, String endHint) throws IOException {
    if (file.isPresent()) {
      link.write(file.get());
    }
    console
        .out()
        .println(
            file.map(path -> "the notebook is up; its link is in " + path)
                .orElse("the notebook is up: " + link.url()));
    link.sshCommand(System.getenv())
        .ifPresent(ssh -> console.out().println("  on your own machine, first: " + ssh));
    console.out().println("  " + endHint);
    console.out().flush();
  }
}
