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
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** CI fails where a test did not run: {@code .ci/skipped} finds them in the reports. */
public class SkippedTestsTest {
  private static final Path CI = Repository.path(".ci");

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private Path root;

  private record Ended(int code, String text) {}

  @Before
  public void begin() {
    root = temporary.getRoot().toPath();
  }

  private Path report(String place, String cases) throws IOException {
    Path file = root.resolve(place);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, "<testsuite name='a'>" + cases + "</testsuite>");
  }

  private Ended skipped(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(CI.resolve("skipped").toString()));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ended(process.waitFor(), text);
  }

  @Test
  public void shouldNameEachTestThatDidNotRunAndWhy() throws Exception {
    report(
        "a/target/surefire-reports/TEST-ATest.xml",
        "<testcase classname='ATest' name='runs'/>"
            + "<testcase classname='ATest' name='waits'><skipped message='no root'/></testcase>");
    // As Surefire writes of a class whose rule does not hold.
    report(
        "deep/er/target/failsafe-reports/TEST-BIT.xml",
        "<testcase classname='BIT' name=''><skipped message='no Docker'/></testcase>");
    report(
        "a/target/surefire-reports/TEST-CTest.xml",
        "<testcase classname='CTest' name='is_ignored'><skipped/></testcase>");

    Ended ended = skipped(root.toString());

    assertEquals(1, ended.code);
    for (String line :
        List.of(
            "not run: ATest.waits: no root",
            "not run: BIT.(the class): no Docker",
            "not run: CTest.is_ignored: no reason is given",
            "error: 3 tests did not run here")) {
      assertTrue(ended.text, ended.text.contains(line));
    }
  }

  @Test
  public void shouldPassWhereAllRanButFrameworksThatAreNotDue() throws Exception {
    report(
        "a/target/failsafe-reports/TEST-FrameworkRayIT.xml",
        "<testcase classname='FrameworkRayIT' name=''>"
            + "<skipped message='ray is not to be trained with'/></testcase>");
    assertEquals(new Ended(0, ""), skipped(root.toString()));
  }

  @Test
  public void shouldLookOnlyAtTheReportsOfThisRun() throws Exception {
    String skip = "<testcase classname='ATest' name='a'><skipped/></testcase>";
    Path old = report("a/target/surefire-reports/TEST-ATest.xml", skip);
    Files.setLastModifiedTime(old, FileTime.from(Instant.now().minusSeconds(60)));
    String begin = temporary.newFile("begin").toString();

    assertEquals("no report", 2, skipped("--since", begin, root.toString()).code);
    report("a/target/surefire-reports/TEST-BTest.xml", "<testcase classname='BTest' name='b'/>");
    assertEquals(new Ended(0, ""), skipped("--since", begin, root.toString()));
    assertEquals(1, skipped(root.toString()).code);
  }

  @Test
  public void shouldBeAskedByCi() throws IOException {
    List<String> lines = Files.readAllLines(CI.resolve("run"), StandardCharsets.UTF_8);
    int build = index(lines, "mvn ");
    assertTrue(index(lines, ": >target/ci-began") < build);
    assertTrue(index(lines, ".ci/skipped --since target/ci-began .") > build);
  }

  private static int index(List<String> lines, String beginning) {
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).startsWith(beginning)) {
        return i;
      }
    }
    throw new AssertionError("no line of .ci/run begins with '" + beginning + "'");
  }
}
