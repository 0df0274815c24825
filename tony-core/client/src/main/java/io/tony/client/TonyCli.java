package io.tony.client;

import io.tony.client.application.ExitCode;
import io.tony.client.check.JobCheck;
import io.tony.client.check.ProjectCheck;
import io.tony.client.cluster.ClusterServer;
import io.tony.client.cluster.SilenceWatch;
import io.tony.client.doctor.Doctor;
import io.tony.client.doctor.InstallationChecks;
import io.tony.client.doctor.TestJob;
import io.tony.client.input.Arguments;
import io.tony.client.input.InvalidJobException;
import io.tony.client.input.JobFolder;
import io.tony.client.inspect.ApplicationTimeline;
import io.tony.client.inspect.ApplicationView;
import io.tony.client.launch.ClassArchive;
import io.tony.client.launch.FoldersFirstClassLoader;
import io.tony.client.login.Identity;
import io.tony.client.login.Login;
import io.tony.client.output.JobLog;
import io.tony.client.output.PlainLines;
import io.tony.client.submit.Submission;
import io.tony.config.TonyConfig;
import io.tony.config.option.ConfigException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.util.VersionInfo;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.exceptions.YarnException;

/**
 * Entry point of the {@code tony} command. The commands are listed in {@link CliCommand}. The exit
 * codes are those of {@link ExitCode}, but {@code tony shell} exits with the exit code of the
 * remote shell.
 */
public final class TonyCli {
  /** Commands whose arguments may contain application ids. */
  private static final Set<CliCommand> APPLICATION_COMMANDS =
      EnumSet.complementOf(
          EnumSet.of(
              CliCommand.SUBMIT,
              CliCommand.RUN,
              CliCommand.VALIDATE,
              CliCommand.DOCTOR,
              CliCommand.VERSION,
              CliCommand.HELP));

  /**
   * Line that precedes the problems of a refused job. The page that shows the job in Azkaban
   * searches the step's log for this line.
   */
  static final String NOT_SUBMITTED = "The job was not submitted; nothing was left behind:";

  private static final Set<String> HELP = Set.of("-h", "-help", "--help");

  private final JobLog out;
  private final CrashReporter crashReporter;
  private final SilenceWatch watch;
  private Console console;

  private TonyCli(
      YarnConfiguration conf,
      Login login,
      JobLog out,
      CrashReporter crashReporter,
      SilenceWatch watch) {
    this.out = out;
    this.crashReporter = crashReporter;
    this.watch = watch;
    this.console = new Console(conf, login, out, watch);
  }

  public static void main(String[] args) {
    FoldersFirstClassLoader.install();
    if (System.getProperty("log4j.configuration") == null) {
      System.setProperty("log4j.configuration", "tony-client-log4j.properties");
    }
    System.setErr(new PrintStream(new PlainLines(System.err), false, StandardCharsets.UTF_8));
    JobLog out = new JobLog(System.out);
    YarnConfiguration conf = Console.configuration();
    CrashReporter crashReporter = new CrashReporter(System.getenv(), out, System.err, conf);
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, e) -> reportThreadFailure(crashReporter, thread, e));
    boolean ofStep = JobFolder.isOfStep(System.getenv());
    SilenceWatch watch =
        new SilenceWatch(
            out,
            ofStep ? out : new JobLog(System.err),
            conf,
            System.getenv(),
            ofStep,
            Thread.currentThread());
    int code;
    try {
      watch.start(() -> Runtime.getRuntime().halt(ExitCode.INFRASTRUCTURE.code()));
      code =
          Identity.runAsUser(
              System.getenv(),
              conf,
              login -> new TonyCli(conf, login, out, crashReporter, watch).exitCode(List.of(args)));
    } catch (InvalidJobException e) {
      code = reportInvalid(List.of(args), e.problems(), out);
    } catch (IOException | RuntimeException | Error e) {
      code = crashReporter.reportCommand(e).code();
    }
    if (watch.hasEnded()) {
      // The SilenceWatch has already printed why the command was ended, so print nothing more.
      Runtime.getRuntime().halt(ExitCode.INFRASTRUCTURE.code());
    }
    out.flushEvents();
    ClassArchive.updateOnExit(code == 0 && args.length > 0 && args[0].equals("submit"));
    System.exit(code);
  }

  private int exitCode(List<String> args) {
    try {
      boolean isShell = !args.isEmpty() && args.get(0).equals(CliCommand.SHELL.toString());
      return isShell && !asksForHelp(args)
          ? new InspectCommand(console.selectScheduler(args)).shell(args.subList(1, args.size()))
          : run(args).code();
    } catch (InvalidJobException e) {
      return reportInvalid(args, e.problems(), out);
    } catch (ConfigException e) {
      return reportInvalid(args, List.of(e.getMessage()), out);
    } catch (IOException | YarnException | RuntimeException e) {
      return watch.hasEnded()
          ? ExitCode.INFRASTRUCTURE.code()
          : crashReporter.reportCommand(e).code();
    } catch (InterruptedException e) {
      return ExitCode.TERMINATED.code();
    }
  }

  /**
   * Reports the exception that ended a thread. If the JVM lacks memory or cannot create threads,
   * halts it, because the client can then no longer be relied on.
   */
  private static void reportThreadFailure(
      CrashReporter crashReporter, Thread thread, Throwable failure) {
    try {
      crashReporter.reportThread(thread, failure);
    } finally {
      if (failure instanceof VirtualMachineError) {
        haltWithUnknownEnd();
      }
    }
  }

  /** Ends this process at once, with the exit code that says that the job may still be running. */
  static void haltWithUnknownEnd() {
    // System.exit does not work in a shutdown hook: the exit code would remain that of the signal,
    // which says that the job has ended.
    Runtime.getRuntime().halt(ExitCode.END_UNKNOWN.code());
  }

  private static int reportInvalid(List<String> args, List<String> problems, JobLog out) {
    boolean isApplicationCommand =
        !args.isEmpty()
            && CliCommand.of(args.get(0)).filter(APPLICATION_COMMANDS::contains).isPresent();
    out.println(isApplicationCommand ? "tony " + args.get(0) + " cannot be done:" : NOT_SUBMITTED);
    problems.forEach(problem -> out.println("  - " + problem));
    return ExitCode.INVALID.code();
  }

  private ExitCode run(List<String> args)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    CliCommand command = command(args);
    List<String> rest = args.isEmpty() ? args : args.subList(1, args.size());
    if (asksForHelp(args)) {
      return help(List.of(command.toString()));
    }
    if (command != CliCommand.DOCTOR) { // tony doctor always needs the cluster
      console = console.selectScheduler(APPLICATION_COMMANDS.contains(command) ? args : List.of());
    }
    return switch (command) {
      case SUBMIT -> new SubmitCommand(console).submit(rest);
      case RUN -> SubmitCommand.run(console, rest);
      case DEMO -> throw new InvalidJobException(List.of("only bin/tony has the command demo"));
      case NOTEBOOK -> new NotebookCommand(console).run(rest);
      case FOLLOW -> new SubmitCommand(console).follow(rest);
      case VALIDATE -> validate(rest);
      case STATUS -> new InspectCommand(console).status(rest);
      case KILL -> new InspectCommand(console).kill(rest);
      case LOGS -> new InspectCommand(console).logs(rest);
      case STACKS -> new InspectCommand(console).stacks(rest);
      case EVENTS -> new InspectCommand(console).events(rest);
      case LIST -> new ListCommand(console).run(rest);
      case HISTORY -> new ServeCommand(console).run(rest);
      case COMPARE -> new CompareCommand(console).run(rest);
      case TIMELINE -> timeline(rest);
      case DOCTOR -> doctor(rest);
      case VERSION -> {
        out.println(version());
        yield ExitCode.SUCCEEDED;
      }
      case HELP -> help(rest);
      case SHELL -> throw new IllegalStateException("it has an exit code of its own");
    };
  }

  private static boolean asksForHelp(List<String> args) {
    return args.size() > 1 && HELP.contains(args.get(1));
  }

  private static CliCommand command(List<String> args) throws InvalidJobException {
    if (args.isEmpty() || HELP.contains(args.get(0))) {
      return CliCommand.HELP;
    }
    String name = args.get(0).replaceFirst("^--?(?=version$)", "");
    Optional<CliCommand> command = CliCommand.of(name);
    if (command.isEmpty()) {
      throw new InvalidJobException(
          List.of("unknown command " + name + "\n" + String.join("\n", Usage.all())));
    }
    return command.get();
  }

  private ExitCode help(List<String> names) throws InvalidJobException {
    List<String> lines = names.isEmpty() ? Usage.all() : Usage.of(command(names));
    lines.forEach(out::println);
    return ExitCode.SUCCEEDED;
  }

  private static String version() {
    String implementationVersion = TonyCli.class.getPackage().getImplementationVersion();
    return String.format(
        "TonY for Azkaban %s, on Hadoop %s and Java %s",
        implementationVersion == null ? "(not in its jar)" : implementationVersion,
        VersionInfo.getVersion(),
        Runtime.version());
  }

  private ExitCode validate(List<String> args)
      throws InvalidJobException, IOException, YarnException {
    Arguments arguments = CliCommand.VALIDATE.parse(args);
    if (!arguments.positionalArgs().isEmpty()) {
      return validateProject(arguments);
    }
    ProjectArguments.rejectWithoutProject(arguments);
    if (arguments.hasFlag("offline")) {
      JobCheck check =
          Submission.checkOffline(console.offlineConfig(arguments), console.jobFolder());
      check.warnings().forEach(warning -> out.println("warning: " + warning));
      out.println(
          JobCheck.validMessage(check.job().name(), check.job())
              + " as far as the cluster is not asked");
      return ExitCode.SUCCEEDED;
    }
    TonyConfig config = console.config(arguments);
    try (YarnClient yarn = console.yarn()) {
      Submission submission = Submission.prepare(console.conf(), yarn, config, console.jobFolder());
      submission.warnings().forEach(warning -> out.println("warning: " + warning));
      out.println(submission.validationMessage());
      return ExitCode.SUCCEEDED;
    }
  }

  private ExitCode validateProject(Arguments arguments)
      throws InvalidJobException, IOException, YarnException {
    ProjectArguments projectArguments = ProjectArguments.of(arguments, Console.workingDirectory());
    ProjectCheck check =
        new ProjectCheck(
            console.conf(), System.getenv(), projectArguments.site(), projectArguments.type(), out);
    Optional<String> problem = ClusterServer.unconfigured(console.conf(), System.getenv());
    if (!projectArguments.offline() && problem.isPresent()) {
      out.println(
          "warning: "
              + problem.get()
              + ", or give -offline: queues, limits and remote files are not checked");
    }
    if (projectArguments.offline() || problem.isPresent()) {
      return check.check(projectArguments.project(), projectArguments.parameters());
    }
    // The check is useful even without the cluster, so do not wait long for the ResourceManager.
    console.conf().setInt(YarnConfiguration.RESOURCEMANAGER_CONNECT_MAX_WAIT_MS, 5_000);
    console.conf().setInt(YarnConfiguration.RESOURCEMANAGER_CONNECT_RETRY_INTERVAL_MS, 1_000);
    console.conf().setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_KEY, 1);
    console.conf().setInt(CommonConfigurationKeys.IPC_CLIENT_RPC_TIMEOUT_KEY, 20_000);
    try (YarnClient yarn = console.yarn()) {
      check.includeCluster(yarn);
      return check.check(projectArguments.project(), projectArguments.parameters());
    }
  }

  private ExitCode timeline(List<String> args)
      throws InvalidJobException, IOException, YarnException {
    Arguments arguments = CliCommand.TIMELINE.parse(args);
    if (arguments.positionalArgs().size() != 1) {
      throw new InvalidJobException(List.of("tony timeline takes an application id"));
    }
    TonyConfig config = console.submittedConfig(arguments);
    ApplicationId id = ApplicationView.parseId(arguments.positionalArgs().get(0));
    try (YarnClient yarn = console.yarn()) {
      return new ApplicationTimeline(console.conf(), yarn, config, id)
          .print(arguments.hasFlag("json"), arguments.last("svg").orElse(null), out);
    }
  }

  private ExitCode doctor(List<String> args)
      throws InvalidJobException, IOException, InterruptedException {
    Path folder = Files.createTempDirectory("tony-doctor");
    try {
      return doctor(DoctorArguments.parse(args), folder);
    } finally {
      delete(folder);
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private ExitCode doctor(DoctorArguments arguments, Path folder)
      throws InvalidJobException, IOException, InterruptedException {
    TonyConfig config = console.logIn(arguments.config(System.getenv(), folder, console.conf()));
    InstallationChecks.shortenTimeouts(console.conf());
    try (YarnClient yarn = console.yarn()) {
      TestJob job =
          new TestJob(console.conf(), yarn, console.login(), config, folder, arguments.nodes());
      Console.onSignal(job::cancel);
      return new Doctor(out)
          .run(
              new InstallationChecks(console.conf(), yarn, config, job, arguments.plugin())
                  .checks());
    }
  }
}
