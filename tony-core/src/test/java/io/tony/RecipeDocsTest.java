package io.tony;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.Test;

/**
 * Each recipe of {@code sample-flows/recipes} has a page in {@code docs/recipes}, which shows all
 * its files as they are. {@code FrameworkRecipesIT} runs them.
 */
public class RecipeDocsTest {
  private static final Path FLOWS = Repository.path("sample-flows/recipes");
  private static final Path PAGES = Repository.path("docs/recipes");
  private static final String INDEX = "index.md";

  /** A program that one reads on one screen. */
  private static final int LONGEST_PROGRAM = 60;

  /** A comment with the file's name, and the block that shows the file. */
  private static final Pattern BLOCK =
      Pattern.compile(
          "(?<head><!-- (?<file>sample-flows/recipes/\\S+) -->\\n+```\\w+\\n)(?<text>(?s:.*?))(?<end>(?m)^```$)");

  private static Set<String> recipes() throws IOException {
    try (Stream<Path> folders = Files.list(FLOWS)) {
      return folders
          .map(folder -> folder.getFileName().toString())
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  private static List<Path> files(String recipe) throws IOException {
    try (Stream<Path> files = Files.walk(FLOWS.resolve(recipe))) {
      return files
          .filter(file -> Files.isRegularFile(file) && !file.toString().contains("__pycache__"))
          .sorted()
          .toList();
    }
  }

  @Test
  public void shouldHaveOnePageForEachRecipe() throws IOException {
    Set<String> pages;
    try (Stream<Path> files = Files.list(PAGES)) {
      pages =
          files
              .map(file -> file.getFileName().toString())
              .filter(name -> !name.equals(INDEX))
              .map(name -> name.replace(".md", ""))
              .collect(Collectors.toCollection(TreeSet::new));
    }
    assertEquals(recipes(), pages);
    String index = Files.readString(PAGES.resolve(INDEX));
    for (String page : pages) {
      assertTrue(page + " is not in " + INDEX, index.contains("(" + page + ".md)"));
    }
  }

  /** With {@code tony.docs.write} the blocks are filled from the files first. */
  @Test
  public void shouldShowAllFilesAsTheyAre() throws IOException {
    for (String recipe : recipes()) {
      Path page = PAGES.resolve(recipe + ".md");
      List<Path> shown = new ArrayList<>();
      String text = Files.readString(page);
      StringBuilder fresh = new StringBuilder();
      Matcher block = BLOCK.matcher(text);
      while (block.find()) {
        Path file = Repository.path(block.group("file"));
        shown.add(file);
        String now = block.group("head") + Files.readString(file) + block.group("end");
        block.appendReplacement(fresh, Matcher.quoteReplacement(now));
      }
      block.appendTail(fresh);
      if (Boolean.getBoolean("tony.docs.write")) {
        Files.writeString(page, fresh);
        text = fresh.toString();
      }
      assertEquals(page + " is stale; write it again with: make docs", fresh.toString(), text);
      assertEquals(page + " shows each file once", files(recipe), shown.stream().sorted().toList());
    }
  }

  @Test
  public void shouldHaveShortPrograms() throws IOException {
    for (String recipe : recipes()) {
      for (Path file : files(recipe)) {
        int lines = Files.readAllLines(file).size();
        assertTrue(file + " has " + lines + " lines", lines <= LONGEST_PROGRAM);
      }
    }
  }

  /** An environment of {@code frameworks/} says for which recipes it is made. */
  @Test
  public void shouldHaveOneEnvironmentForEachRecipe() throws IOException {
    List<String> named = new ArrayList<>();
    try (Stream<Path> files = Files.list(Repository.path("frameworks"))) {
      for (Path file : files.filter(file -> file.toString().endsWith(".txt")).toList()) {
        Files.readAllLines(file).stream()
            .filter(line -> line.startsWith("# recipes: "))
            .flatMap(line -> Stream.of(line.substring("# recipes: ".length()).split(" ")))
            .forEach(named::add);
      }
    }
    assertEquals(List.copyOf(recipes()), named.stream().sorted().toList());
  }
}
