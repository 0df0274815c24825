package io.tony;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.Test;

/** The documents lead to files and headings that are there. */
public class DocLinksTest {
  private static final Path ROOT = Repository.path("");

  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s:#]*)(?:#([^)\\s]*))?\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.+)$");
  private static final Pattern ANCHOR = Pattern.compile("<a id=\"([^\"]+)\">");

  @Test
  public void shouldLeadToWhatIsThere() throws IOException {
    List<String> broken = new ArrayList<>();
    int links = 0;
    for (Path page : pages()) {
      Matcher link = LINK.matcher(text(page));
      for (; link.find(); links++) {
        Path target = link.group(1).isEmpty() ? page : page.resolveSibling(link.group(1));
        if (!Files.exists(target)
            || (link.group(2) != null && !anchors(target).contains(link.group(2)))) {
          broken.add(page.getFileName() + ": " + link.group());
        }
      }
    }
    assertEquals(List.of(), broken);
    assertTrue(links + " links", links > 100);
  }

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>();
    for (String folder : List.of("", "docs", "docs/decisions", "docs/recipes", "benchmarks")) {
      try (Stream<Path> files = Files.list(ROOT.resolve(folder))) {
        files.filter(file -> file.toString().endsWith(".md")).forEach(pages::add);
      }
    }
    return pages;
  }

  /** Headings, as those who show the pages name them, and places that a page marks itself. */
  private static Set<String> anchors(Path page) throws IOException {
    Set<String> anchors = new HashSet<>();
    ANCHOR.matcher(text(page)).results().forEach(place -> anchors.add(place.group(1)));
    Matcher heading = HEADING.matcher(text(page));
    while (heading.find()) {
      String name =
          heading
              .group(1)
              .strip()
              .toLowerCase(Locale.ROOT)
              .replaceAll("[^\\p{L}\\p{N} _-]", "")
              .replace(' ', '-');
      anchors.add(name);
    }
    return anchors;
  }

  private static String text(Path page) throws IOException {
    return Files.readString(page, StandardCharsets.UTF_8);
  }
}
