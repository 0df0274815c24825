package io.tony;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.config.declared.Registry;
import io.tony.config.option.ConfigOption;
import io.tony.model.FailureKind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.Test;

/**
 * The tables of promises name tests that exist; the page of failures names what the program says,
 * and options with their defaults.
 */
public class FailuresDocTest {
  private static final List<String> PROMISES = List.of("failures-tested.md", "security-tested.md");

  private static final Pattern TEST = Pattern.compile("`(\\w+(?:Test|IT))\\.(\\w+)`");
  private static final Pattern KEY = Pattern.compile("`(tony\\.[^`]+)`");

  /** A key with its default behind it: in brackets, or in the next column. */
  private static final Pattern LIMIT =
      Pattern.compile("`(tony\\.[^`]+)` (?:\\(|\\| `)(-?\\d\\w*)[`)]");

  @Test
  public void shouldNameTestsThatExist() throws IOException {
    Map<String, String> sources = sources();
    List<String> missing = new ArrayList<>();
    for (String page : PROMISES) {
      Matcher tests = TEST.matcher(page(page));
      int found = 0;
      for (; tests.find(); found++) {
        String source = sources.getOrDefault(tests.group(1) + ".java", "");
        if (!runs(source, tests.group(2))) {
          missing.add(tests.group());
        }
      }
      assertTrue(page + ": " + found + " tests", found > 0);
    }
    assertEquals(List.of(), missing);
  }

  /**
   * True for a test of the source that is not ignored, and that skips itself nowhere, but for users
   * who are not root. CI is, and {@code .ci/skipped} finds what is skipped there.
   */
  private static boolean runs(String source, String method) {
    Matcher declared =
        Pattern.compile(
                "((?:  @[^\n]+\n)+)  public void " + method + "\\(\\)(.*?)\n  }\n", Pattern.DOTALL)
            .matcher(source);
    return declared.find()
        && declared.group(1).contains("@Test")
        && !declared.group(1).contains("@Ignore")
        && !declared
            .group(2)
            .matches("(?s).*\\b(assume[A-Z]\\w*|NotRun\\.unless)\\((?!\"only root can ).*")
        && !source.contains("\n@Ignore");
  }

  @Test
  public void shouldTakeNoIgnoredOrSkippedTestForAProof() {
    String test = "  @Test\n  public void shouldHold() {\n    assumed();\n  }\n";
    assertTrue(runs("public class ATest {\n" + test + "}\n", "shouldHold"));
    assertFalse(runs("public class ATest {\n" + test + "}\n", "shouldFall"));
    assertFalse(runs("public class ATest {\n  @Ignore\n" + test + "}\n", "shouldHold"));
    assertFalse(runs("\n@Ignore\npublic class ATest {\n" + test + "}\n", "shouldHold"));
    assertFalse(runs(test.replace("  @Test\n", ""), "shouldHold"));
    String maybe = test.replace("assumed()", "assumeTrue(\"there is a GPU\", gpu())");
    assertFalse(runs("public class ATest {\n" + maybe + "}\n", "shouldHold"));
    assertTrue(
        "CI is root", runs(maybe.replace("there is a GPU", "only root can do it"), "shouldHold"));
    assertTrue("another may be", runs(maybe.replace("Hold", "Wait") + test, "shouldHold"));
  }

  @Test
  public void shouldNameATestInEveryRowOfAPromise() throws IOException {
    List<String> unproven = new ArrayList<>();
    for (String page : PROMISES) {
      boolean promises = false;
      int rows = 0;
      for (String line : page(page).lines().toList()) {
        if (!line.startsWith("|")) {
          promises = false;
        } else if (line.endsWith("| shown by |")) {
          promises = true;
        } else if (promises && !line.startsWith("|---")) {
          rows++;
          if (!TEST.matcher(line).find()) {
            unproven.add(line);
          }
        }
      }
      assertTrue(page + ": " + rows + " rows", rows > 0);
    }
    assertEquals(List.of(), unproven);
  }

  /** The README names no tests: failures-tested.md does, one row for each of its rows. */
  @Test
  public void shouldHaveARowForEachPromiseOfTheReadme() throws IOException {
    int promises = rows("../README.md", "## What it guarantees");
    assertEquals(promises, rows("failures-tested.md", "## What the README promises"));
    assertTrue(promises + " promises", promises > 5);
  }

  private static int rows(String page, String heading) throws IOException {
    List<String> lines =
        page(page)
            .lines()
            .dropWhile(line -> !line.equals(heading))
            .skip(1)
            .takeWhile(line -> !line.startsWith("## "))
            .filter(line -> line.startsWith("|"))
            .toList();
    return lines.size() - 2;
  }

  @Test
  public void shouldNameKeysThatTakeEffectAndTheirDefaults() throws IOException {
    String page = page("failures.md");
    Matcher keys = KEY.matcher(page);
    while (keys.find()) {
      assertEquals(keys.group(), ConfigOption.Support.FULL, option(keys.group(1)).support());
    }
    Matcher limits = LIMIT.matcher(page);
    int found = 0;
    for (; limits.find(); found++) {
      assertEquals(limits.group(), option(limits.group(1)).defaultText(), limits.group(2));
    }
    assertTrue(found + " limits", found > 0);
  }

  /** Where a user looks up what the log says. */
  @Test
  public void shouldQuoteWhatTheLogSays() throws IOException {
    StringBuilder program = new StringBuilder();
    for (Path file : Sources.main(".java")) {
      program.append(Files.readString(file, StandardCharsets.UTF_8));
    }
    List<String> missing = new ArrayList<>();
    int quoted = 0;
    for (String row : symptoms()) {
      Matcher quote = Pattern.compile("`([^`]+)`").matcher(row.split("\\|", -1)[1]);
      for (; quote.find(); quoted++) {
        for (String part : quote.group(1).split("…", -1)) {
          boolean isKind = part.matches("\\([A-Z_]+\\)");
          if (isKind
              ? !isKind(part.substring(1, part.length() - 1))
              : program.indexOf(part.strip()) < 0) {
            missing.add(part);
          }
        }
      }
    }
    assertEquals(List.of(), missing);
    assertTrue(quoted + " quotes", quoted > 10);
  }

  private static boolean isKind(String name) {
    return Stream.of(FailureKind.values()).anyMatch(kind -> kind.name().equals(name));
  }

  private static List<String> symptoms() throws IOException {
    return page("failures.md")
        .lines()
        .dropWhile(line -> !line.startsWith("| what the log says |"))
        .skip(2)
        .takeWhile(line -> line.startsWith("|"))
        .toList();
  }

  /** The tests of all modules by the names of their files. */
  private static Map<String, String> sources() throws IOException {
    Map<String, String> sources = new HashMap<>();
    for (Path file : Repository.files("src/test/java", ".java")) {
      sources.merge(
          file.getFileName().toString(),
          Files.readString(file, StandardCharsets.UTF_8),
          String::concat);
    }
    return sources;
  }

  private static ConfigOption<?> option(String key) {
    return Registry.lookup(key.replace("{role}", "worker"))
        .orElseThrow(() -> new AssertionError("no such option: " + key));
  }

  private static String page(String name) throws IOException {
    return Files.readString(Repository.path("docs").resolve(name), StandardCharsets.UTF_8);
  }
}
