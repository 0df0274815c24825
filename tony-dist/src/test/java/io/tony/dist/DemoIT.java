package io.tony.dist;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.testing.BuildArtifacts;
import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** The release on a machine that has Java and Python, and neither Maven, Hadoop nor Azkaban. */
public class DemoIT {
  /** Where a fetch would fail. */
  private static final String NO_REPOSITORY = "file:///no-repository";

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout timeout = Timeout.seconds(300);

  private Path home;
  private Path release;

  @Before
  public void unpack() throws Exception {
    home = temporary.newFolder("home").toPath();
    Process tar =
        new ProcessBuilder("tar", "xzf", BuildArtifacts.tarball().toString(), "-C", home.toString())
            .inheritIO()
            .start();
    assertEquals(0, tar.waitFor());
    try (Stream<Path> folders = Files.list(home)) {
      release = folders.findFirst().orElseThrow();
    }
  }

  @After
  public void leavesNoProcess() throws Exception {
    List<String> left =
        ProcessHandle.allProcesses()
            .map(process -> process.info().commandLine().orElse(""))
            .filter(command -> command.contains(home.toString()))
            .toList();
    assertEquals(List.of(), left);
  }

  /** The repository of this build has every jar, because the build has needed it. */
  private static String repository() {
    return Path.of(System.getProperty("maven.repository")).toUri().toString();
  }

  private TonyCommand tony(String repository, String... arguments) throws IOException {
    ProcessBuilder tony = new ProcessBuilder(release.resolve("bin/tony").toString());
    tony.command().addAll(List.of(arguments));
    tony.directory(release.toFile());
    tony.environment().put("HOME", home.toString());
    tony.environment().put("JAVA_HOME", System.getProperty("java.home"));
    tony.environment().put("TONY_MAVEN_REPOSITORY", repository);
    tony.environment()
        .keySet()
        .removeAll(List.of("HADOOP_HOME", "HADOOP_CONF_DIR", "TONY_LOCAL", "TONY_CACHE"));
    return TonyCommand.start(tony);
  }

  @Test
  public void shouldFetchItsJarsOnceAndRunFlowsWithAndWithoutACluster() throws Exception {
    try (TonyCommand demo = tony(repository(), "demo", "--local")) {
      demo.assertExit(0);
      assertTrue(demo.text(), demo.text().contains("Flow report, execution 1: SUCCEEDED"));
    }
    Path folder = Files.createDirectory(home.resolve("two-flows"));
    for (String flow : List.of("one", "two")) {
      Files.writeString(folder.resolve(flow + ".job"), "type=command\ncommand=true\n");
    }
    String[] oneOfTwo = {"demo", "--local", "--flow-name", "two", folder.toString()};
    try (TonyCommand demo = tony(NO_REPOSITORY, oneOfTwo)) {
      demo.assertExit(0);
      assertTrue(demo.text(), demo.text().contains("Flow two, execution 1: SUCCEEDED"));
    }
    try (TonyCommand demo = tony(NO_REPOSITORY, "demo")) {
      demo.assertExit(0);
      assertTrue(demo.text(), demo.text().contains("Flow evaluate, execution 1: SUCCEEDED"));
    }
    String step = release.resolve("sample-flows/resume/train.job").toString();
    try (TonyCommand run = tony(NO_REPOSITORY, "run", step, "-python_binary_path", "python3")) {
      run.assertExit(0);
      assertTrue(run.text(), run.text().contains("SUCCEEDED after "));
    }
  }

  @Test
  public void shouldNotUseAJarThatIsNotTheOneItWasBuiltWith() throws Exception {
    Path list = release.resolve("demo/flow-jars.txt");
    String jar = Files.readAllLines(list).get(0).split(" +", -1)[1];
    Files.writeString(list, "0".repeat(64) + "  " + jar + "\n");

    try (TonyCommand demo = tony(repository(), "demo", "--local")) {
      demo.assertExit(2);
      assertTrue(demo.text(), demo.text().contains(jar + ": its SHA-256 is not 000"));
      assertTrue(demo.text(), demo.text().contains("error: 1 of 1 jars could not be fetched"));
    }
    try (Stream<Path> fetched = Files.walk(home.resolve(".tony/demo/jars"))) {
      String name = Path.of(jar).getFileName().toString();
      List<Path> kept =
          fetched
              .filter(file -> file.getParent().getFileName().toString().startsWith("flow-"))
              .filter(file -> file.getFileName().toString().startsWith(name))
              .toList();
      assertEquals(List.of(), kept);
    }
  }

  @Test
  public void shouldSayHowToFetchHadoopWhereThereIsNone() throws Exception {
    try (TonyCommand run = tony(NO_REPOSITORY, "run", "train.job")) {
      run.assertExit(2);
      assertTrue(run.text(), run.text().contains("or let 'tony demo --local' fetch them"));
    }
    for (List<String> question :
        List.of(List.of("help", "run"), List.of("run", "--help"), List.of("run", "-h"))) {
      try (TonyCommand help = tony(NO_REPOSITORY, question.toArray(String[]::new))) {
        help.assertExit(0);
        assertTrue(help.text(), help.text().startsWith("usage: tony run "));
      }
    }
  }
}
