package io.tony;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.Test;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** What a contributor reads first is true: the commands, the changes shown, the decisions. */
public class ContributingTest {
  private static final Path ROOT = Repository.path("");

  private static final Path DECISIONS = ROOT.resolve("docs/decisions");

  /** A target of the Makefile with the line that {@code make help} prints of it. */
  private static final Pattern TARGET = Pattern.compile("(?m)^([a-z]+):.* ## .+$");

  private static final Pattern PHONY = Pattern.compile("(?m)^\\.PHONY: (.+)$");

  /** In code, a workflow or a help text, not in prose ("they make it"). */
  private static final Pattern MAKE = Pattern.compile("(?m)(?:`|run: |^ {4}|: )make ([a-z]+)\\b");

  /** Not the end of a pattern of names. */
  private static final Pattern TEST_NAME = Pattern.compile("(?<![\\w*])\\w+(?:Test|IT)\\b");

  private static final Pattern ACTION = Pattern.compile("\\buses: (\\S+)");

  private static final Pattern DIFF = Pattern.compile("(?ms)^```diff\n(.*?)^```$");

  @Test
  public void shouldExplainEveryTargetOfTheMakefile() throws IOException {
    String makefile = text("Makefile");
    String phony = PHONY.matcher(makefile).results().findFirst().orElseThrow().group(1);
    assertEquals(new TreeSet<>(Set.of(phony.split(" ", -1))), targets());
    assertTrue(targets().toString(), targets().contains("help"));
  }

  @Test
  public void shouldNameTargetsOfTheMakefile() throws IOException {
    List<String> unknown = new ArrayList<>();
    int named = 0;
    List<Path> pages = new ArrayList<>(files(ROOT.resolve(".github/workflows"), ".yml"));
    for (String page :
        List.of("CONTRIBUTING.md", "Makefile", ".github/pull_request_template.md", "README.md")) {
      pages.add(ROOT.resolve(page));
    }
    for (Path page : pages) {
      for (MatchResult command : matches(MAKE, page)) {
        named++;
        if (!targets().contains(command.group(1))) {
          unknown.add(page.getFileName() + ": " + command.group());
        }
      }
    }
    assertEquals(List.of(), unknown);
    assertTrue(named + " commands", named > 10);
  }

  @Test
  public void shouldNameTestsThatExist() throws IOException {
    Set<String> missing = new TreeSet<>();
    for (String page : List.of("CONTRIBUTING.md", "Makefile")) {
      for (MatchResult name : matches(TEST_NAME, ROOT.resolve(page))) {
        missing.add(name.group() + ".java");
      }
    }
    assertTrue(missing.toString(), missing.size() > 5);
    Repository.files("src/test/java", ".java")
        .forEach(file -> missing.remove(file.getFileName().toString()));
    assertEquals(Set.of(), missing);
  }

  /** The lines around a change, and those that it removes, are in the files as they are now. */
  @Test
  public void shouldShowChangesOfFilesAsTheyAre() throws IOException {
    List<String> missing = new ArrayList<>();
    int lines = 0;
    for (MatchResult diff : matches(DIFF, ROOT.resolve("CONTRIBUTING.md"))) {
      Path file = null;
      for (String line : diff.group(1).lines().toList()) {
        if (line.startsWith("--- a/")) {
          file = ROOT.resolve(line.substring("--- a/".length()));
        } else if (line.startsWith("--- /dev/null")) {
          file = null;
        } else if (file != null && (line.startsWith(" ") || line.startsWith("-"))) {
          lines++;
          if (!Files.exists(file) || !Files.readAllLines(file).contains(line.substring(1))) {
            missing.add(file + ":" + line);
          }
        }
      }
    }
    assertEquals(List.of(), missing);
    assertTrue(lines + " lines", lines > 0);
  }

  @Test
  public void shouldRunOnGithubWithoutMoreRightsThanToRead() throws IOException {
    List<Path> workflows = files(ROOT.resolve(".github/workflows"), ".yml");
    Set<String> names = new TreeSet<>();
    for (Path workflow : workflows) {
      Map<?, ?> parsed =
          new Yaml(new SafeConstructor(new LoaderOptions())).load(Files.readString(workflow));
      names.add(parsed.get("name").toString());
      assertEquals(workflow.toString(), Map.of("contents", "read"), parsed.get("permissions"));
      for (MatchResult action : matches(ACTION, workflow)) {
        assertTrue(action.group(), action.group(1).matches("actions/[a-z-]+@v\\d+"));
      }
    }
    assertEquals(Set.of("full", "quick"), names);
  }

  @Test
  public void shouldListEveryDecision() throws IOException {
    List<String> numbered =
        files(DECISIONS, ".md").stream()
            .map(file -> file.getFileName().toString())
            .filter(name -> !name.equals("README.md"))
            .toList();
    String list = text("docs/decisions/README.md");
    String architecture = text("docs/architecture.md");
    List<String> wrong = new ArrayList<>();
    for (int i = 0; i < numbered.size(); i++) {
      String name = numbered.get(i);
      String page = text("docs/decisions/" + name);
      String title = page.lines().findFirst().orElse("").replaceFirst("^# \\d+\\. ", "");
      String link = "[" + title + "](" + name + ")";
      if (!name.startsWith(String.format("%04d-", i + 1))
          || !page.startsWith("# " + (i + 1) + ". ")
          || !list.contains("| " + (i + 1) + " | " + link)
          || !architecture.contains("](decisions/" + name + ")")
          || !page.contains("\nStatus: ")
          || !Stream.of("Context", "Decision", "Alternatives", "Consequences")
              .allMatch(part -> page.contains("\n## " + part + "\n"))) {
        wrong.add(name);
      }
    }
    assertEquals(
        "a decision has the next number, all parts, a row in README.md and a line in"
            + " architecture.md",
        List.of(),
        wrong);
    assertTrue(numbered.toString(), numbered.size() > 10);
  }

  private static Set<String> targets() throws IOException {
    return matches(TARGET, ROOT.resolve("Makefile")).stream()
        .map(target -> target.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static List<MatchResult> matches(Pattern pattern, Path page) throws IOException {
    return pattern.matcher(Files.readString(page, StandardCharsets.UTF_8)).results().toList();
  }

  private static List<Path> files(Path folder, String end) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(end)).sorted().toList();
    }
  }

  private static String text(String page) throws IOException {
    return Files.readString(ROOT.resolve(page), StandardCharsets.UTF_8);
  }
}
