package io.tony.client;

import io.tony.client.follow.ExitCode;
import io.tony.client.follow.Inspected;
import io.tony.client.follow.Inspection;
import io.tony.client.follow.RunningApplication;
import io.tony.client.notebook.NotebookJob;
import io.tony.client.notebook.NotebookLink;
import io.tony.client.notebook.PortForward;
import io.tony.client.shell.Terminal;
import io.tony.client.source.Arguments;
import io.tony.client.source.InvalidJobException;
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

/** {@code tony notebook}: Jupyter in a container, at a port of this machine. */
final class NotebookCommand {
  private static final String PORT = "port";
  private static final String NAME = "name";
  private static final String LINK_FILE = "link_file";
  private static final int USUAL_PORT = 8888;

  /** Shorter names of options of the job. */
  private static final Map<String, String> SHORT =
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
    Arguments arguments = Command.NOTEBOOK.parse(args);
    checkLink(arguments);
    return switch (arguments.words().size()) {
      case 0 -> begin(inFull(arguments));
      case 1 -> join(arguments, arguments.words().get(0));
      default -> throw new InvalidJobException(List.of("name one application at most"));
    };
  }

  /** It is a secret: not for whatever the output goes to. */
  private static void checkLink(Arguments arguments)
      throws InvalidJobException, InterruptedException, IOException {
    Optional<String> file = arguments.last(LINK_FILE);
    if (file.isPresent()) {
      try {
        NotebookLink.check(Path.of(file.get()));
      } catch (IOException e) {
        throw new InvalidJobException(
            List.of("-link_file " + file.get() + " cannot be written: " + e));
      }
    } else if (!Terminal.isThere()) {
      throw new InvalidJobException(
          List.of(
              "there is no terminal here to show the notebook's link at, which is a secret: say"
                  + " with -link_file FILE where it is to be written"));
    }
  }

  private static Arguments inFull(Arguments given) {
    Map<String, List<String>> values = new HashMap<>(given.values());
    List<String> options = new ArrayList<>(given.all("conf"));
    SHORT.forEach((name, key) -> given.last(name).ifPresent(v -> options.add(key + "=" + v)));
    values.put("conf", options);
    return new Arguments(values, given.flags(), given.words());
  }

  private ExitCode begin(Arguments arguments)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    NotebookJob notebook = NotebookJob.named(arguments.last(NAME).orElse("default"));
    AtomicReference<JobRun> begun = new AtomicReference<>();
    try (PortForward forward =
        listen(arguments, () -> Optional.ofNullable(begun.get()).flatMap(JobRun::application))) {
      return new SubmitCommand(console)
          .run(
              arguments,
              true,
              () -> {
                TonyConfig config = console.config(arguments, notebook::configure);
                refuseSecond(notebook);
                return notebook.withFolder(config, console.conf());
              },
              job -> {
                begun.set(job);
                showWhenThere(
                    forward,
                    notebook.token(),
                    arguments,
                    "Ctrl-C, or the end of this terminal, ends it; its files are kept");
                return job.run();
              });
    }
  }

  /** Two would keep their files in the same place. */
  private void refuseSecond(NotebookJob notebook)
      throws InvalidJobException, IOException, YarnException {
    Optional<ApplicationId> first;
    try (YarnClient yarn = console.yarn()) {
      first = ApplicationSearch.alive(yarn, notebook.applicationName());
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

  /** One that another client has begun; it goes on when this one leaves. */
  private ExitCode join(Arguments arguments, String id)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    if (!id.startsWith("application_")) {
      throw new InvalidJobException(
          List.of(
              "'" + id + "' is no application id; to begin a notebook of that name: -name " + id));
    }
    Set<String> ofBegin = new HashSet<>(SHORT.keySet());
    ofBegin.addAll(List.of(NAME, "executes", "src_dir"));
    ofBegin.retainAll(arguments.values().keySet());
    if (!ofBegin.isEmpty()) {
      throw new InvalidJobException(
          List.of("a notebook that runs takes no -" + String.join(", -", ofBegin)));
    }
    TonyConfig config = console.submittedConfig(arguments);
    try (YarnClient yarn = console.yarn()) {
      Inspected notebook = Inspected.of(console.conf(), yarn, config, id);
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
        showWhenThere(
            forward,
            token,
            arguments,
            "it goes on when you leave with Ctrl-C; to end it: tony kill " + id);
        console.endOnlyWhile(() -> false); // the notebook answers, whatever YARN does meanwhile
        return new Inspection(notebook, console.out()).awaitEnd();
      }
    }
  }

  private static PortForward listen(
      Arguments arguments, Supplier<Optional<RunningApplication>> application)
      throws InvalidJobException, IOException {
    Optional<String> wanted = arguments.last(PORT);
    try {
      int port = wanted.isPresent() ? port(wanted.get()) : USUAL_PORT;
      return PortForward.listen(port, NotebookJob.TASK, application);
    } catch (BindException e) {
      if (wanted.isPresent()) {
        throw new InvalidJobException(
            List.of(
                "port "
                    + wanted.get()
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

  private void showWhenThere(
      PortForward forward, String token, Arguments arguments, String howItEnds) throws IOException {
    NotebookLink link = new NotebookLink(forward.port(), token);
    Optional<Path> file = arguments.last(LINK_FILE).map(Path::of);
    if (file.isPresent()) {
      NotebookLink.delete(file.get());
    }
    Spawner.SYSTEM.thread(
        "notebook-link",
        () -> {
          try {
            forward.awaitAnswer();
            show(link, file, howItEnds);
          } catch (IOException e) {
            console.out().println("the notebook is up, and its link cannot be written: " + e);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }

  private void show(NotebookLink link, Optional<Path> file, String howItEnds) throws IOException {
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
    console.out().println("  " + howItEnds);
    console.out().flush();
  }
}
