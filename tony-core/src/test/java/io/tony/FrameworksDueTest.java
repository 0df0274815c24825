package io.tony;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Which frameworks CI trains with: {@code frameworks/due}, in a tree of sources of its own. */
public class FrameworksDueTest {
  private static final Path SCRIPT = Repository.path("frameworks/due");

  private static final List<String> ALWAYS = List.of("generic", "pytorch");

  private static final List<String> RARELY =
      List.of(
          "callbacks",
          "data",
          "environments",
          "guide",
          "horovod",
          "jax",
          "jupyter",
          "lightgbm",
          "mpi",
          "mxnet",
          "ray",
          "spark-then-train",
          "tensorflow",
          "xgboost");

  /** The tests of those that are tested by others than FrameworkFlowsIT, or also by others. */
  private static final Map<String, List<String>> OTHER_TESTS =
      Map.of(
          "callbacks", List.of("FrameworkCallbacksIT"),
          "data", List.of("FrameworkDataIT", "FrameworkSecureDataIT"),
          "environments", List.of("FrameworkPackVenvIT"),
          "guide", List.of("FrameworkGuideIT"),
          "jupyter", List.of("FrameworkNotebookIT"),
          "ray", List.of("FrameworkRayIT"),
          "spark-then-train", List.of("FrameworkSparkIT"),
          "tensorflow", List.of("FrameworkTensorBoardIT"));

  private static final Set<String> FLOWS_TOO = Set.of("ray", "tensorflow");

  private static final String RECIPE = "recipes/trees";

  /** Its turn has mpi. */
  private static final int DAY = 7_000 * RARELY.size() + RARELY.indexOf("mpi");

  private static final String TESTS = "azkaban-mini/src/test/java/io/tony/azkaban/mini/";
  private static final String REPORTS =
      "azkaban-mini/target/failsafe-reports/TEST-io.tony.azkaban.mini.";

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private Path root;

  private record Ended(int code, String text) {}

  @Before
  public void makeSources() throws Exception {
    root = temporary.getRoot().toPath();
    for (String file :
        List.of(
            "frameworks/setup",
            "frameworks/apt-install",
            "tony-core/base/src/main/java/io/tony/runtime/Jax.java",
            "tony-core/am/src/main/java/io/tony/am/http/Http.java",
            "tony-core/am/src/main/java/io/tony/am/rendezvous/Store.java",
            "tony-core/executor/src/main/java/io/tony/executor/program/ProcessGroup.java",
            "tony-core/executor/src/main/resources/io/tony/executor/program/start-program.sh",
            "azkaban-jobtype-tony/src/main/TonyJob.java",
            "tony-mini/src/main/Mini.java",
            "tony-testing/src/main/Built.java",
            "tony-core/executor/src/main/java/io/tony/executor/program/HadoopEnvironment.java",
            "tony-core/executor/src/main/resources/io/tony/executor/program/tony.py",
            "tony-core/client/src/main/java/io/tony/client/notebook/Notebook.java",
            "bin/pack-venv",
            "docs/data.md",
            "docs/train-your-own.md",
            "frameworks/libhdfs",
            "frameworks/pytorch.txt",
            TESTS + "DataPrograms.java",
            TESTS + "FrameworkCallbacksIT.java",
            TESTS + "FrameworkDataIT.java",
            TESTS + "FrameworkEnvironments.java",
            TESTS + "FrameworkFlowsIT.java",
            TESTS + "FrameworkGuideIT.java",
            TESTS + "FrameworkNotebookIT.java",
            TESTS + "FrameworkPackVenvIT.java",
            TESTS + "FrameworkRayIT.java",
            TESTS + "FrameworkRecipesIT.java",
            TESTS + "FrameworkSecureDataIT.java",
            TESTS + "FrameworkSparkIT.java",
            TESTS + "FrameworkTensorBoardIT.java",
            "sample-flows/recipes/trees/train.job",
            "docs/recipes/trees.md",
            "pom.xml",
            "tony-core/pom.xml",
            "tony-core/am/pom.xml",
            "azkaban-jobtype-tony/pom.xml",
            "azkaban-mini/pom.xml",
            "tony-mini/pom.xml",
            "tony-testing/pom.xml")) {
      write(file, "as it was");
    }
    for (String name : RARELY) {
      write("sample-flows/" + name + "/train.job", "as it was");
      write("frameworks/" + name + ".txt", "as it was");
    }
    write("frameworks/lightgbm.txt", "# recipes: trees\n");
    Files.delete(root.resolve("frameworks/mpi.txt"));
    Files.copy(SCRIPT, root.resolve("frameworks/due"));
    RARELY.forEach(this::trained);
    recipeTrained("");
    assertEquals(0, due("--prove").code);
  }

  private void write(String file, String text) {
    try {
      Path path = root.resolve(file);
      Files.createDirectories(path.getParent());
      Files.writeString(path, text);
      // Before any report: a test lasts longer than this one.
      Files.setLastModifiedTime(path, FileTime.from(Instant.now().minusSeconds(60)));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Writes the reports of a run with this framework alone. */
  private void trained(String framework) {
    trained(framework, "");
  }

  private void trained(String framework, String inTheCase) {
    for (String test : OTHER_TESTS.getOrDefault(framework, List.of())) {
      report(test, "shouldWork", inTheCase);
    }
    if (OTHER_TESTS.containsKey(framework) && !FLOWS_TOO.contains(framework)) {
      return;
    }
    String file = REPORTS + "FrameworkFlowsIT.xml";
    String before = Files.exists(root.resolve(file)) ? read(file) : "";
    report("FrameworkFlowsIT", "shouldTrain[" + framework + "]", inTheCase);
    String now = read(file);
    write(file, "<all>" + before.replaceAll("</?all>", "") + now + "</all>");
    now(file);
  }

  private void recipeTrained(String inTheCase) {
    report("FrameworkRecipesIT", "shouldPrintWhatItsPageShows[trees]", inTheCase);
  }

  private void report(String test, String method, String inTheCase) {
    String file = REPORTS + test + ".xml";
    write(
        file,
        "<testsuite><testcase name='" + method + "'>" + inTheCase + "</testcase></testsuite>");
    now(file);
  }

  private void now(String file) {
    try {
      Files.setLastModifiedTime(root.resolve(file), FileTime.from(Instant.now()));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private String read(String file) {
    try {
      return Files.readString(root.resolve(file));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private Ended due(String... options) throws Exception {
    return due(DAY, options);
  }

  private Ended due(int day, String... options) throws Exception {
    List<String> command = new ArrayList<>(List.of(root.resolve("frameworks/due").toString()));
    command.addAll(List.of(options));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("TONY_DUE_DAY", Integer.toString(day));
    Process process = builder.start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ended(process.waitFor(), text);
  }

  /** The only recipe has its turn each day. */
  private void assertDue(String... rarely) throws Exception {
    List<String> expected = new ArrayList<>(ALWAYS);
    expected.addAll(List.of(rarely));
    expected.add(RECIPE);
    assertEquals(expected, due().text.lines().toList());
  }

  private static List<String> all() {
    List<String> all = new ArrayList<>(RARELY);
    all.add(RECIPE);
    return all;
  }

  private List<String> unproven() throws Exception {
    return due("--unproven").text.lines().toList();
  }

  @Test
  public void shouldNameOneThatIsProvenEachDayInTurn() throws Exception {
    assertDue("mpi");
    Set<String> all = new TreeSet<>();
    for (int day = DAY; day < DAY + RARELY.size(); day++) {
      List<String> names = due(day).text.lines().skip(ALWAYS.size()).toList();
      assertEquals(names.toString(), 2, names.size());
      assertEquals(RECIPE, names.get(1));
      all.add(names.get(0));
    }
    assertEquals(new TreeSet<>(RARELY), all);
  }

  @Test
  public void shouldNameThoseWhoseOwnFilesHaveChanged() throws Exception {
    write("frameworks/jax.txt", "jax==2");
    write("sample-flows/lightgbm/train.job", "other");
    write(TESTS + "FrameworkRayIT.java", "other");
    assertDue("jax", "lightgbm", "mpi", "ray");

    write("tony-core/executor/src/main/resources/io/tony/executor/program/tony.py", "other");
    write("docs/data.md", "other");
    assertDue("callbacks", "data", "jax", "lightgbm", "mpi", "ray");

    write("tony-core/am/src/main/java/io/tony/am/rendezvous/Store.java", "other");
    assertDue("callbacks", "data", "horovod", "jax", "lightgbm", "mpi", "ray");

    write("frameworks/apt-install", "other");
    assertDue("callbacks", "data", "horovod", "jax", "lightgbm", "mpi", "ray"); // CI stays short
  }

  @Test
  public void shouldNameTheRecipesWhoseOwnFilesHaveChanged() throws Exception {
    // On its day, the second of two recipes has its turn.
    int day = DAY + (DAY % 2 == 0 ? 1 : 0);
    write("sample-flows/recipes/forest/train.job", "new");
    write("docs/recipes/forest.md", "new");
    write("frameworks/jax.txt", "# recipes: forest\n");
    List<String> recipes = List.of("recipes/forest", RECIPE);
    assertEquals(recipes, lastTwo(day));

    report("FrameworkRecipesIT", "shouldPrintWhatItsPageShows[forest]", "");
    due("--prove");
    assertEquals(RECIPE, lastTwo(day).get(1));
    assertTrue(lastTwo(day).toString(), !lastTwo(day).contains("recipes/forest"));

    for (String file :
        List.of(
            "sample-flows/recipes/forest/src.py", "docs/recipes/forest.md", "frameworks/jax.txt")) {
      String before = Files.exists(root.resolve(file)) ? read(file) : "";
      write(file, before + "# recipes: forest\n");
      assertEquals(file, recipes, lastTwo(day));
      write(file, before);
      if (before.isEmpty()) {
        Files.delete(root.resolve(file));
      }
    }
  }

  private List<String> lastTwo(int day) throws Exception {
    List<String> names = due(day).text.lines().toList();
    return names.subList(names.size() - 2, names.size());
  }

  @Test
  public void shouldCallAllUnprovenWhenSomethingChangesThatEveryJobRestsOn() throws Exception {
    assertEquals(List.of(), unproven());
    for (String file :
        List.of(
            "tony-core/executor/src/main/java/io/tony/executor/program/ProcessGroup.java",
            "tony-core/executor/src/main/resources/io/tony/executor/program/start-program.sh",
            "pom.xml",
            "azkaban-jobtype-tony/src/main/TonyJob.java")) {
      write(file, "other");
      assertEquals(file, all(), unproven());
      assertDue("mpi"); // CI stays short
      write(file, "as it was");
      assertEquals(file, List.of(), unproven());
    }
  }

  @Test
  public void shouldTakeOnlyAReportThatAllHasPassedForAProof() throws Exception {
    List<String> tests = new ArrayList<>(List.of("FrameworkFlowsIT", "FrameworkRecipesIT"));
    OTHER_TESTS.values().forEach(tests::addAll);
    for (String test : tests) {
      Files.delete(root.resolve(REPORTS + test + ".xml"));
    }
    write("frameworks/setup", "other");
    assertEquals(all(), unproven());
    assertEquals("no report", 1, due("--prove").code);

    trained("jax");
    trained("mxnet", "<failure/>");
    trained("lightgbm", "<skipped/>");
    trained("spark-then-train", "<error/>");
    recipeTrained("<failure/>");
    assertEquals("jax has trained\n", due("--prove").text);
    assertEquals(all().stream().filter(name -> !name.equals("jax")).toList(), unproven());
  }

  @Test
  public void shouldTakeNoReportThatIsOlderThanTheFilesForAProof() throws Exception {
    Path file =
        root.resolve("tony-core/executor/src/main/java/io/tony/executor/program/ProcessGroup.java");
    Files.writeString(file, "changed after the tests");
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().plusSeconds(60)));

    Ended ended = due("--prove");

    assertEquals(1, ended.code);
    assertTrue(
        ended.text,
        ended.text.contains(
            "jax is not recorded: tony-core/executor/src/main/java/io/tony/executor/program/ProcessGroup.java"
                + " has been changed since its test ended"));
    assertEquals(all(), unproven());
  }
}
