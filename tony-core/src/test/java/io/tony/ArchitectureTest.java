package io.tony;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.Architectures;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import io.tony.am.AmMain;
import io.tony.am.scheduler.ExecutorLaunch;
import io.tony.client.submit.ApplicationRequest;
import io.tony.eventlog.EventLog;
import io.tony.executor.TaskExecutor;
import io.tony.executor.settings.ExecutorSettings;
import io.tony.process.Spawner;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.BeforeClass;
import org.junit.Test;

/** The rooms of docs/architecture.md. Every exception stands here, with its reason. */
public class ArchitectureTest {
  private static final List<String> CONFIG =
      List.of("config.option", "config.declared", "config", "config.job");

  private static JavaClasses main;

  @BeforeClass
  public static void readClasses() {
    main = new ClassFileImporter().importPath(Repository.path("tony-core/target/classes"));
    assertTrue("the classes of all modules", main.contain(AmMain.class));
  }

  /** What each room imports, from the ground up: a room knows only those above it in this list. */
  private static Map<String, List<String>> rooms() {
    Map<String, List<String>> rooms = new LinkedHashMap<>();
    rooms.put("clock", List.of());
    rooms.put("text", List.of());
    rooms.put("model", List.of());
    rooms.put("page", List.of());
    rooms.put("process", List.of());
    rooms.put("metrics", List.of());
    rooms.put("checkpoint", List.of("model"));
    rooms.put("event", List.of("model"));
    rooms.put("failure", List.of("text", "model", "event"));
    rooms.put("timeline", List.of("text", "model", "metrics", "event"));
    rooms.put("timeline.draw", List.of("text", "model", "event", "timeline"));
    rooms.put("config.option", List.of("model"));
    rooms.put("config.declared", List.of("model", "config.option"));
    rooms.put("config", List.of("text", "config.option", "config.declared"));
    rooms.put(
        "config.job", List.of("model", "checkpoint", "config.option", "config.declared", "config"));
    rooms.put("protocol.proto", List.of());
    rooms.put("protocol", List.of("protocol.proto"));
    rooms.put("tunnel", List.of("clock"));
    rooms.put("runtime", List.of("model"));
    rooms.put("eventlog", List.of("clock", "text", "model", "event"));
    rooms.put("logs", List.of("model", "event", "eventlog"));
    rooms.put("container", with(CONFIG, "model"));
    rooms.put("container.local", List.of("model"));
    rooms.put(
        "history",
        List.of(
            "text", "model", "metrics", "event", "config.option", "config.declared", "eventlog"));
    rooms.put(
        "history.web",
        List.of("model", "page", "metrics", "event", "eventlog", "logs", "container", "history"));
    rooms.put("am.machine", List.of("model", "metrics", "event", "failure"));
    rooms.put("am.usage", with(CONFIG, "model", "metrics", "event", "timeline", "eventlog"));
    rooms.put("am.http", List.of("model"));
    rooms.put("am.loop", List.of("model", "event", "eventlog", "am.machine", "am.http"));
    rooms.put("am.rendezvous", List.of("model", "runtime", "am.http"));
    rooms.put("metrics.job", List.of("model", "metrics", "event", "timeline"));
    rooms.put(
        "am.page",
        with(
            CONFIG,
            "model",
            "page",
            "metrics",
            "event",
            "eventlog",
            "logs",
            "container",
            "am.machine",
            "am.http",
            "metrics.job"));
    rooms.put(
        "am.checkpoint",
        with(
            CONFIG,
            "clock",
            "text",
            "model",
            "checkpoint",
            "event",
            "protocol.proto",
            "am.machine",
            "am.loop"));
    rooms.put(
        "am.rpc",
        List.of(
            "text",
            "model",
            "checkpoint",
            "event",
            "protocol.proto",
            "protocol",
            "tunnel",
            "runtime",
            "eventlog",
            "am.machine",
            "am.usage",
            "am.http",
            "am.loop",
            "am.page",
            "am.checkpoint"));
    rooms.put("executor.rpc", List.of("model", "protocol", "tunnel"));
    rooms.put("executor.settings", List.of("text", "model", "container", "executor.rpc"));
    rooms.put("executor.token", List.of("protocol", "executor.rpc", "executor.settings"));
    rooms.put("executor.hadoop", List.of("model", "checkpoint", "container", "container.local"));
    rooms.put(
        "executor.checkpoint",
        List.of("clock", "text", "model", "checkpoint", "protocol", "executor.rpc"));
    rooms.put(
        "executor.bridge",
        List.of(
            "checkpoint",
            "executor.settings",
            "executor.token",
            "executor.hadoop",
            "executor.checkpoint"));
    rooms.put(
        "executor.link",
        List.of(
            "clock",
            "model",
            "tunnel",
            "executor.rpc",
            "executor.settings",
            "executor.token",
            "executor.hadoop",
            "executor.bridge"));
    rooms.put("executor.port", List.of());
    rooms.put(
        "executor.program",
        List.of(
            "clock",
            "text",
            "model",
            "process",
            "failure",
            "protocol",
            "container",
            "executor.rpc",
            "executor.settings",
            "executor.token",
            "executor.port",
            "executor.bridge"));
    rooms.put(
        "executor.tunnel",
        List.of(
            "model",
            "tunnel",
            "executor.rpc",
            "executor.settings",
            "executor.link",
            "executor.program"));
    rooms.put(
        "executor",
        List.of(
            "clock",
            "model",
            "checkpoint",
            "protocol",
            "executor.rpc",
            "executor.settings",
            "executor.token",
            "executor.checkpoint",
            "executor.bridge",
            "executor.link",
            "executor.port",
            "executor.program",
            "executor.tunnel"));
    rooms.put(
        "am.scheduler", with(CONFIG, "model", "protocol", "container", "am.machine", "am.loop"));
    rooms.put(
        "am.yarn",
        with(CONFIG, "model", "container", "am.machine", "am.loop", "am.page", "am.scheduler"));
    rooms.put(
        "am.local", List.of("model", "container.local", "am.machine", "am.loop", "am.scheduler"));
    rooms.put(
        "am",
        with(
            CONFIG,
            "clock",
            "text",
            "model",
            "event",
            "protocol",
            "runtime",
            "eventlog",
            "container",
            "container.local",
            "am.machine",
            "am.usage",
            "am.http",
            "am.loop",
            "am.rendezvous",
            "am.page",
            "am.checkpoint",
            "am.rpc",
            "am.scheduler",
            "am.yarn",
            "am.local"));
    rooms.put("client.launch", List.of());
    rooms.put("client.input", with(CONFIG, "model", "process", "container"));
    rooms.put("client.login", with(CONFIG, "model", "protocol", "client.input"));
    rooms.put("client.output", List.of("clock", "text", "model", "event", "eventlog"));
    rooms.put(
        "client.narrate",
        List.of("text", "model", "metrics", "event", "timeline", "client.output"));
    rooms.put(
        "client.application",
        with(
            CONFIG,
            "clock",
            "text",
            "model",
            "event",
            "timeline",
            "protocol.proto",
            "protocol",
            "tunnel",
            "eventlog",
            "container",
            "container.local",
            "history",
            "client.input",
            "client.output"));
    rooms.put(
        "client.inspect",
        List.of(
            "model",
            "event",
            "timeline",
            "timeline.draw",
            "config",
            "protocol.proto",
            "eventlog",
            "logs",
            "container",
            "container.local",
            "history",
            "client.input",
            "client.output",
            "client.application"));
    rooms.put("client.check.project", List.of());
    rooms.put(
        "client.check",
        with(
            CONFIG,
            "model",
            "runtime",
            "container",
            "client.input",
            "client.output",
            "client.application",
            "client.check.project"));
    rooms.put(
        "client.follow",
        with(
            CONFIG,
            "clock",
            "model",
            "metrics",
            "checkpoint",
            "event",
            "protocol",
            "eventlog",
            "container",
            "client.output",
            "client.narrate",
            "client.application"));
    rooms.put(
        "client.submit",
        with(
            CONFIG,
            "clock",
            "model",
            "event",
            "failure",
            "protocol",
            "eventlog",
            "container",
            "container.local",
            "client.input",
            "client.login",
            "client.output",
            "client.narrate",
            "client.application",
            "client.check",
            "client.follow"));
    rooms.put(
        "client.cluster",
        List.of(
            "container.local",
            "client.input",
            "client.login",
            "client.output",
            "client.application",
            "client.submit"));
    rooms.put(
        "client.shell",
        List.of("model", "protocol.proto", "tunnel", "client.input", "client.application"));
    rooms.put(
        "client.notebook",
        with(
            CONFIG,
            "model",
            "protocol.proto",
            "tunnel",
            "container",
            "client.input",
            "client.application",
            "client.submit"));
    rooms.put(
        "client.local", with(CONFIG, "model", "container", "container.local", "client.submit"));
    rooms.put(
        "client.doctor",
        with(
            CONFIG,
            "model",
            "logs",
            "container",
            "client.input",
            "client.login",
            "client.output",
            "client.application",
            "client.check",
            "client.submit"));
    rooms.put(
        "client.api",
        with(
            CONFIG,
            "model",
            "event",
            "client.input",
            "client.login",
            "client.output",
            "client.application",
            "client.inspect",
            "client.submit"));
    rooms.put(
        "client",
        with(
            CONFIG,
            "text",
            "model",
            "timeline.draw",
            "container",
            "container.local",
            "history",
            "history.web",
            "client.launch",
            "client.input",
            "client.login",
            "client.output",
            "client.application",
            "client.inspect",
            "client.check",
            "client.submit",
            "client.cluster",
            "client.shell",
            "client.notebook",
            "client.local",
            "client.doctor"));
    return rooms;
  }

  private static List<String> with(List<String> some, String... more) {
    return Stream.concat(some.stream(), Stream.of(more)).toList();
  }

  @Test
  public void shouldImportOnlyDownward() {
    Architectures.LayeredArchitecture floors =
        Architectures.layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("io.tony..")
            .ensureAllClassesAreContainedInArchitecture();
    List<String> below = new ArrayList<>();
    for (Map.Entry<String, List<String>> room : rooms().entrySet()) {
      String name = room.getKey();
      assertTrue(name + " imports " + room.getValue(), below.containsAll(room.getValue()));
      below.add(name);
      floors = floors.layer(name).definedBy("io.tony." + name);
    }
    for (Map.Entry<String, List<String>> room : rooms().entrySet()) {
      floors =
          room.getValue().isEmpty()
              ? floors.whereLayer(room.getKey()).mayNotAccessAnyLayer()
              : floors
                  .whereLayer(room.getKey())
                  .mayOnlyAccessLayers(room.getValue().toArray(String[]::new));
    }
    floors
        // Whoever starts a process knows its main class, and what it reads when it starts.
        .ignoreDependency(equivalentTo(ExecutorLaunch.class), equivalentTo(TaskExecutor.class))
        .ignoreDependency(equivalentTo(ExecutorLaunch.class), equivalentTo(ExecutorSettings.class))
        .ignoreDependency(
            equivalentTo(ExecutorLaunch.class), equivalentTo(ExecutorSettings.Sampling.class))
        .ignoreDependency(
            equivalentTo(ExecutorLaunch.class), equivalentTo(ExecutorSettings.Preflight.class))
        .ignoreDependency(equivalentTo(ApplicationRequest.class), equivalentTo(AmMain.class))
        // The one door of all threads and processes; it needs nothing itself.
        .ignoreDependency(DescribedPredicate.alwaysTrue(), equivalentTo(Spawner.class))
        .check(main);
  }

  @Test
  public void shouldKeepThePureFloorsFreeOfHadoop() {
    noClasses()
        .that()
        .resideInAnyPackage(
            "io.tony.clock",
            "io.tony.text",
            "io.tony.model",
            "io.tony.checkpoint",
            "io.tony.event",
            "io.tony.metrics..",
            "io.tony.failure",
            "io.tony.timeline..",
            "io.tony.config..",
            "io.tony.client.check.project",
            "io.tony.runtime",
            "io.tony.tunnel",
            "io.tony.executor",
            "io.tony.executor.program",
            "io.tony.executor.port",
            "io.tony.executor.token",
            "io.tony.executor.tunnel",
            "io.tony.executor.link",
            "io.tony.executor.bridge",
            "io.tony.executor.settings",
            "io.tony.executor.checkpoint",
            "io.tony.executor.rpc",
            "io.tony.am.machine",
            "io.tony.am.loop",
            "io.tony.am.usage")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.apache.hadoop..")
        .check(main);
  }

  @Test
  public void shouldKnowYarnOnlyAtItsEdges() {
    noClasses()
        .that()
        .resideInAnyPackage(
            "io.tony.protocol..",
            "io.tony.eventlog",
            "io.tony.history",
            "io.tony.am.rpc",
            "io.tony.am.loop")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.apache.hadoop.yarn..")
        .check(main);
  }

  @Test
  public void shouldBuildTheModelOnTheJdkAlone() {
    classes()
        .that()
        .resideInAPackage("io.tony.model")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("java..", "org.jspecify..", "io.tony.model")
        .check(main);
  }

  @Test
  public void shouldKeepTheMachinePure() {
    noClasses()
        .that()
        .resideInAPackage("io.tony.am.machine")
        .should()
        .dependOnClassesThat(
            resideInAnyPackage("java.io..", "java.nio..", "java.net..", "org.slf4j..")
                .or(equivalentTo(Clock.class))
                .or(equivalentTo(InstantSource.class))
                .or(equivalentTo(Thread.class)))
        .orShould()
        .callMethod(Instant.class, "now")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callMethod(System.class, "nanoTime")
        .check(main);
  }

  /** A pause would use up the time of whoever is paused with it. */
  @Test
  public void shouldLimitNothingInAnExecutorByAClockThatCountsPauses() {
    noClasses()
        .that()
        .resideInAPackage("io.tony.executor..")
        .and()
        .doNotHaveSimpleName("ExecutorLoop") // when the next beat is due
        .and()
        .doNotHaveSimpleName("UsageSampler") // how much was used since
        .should()
        .callMethod(System.class, "nanoTime")
        .check(main);
  }

  /**
   * Groups of classes that need one another: whoever changes one has to know all of them. The list
   * only shrinks.
   */
  private static final List<Set<String>> CYCLES =
      List.of(
          // The parts of the machine: each handles its events and calls the others through
          // JobMachine.
          group(
              "am.machine",
              "AllocationBackoff CheckpointTracker ContainerShortage DecisionBuilder ElasticPolicy ElasticScaleUp GangStart HangReports JobMachine JobShutdown JobStateReducer LiveResize NodeAvoidance PendingFailures Preemption Preflight ProgramReports Recovery RestartActions RestartPolicy RootCauseAnalysis TaskCompletion Timeouts Transitions WaitLimits"),
          group("am.machine", "JobState MemoryEscalation RepeatedFailures TaskFailure"),
          // A visitor: an action is performed with the ports, which take its data.
          group("am.machine", "Action MachinePorts TaskPort"),
          // A sealed interface with the records that it permits: data.
          group(
              "event",
              "AccessFact CheckpointFact Fact GangFact HangLocation JobFact PendingFailure PreemptionAnnounced ResizeFact RootCause TaskFact UsageFact"),
          // The commands, and what dispatches them.
          group(
              "client",
              "CompareCommand Console InspectCommand LauncherProcess ListCommand NotebookCommand ServeCommand SubmitCommand TonyCli"),
          // The loop, its sealed states and events, and its parts that send it events.
          group(
              "executor",
              "ExecutorEvent ExecutorLoop ExecutorState MasterClient ProgramSession TaskExecutor TaskStateMachine"),
          group(
              "client.application",
              "ApplicationKill MasterConnection OtherClient OtherClientWatch RemainingContainers RunningApplication"),
          group("executor.rpc", "Frames MasterCalls RpcConnection TokenDigest TokenLogin"),
          group("history", "HistoryIndex IndexFile IndexSnapshot IndexedJob SummaryReader"),
          // An option and the forms that declare it.
          group("config.option", "ConfigOption DeclaredOption OptionDeclaration RoleOption"),
          group("container.local", "LocalClusterFolders LocalContainer LocalFiles LocalNode"),
          // A server and its connections.
          group("am.http", "BufferedBytes CappedServer Connection"),
          group("am.page", "EventPollHandler JobPage RunningLogs"),
          // An interface that creates its implementations.
          group("am.yarn", "ConstrainedRequests CountedRequests RoleContainerRequests"),
          // EventLog declares the types of its listeners.
          group("eventlog", "Appender EventLog PendingNotifications"),
          // A scheduler creates its launcher, which reports ends to it.
          group("am.local", "LocalContainers LocalLauncher"),
          group("am.yarn", "YarnContainers YarnLauncher"),
          // One starts the other's main class.
          group("client.launch", "ArchiveMaker ClassArchive"),
          // The two ends of a tunnel.
          group("tunnel", "LocalEnd TunnelEnd"));

  private static Optional<String> inCycle(String name) {
    return CYCLES.stream()
        .filter(group -> group.contains(name))
        .findFirst()
        .map(group -> group.iterator().next());
  }

  private static Set<String> group(String room, String names) {
    return Stream.of(names.split(" ", -1))
        .map(name -> "io.tony." + room + "." + name)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  public void shouldHaveNoOtherCyclesOfClasses() {
    SliceAssignment classes =
        new SliceAssignment() {
          @Override
          public SliceIdentifier getIdentifierOf(JavaClass type) {
            String name = type.getName().replaceFirst("\\$.*", "");
            String product = name.replaceFirst("Builder$", "");
            boolean isGenerated =
                !product.equals(name) && main.contain(product) && main.get(product).isRecord();
            String part = isGenerated && inCycle(name).isEmpty() ? product : name;
            return SliceIdentifier.of(inCycle(part).orElse(part));
          }

          @Override
          public String getDescription() {
            return "classes";
          }
        };
    SlicesRuleDefinition.slices().assignedFrom(classes).should().beFreeOfCycles().check(main);
  }

  @Test
  public void shouldNameNoPackageOrClassAfterNothing() {
    noClasses()
        .should()
        .resideInAnyPackage("..util..", "..utils..", "..common..", "..helper..", "..impl..")
        .orShould()
        .resideInAPackage("..manager..")
        .orShould()
        .haveSimpleNameEndingWith("Util")
        .orShould()
        .haveSimpleNameEndingWith("Utils")
        .orShould()
        .haveSimpleNameEndingWith("Helper")
        .orShould()
        .haveSimpleNameEndingWith("Manager")
        .orShould()
        .haveSimpleNameEndingWith("Impl")
        .check(main);
  }

  @Test
  public void shouldExitOnlyWhereThereIsAMain() {
    noClasses()
        .that(haveNoMain())
        .should()
        .callMethod(System.class, "exit", int.class)
        .orShould()
        .callMethod(Runtime.class, "exit", int.class)
        .orShould()
        .callMethod(Runtime.class, "halt", int.class)
        .check(main);
  }

  private static DescribedPredicate<JavaClass> haveNoMain() {
    return DescribedPredicate.describe(
        "have no main method", type -> type.tryGetMethod("main", String[].class).isEmpty());
  }

  /**
   * Where there is no thread or process to be had, whoever starts one is to say what happens then.
   * Nothing is run by the JDK's own pools, which start threads when it is too late to say anything.
   */
  @Test
  public void shouldStartThreadsAndProcessesByOneDoor() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.tony.process")
        .should(
            new ArchCondition<>("start a thread or a process") {
              @Override
              public void check(JavaClass type, ConditionEvents events) {
                for (JavaCodeUnitAccess<?> call : type.getCodeUnitCallsFromSelf()) {
                  if (starts(call.getTarget())) {
                    events.add(SimpleConditionEvent.satisfied(type, call.getDescription()));
                  }
                }
              }
            })
        .check(main);
  }

  private static boolean starts(AccessTarget.CodeUnitAccessTarget called) {
    JavaClass owner = called.getOwner();
    String name = called.getName();
    boolean pools =
        owner.isEquivalentTo(CompletableFuture.class)
            && (name.equals("delayedExecutor")
                || name.endsWith("Timeout")
                || name.endsWith("Async"));
    return pools
        || owner.isEquivalentTo(Executors.class)
        || (owner.isEquivalentTo(ProcessBuilder.class) && name.startsWith("start"))
        || (owner.isEquivalentTo(Runtime.class) && name.equals("exec"))
        || (owner.isEquivalentTo(Process.class) && name.equals("onExit"))
        || (owner.isEquivalentTo(ProcessHandle.class) && name.equals("onExit"))
        || (owner.isAssignableTo(Thread.class) && name.startsWith("start"))
        || (owner.isAssignableTo(AbstractExecutorService.class) && name.equals("<init>"))
        || (owner.isAssignableTo(java.util.Timer.class) && name.equals("<init>"));
  }

  /** Whoever looks for the log of an application believes only the application's user. */
  @Test
  public void shouldReadLogsByTheirOwnersOnly() {
    Set<String> readers = new TreeSet<>();
    for (JavaMethodCall call : main.get(EventLog.class).getMethodCallsToSelf()) {
      String by = call.getOriginOwner().getName();
      if (call.getName().equals("read") && !by.startsWith(EventLog.class.getPackageName())) {
        readers.add(by.substring(by.lastIndexOf('.') + 1));
      }
    }
    assertEquals(
        "by OwnerCheckedFileSystem",
        Set.of("EndedApplication", "EventFeed", "EventLogReader"),
        readers);
  }
}
