package io.tony.dist;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import io.tony.azkaban.mini.FlowEngine;
import io.tony.azkaban.mini.FlowExecution;
import io.tony.azkaban.mini.FlowListener;
import io.tony.azkaban.mini.FlowRequest;
import io.tony.azkaban.mini.FlowResult;
import io.tony.azkaban.mini.LogLine;
import io.tony.mini.MiniClusterProcess;
import io.tony.testing.BuildArtifacts;
import io.tony.testing.LeavesNothing;
import io.tony.testing.TestCluster;
import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.AfterClass;
import org.junit.Before;
import org.junit.BeforeClass;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * The release as an administrator meets it: unpacked, installed, checked, used, upgraded while a
 * job runs, and removed, by the commands of {@code docs/install.md}.
 */
public class ReleaseIT {
  private static MiniClusterProcess cluster;

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  /** Within the rule above: jobs are over before their folder is deleted. */
  @Rule(order = 1)
  public final LeavesNothing leavesNothing = LeavesNothing.on(() -> cluster);

  private final Log log = new Log();
  private Administrator administrator;

  /** What the jobs of a test have logged. */
  private static final class Log implements FlowListener {
    private final List<String> lines = new ArrayList<>();

    @Override
    public synchronized void jobLogged(LogLine line) {
      lines.add(line.text());
      notifyAll();
    }

    synchronized void await(String text) throws InterruptedException {
      while (lines.stream().noneMatch(line -> line.contains(text))) {
        wait(); // within the test's limit
      }
    }

    synchronized String text() {
      return String.join("\n", lines);
    }
  }

  @BeforeClass
  public static void startCluster() throws IOException, InterruptedException {
    cluster = TestCluster.start("mini");
  }

  @AfterClass
  public static void stopCluster() throws IOException {
    cluster.close();
  }

  @Before
  public void install() throws Exception {
    administrator = new Administrator(folder.getRoot().toPath(), cluster);
    administrator.install();
  }

  private FlowExecution flow(String name, String... lines) throws Exception {
    Path flow = Files.createDirectories(folder.getRoot().toPath().resolve(name));
    List<String> all = new ArrayList<>(List.of(lines));
    all.add("tony.am.memory=256m");
    all.add("tony.worker.memory=128m");
    Files.write(flow.resolve(name + ".job"), all);
    return FlowEngine.prepare(
        FlowRequest.builder(flow, folder.getRoot().toPath().resolve("work"))
            .plugins(administrator.jobTypes())
            .listener(log)
            .build());
  }

  private FlowResult run(String name) throws Exception {
    FlowExecution execution = flow(name, administrator.firstJob().toArray(String[]::new));
    execution.start();
    return execution.await();
  }

  @Test
  public void shouldPassTheDoctorAndRunAFirstFlow() throws Exception {
    try (TonyCommand doctor = administrator.doctor()) {
      doctor.assertExit(0);
      assertTrue(doctor.text(), doctor.text().contains("tony is complete"));
      assertTrue(doctor.text(), doctor.text().contains(" ran 1 task"));
    }

    FlowResult result = run("hello");

    assertTrue(log.text(), result.succeeded());
    assertTrue(log.text(), log.text().contains("SUCCEEDED after "));
  }

  /** As the README runs it, which has built and not installed anything. */
  @Test
  public void shouldHaveACommandThatRunsInABuildTreeAsWell() throws Exception {
    for (List<String> arguments : List.of(List.of("help"), List.<String>of())) {
      ProcessBuilder tony = new ProcessBuilder(BuildArtifacts.file("bin/tony").toString());
      tony.command().addAll(arguments);
      tony.environment().put("JAVA_HOME", System.getProperty("java.home"));
      tony.environment().put("TONY_HADOOP_CLASSPATH", cluster.property("classpath"));
      Path classes = folder.getRoot().toPath().resolve("classes");
      tony.environment().put("TONY_CACHE", classes.toString());
      try (TonyCommand help = TonyCommand.start(tony)) {
        help.assertExit(0);
        assertTrue(help.text(), help.text().contains("tony submit"));
        assertFalse(help.text(), help.text().contains("Exception"));
      }
      // A client that ran no job deletes its notes, which it finds by the name that it was told.
      assertNotEquals("notes were made", 0, classes.toFile().lastModified());
      assertArrayEquals(new String[0], classes.toFile().list());
      assertTrue(classes.toFile().setLastModified(0));
    }
  }

  @Test
  public void shouldTellItsVersion() throws Exception {
    try (TonyCommand version = administrator.tony("version")) {
      version.assertExit(0);
      String name = administrator.release().getFileName().toString();
      String own = name.substring("tony-azkaban-".length());
      assertTrue(
          version.text(), version.text().contains("TonY for Azkaban " + own + ", on Hadoop 3."));
    }
  }

  /** What is not ours: whose it is, and under which licence. */
  @Test
  public void shouldNameTheLibrariesThatItHolds() throws Exception {
    Path release = administrator.release();
    String notice = Files.readString(release.resolve("NOTICE"));
    try (Stream<Path> files = Files.walk(release)) {
      List<String> others =
          files
              .map(file -> file.getFileName().toString())
              .filter(name -> name.endsWith(".jar"))
              .filter(name -> !name.matches("(tony|azkaban)-.*"))
              .toList();
      assertTrue(others.toString(), others.contains("snakeyaml-2.0.jar"));
      others.forEach(jar -> assertTrue(jar, notice.contains(jar)));
    }
  }

  @Test
  public void shouldHoldWhatItsDocumentsLeadTo() throws Exception {
    Pattern link = Pattern.compile("\\]\\(([^)\\s:#]+)(?:#[^)\\s]*)?\\)");
    Pattern tool =
        Pattern.compile(
            "(?<![\\w/])(bin/(?!python|java)|frameworks/(?!due|proven))[a-z][a-z-]+(\\.txt)?");
    Path release = administrator.release();
    List<Path> pages = administrator.pages();
    assertTrue(pages.toString(), pages.contains(release.resolve("docs/index.md")));
    Set<String> missing = new TreeSet<>();
    for (Path page : pages) {
      String text = Files.readString(page);
      link.matcher(text)
          .results()
          .filter(found -> !Files.exists(page.resolveSibling(found.group(1))))
          .forEach(found -> missing.add(page.getFileName() + " leads to " + found.group(1)));
      tool.matcher(text)
          .results()
          .filter(found -> !Files.exists(release.resolve(found.group())))
          .forEach(found -> missing.add(page.getFileName() + " names " + found.group()));
    }
    assertEquals(Set.of(), missing);
  }

  /** Nothing in it is loaded from another host. */
  @Test
  public void shouldHaveItsDocumentsAsASite() throws Exception {
    Path site = administrator.release().resolve("docs/html");
    assumeTrue("the profile frameworks builds the site", Files.exists(site));
    String page = Files.readString(site.resolve("docs/install.html"));
    assertTrue(page, page.contains("Which Hadoop user runs a step"));
    assertFalse(page, Pattern.compile("<(script|link|img)[^>]*\"https?://").matcher(page).find());
    String search = Files.readString(site.resolve("search.json"));
    assertTrue(search.contains("docs/install.html"));
  }

  /** For laptops, where no executor writes it. */
  @Test
  public void shouldHaveTheModuleOfPrograms() throws Exception {
    ProcessBuilder python =
        new ProcessBuilder("python3", "-c", "import tony; print(tony.resume())")
            .directory(administrator.release().resolve("python").toFile());
    try (TonyCommand program = TonyCommand.start(python)) {
      program.assertExit(0);
      assertEquals("None", program.text().strip());
    }
  }

  @Test
  public void shouldServeTheHistory() throws Exception {
    try (TonyCommand service = administrator.history()) {
      String line = service.await("is served at ");
      URI address = URI.create(line.substring(line.indexOf("http://")));
      try (InputStream page = address.toURL().openStream()) {
        String html = new String(page.readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(html, html.contains("history.js"));
      }
      service.terminate();
      service.exitCode();
    }
  }

  @Test
  public void shouldLeaveAJobAloneThatRunsWhileItIsUpgraded() throws Exception {
    Path go = folder.getRoot().toPath().resolve("go");
    FlowExecution before =
        flow(
            "before",
            "type=tony",
            "tony.worker.instances=2",
            "executes=until [ -e '" + go + "' ]; do sleep 0.1; done");
    before.start();
    log.await("2/2 tasks running");

    administrator.upgrade();

    try (TonyCommand doctor = administrator.doctor()) {
      doctor.assertExit(0);
    }
    assertTrue(log.text(), run("after").succeeded());
    Files.createFile(go);
    assertTrue(log.text(), before.await().succeeded());
  }

  /** All that is in Azkaban's folder. */
  private List<String> azkaban() throws IOException {
    Path root = folder.getRoot().toPath();
    try (Stream<Path> all = Files.walk(root.resolve("azkaban"))) {
      return all.map(path -> root.relativize(path).toString()).sorted().toList();
    }
  }

  @Test
  public void shouldLeaveNothingWhenItIsUninstalled() throws Exception {
    assertTrue(log.text(), run("hello").succeeded());
    administrator.upgrade();
    assertFalse(cluster.hdfsNames(cluster.hdfsHome() + "/.tony").isEmpty());
    Path release = administrator.release();
    for (String file : List.of("alerts.yml", "grafana-dashboard.json")) {
      assertTrue(file, Files.isRegularFile(release.resolve("monitoring").resolve(file)));
    }

    administrator.uninstall();

    assertFalse(Files.exists(release));
    assertEquals(List.of(), cluster.hdfsNames(cluster.hdfsHome() + "/.tony"));
    assertEquals(List.of("azkaban", "azkaban/plugins", "azkaban/plugins/jobtypes"), azkaban());
  }
}
