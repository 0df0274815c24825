package io.tony;

import static com.tngtech.archunit.base.DescribedPredicate.alwaysTrue;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.Architectures;
import io.tony.am.AmMain;
import io.tony.am.yarn.ExecutorLaunch;
import io.tony.client.submit.ApplicationRequest;
import io.tony.executor.ExecutorSettings;
import io.tony.executor.TaskExecutor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Stream;
import org.junit.BeforeClass;
import org.junit.Test;

/** The floors of ARCHITECTURE.md. Every exception to them stands here, with its reason. */
public class ArchitectureTest {
  private static final int MOST_LINES = 500;

  private static JavaClasses main;

  @BeforeClass
  public static void readClasses() {
    main =
        new ClassFileImporter()
            .importUrl(AmMain.class.getProtectionDomain().getCodeSource().getLocation());
    assertTrue("the classes of this module", main.contain(AmMain.class));
  }

  @Test
  public void shouldImportOnlyDownward() {
    Architectures.layeredArchitecture()
        .consideringOnlyDependenciesInAnyPackage("io.tony..")
        .layer("model")
        .definedBy("io.tony.model")
        .layer("fact")
        .definedBy("io.tony.fact")
        .layer("config")
        .definedBy("io.tony.config..")
        .layer("protocol")
        .definedBy("io.tony.protocol..")
        .layer("runtime")
        .definedBy("io.tony.runtime")
        .layer("eventlog")
        .definedBy("io.tony.eventlog")
        .layer("machine")
        .definedBy("io.tony.am.machine")
        .layer("container")
        .definedBy("io.tony.container")
        .layer("am")
        .definedBy("io.tony.am")
        .layer("am.rpc")
        .definedBy("io.tony.am.rpc")
        .layer("am.yarn")
        .definedBy("io.tony.am.yarn")
        .layer("am.store")
        .definedBy("io.tony.am.store")
        .layer("executor")
        .definedBy("io.tony.executor")
        .layer("client.source")
        .definedBy("io.tony.client.source")
        .layer("client.follow")
        .definedBy("io.tony.client.follow")
        .layer("client.check")
        .definedBy("io.tony.client.check")
        .layer("client.check.project")
        .definedBy("io.tony.client.check.project")
        .layer("client.submit")
        .definedBy("io.tony.client.submit")
        .layer("client.doctor")
        .definedBy("io.tony.client.doctor")
        .layer("client")
        .definedBy("io.tony.client")
        .ensureAllClassesAreContainedInArchitecture()
        .whereLayer("model")
        .mayNotAccessAnyLayer()
        .whereLayer("fact")
        .mayOnlyAccessLayers("model")
        .whereLayer("config")
        .mayOnlyAccessLayers("model")
        .whereLayer("protocol")
        .mayOnlyAccessLayers("model", "config")
        .whereLayer("runtime")
        .mayOnlyAccessLayers("model", "config", "protocol")
        .whereLayer("eventlog")
        .mayOnlyAccessLayers("model", "fact", "config", "protocol")
        .whereLayer("machine")
        .mayOnlyAccessLayers(below())
        .whereLayer("container")
        .mayOnlyAccessLayers(below())
        .whereLayer("am")
        .mayOnlyAccessLayers(below("machine", "container"))
        .whereLayer("am.rpc")
        .mayOnlyAccessLayers(below("machine", "container", "am"))
        .whereLayer("am.yarn")
        .mayOnlyAccessLayers(below("machine", "container", "am"))
        .whereLayer("am.store")
        .mayOnlyAccessLayers("model", "runtime")
        .whereLayer("executor")
        .mayOnlyAccessLayers(below("container"))
        .whereLayer("client.source")
        .mayOnlyAccessLayers("model", "config")
        .whereLayer("client.follow")
        .mayOnlyAccessLayers(below("container", "client.source"))
        .whereLayer("client.check.project")
        .mayNotAccessAnyLayer()
        .whereLayer("client.check")
        .mayOnlyAccessLayers(
            below("container", "client.source", "client.follow", "client.check.project"))
        .whereLayer("client.submit")
        .mayOnlyAccessLayers(
            below("container", "client.source", "client.follow", "client.check"))
        .whereLayer("client.doctor")
        .mayOnlyAccessLayers(
            below("container", "client.source", "client.follow", "client.check", "client.submit"))
        .whereLayer("client")
        .mayOnlyAccessLayers(
            below(
                "container",
                "client.source",
                "client.follow",
                "client.check",
                "client.submit",
                "client.doctor"))
        // The one place where the parts of the ApplicationMaster are put together.
        .ignoreDependency(
            equivalentTo(AmMain.class),
            resideInAnyPackage("io.tony.am.rpc", "io.tony.am.store", "io.tony.am.yarn"))
        // Whoever launches a program knows its main class, and what it reads when it starts.
        .ignoreDependency(equivalentTo(ExecutorLaunch.class), equivalentTo(TaskExecutor.class))
        .ignoreDependency(equivalentTo(ExecutorLaunch.class), equivalentTo(ExecutorSettings.class))
        .ignoreDependency(
            equivalentTo(ExecutorLaunch.class), equivalentTo(ExecutorSettings.Sampling.class))
        .ignoreDependency(equivalentTo(ApplicationRequest.class), equivalentTo(AmMain.class))
        .check(main);
  }

  private static String[] below(String... more) {
    return Stream.concat(
            Stream.of("model", "fact", "config", "protocol", "runtime", "eventlog"),
            Stream.of(more))
        .toArray(String[]::new);
  }

  @Test
  public void shouldHaveNoCyclesBetweenPackages() {
    slices()
        .matching("io.tony.(**)")
        .should()
        .beFreeOfCycles()
        // It alone knows the adapters, which know the ports beside it.
        .ignoreDependency(equivalentTo(AmMain.class), alwaysTrue())
        .check(main);
  }

  @Test
  public void shouldKeepThePureFloorsFreeOfHadoop() {
    noClasses()
        .that()
        .resideInAnyPackage(
            "io.tony.model",
            "io.tony.fact",
            "io.tony.config..",
            "io.tony.client.check.project",
            "io.tony.runtime",
            "io.tony.am.machine")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.apache.hadoop..")
        .check(main);
  }

  @Test
  public void shouldKnowYarnOnlyAtItsEdges() {
    noClasses()
        .that()
        .resideInAnyPackage("io.tony.protocol..", "io.tony.eventlog", "io.tony.am.rpc")
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
        .resideInAnyPackage("java..", "io.tony.model")
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

  @Test
  public void shouldKeepClassesSmall() throws IOException {
    List<String> large;
    try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
      large =
          files
              .filter(file -> file.toString().endsWith(".java"))
              .filter(file -> lines(file) > MOST_LINES)
              .map(Path::toString)
              .toList();
    }
    assertEquals(List.of(), large);
  }

  private static long lines(Path file) {
    try (Stream<String> lines = Files.lines(file)) {
      return lines.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
