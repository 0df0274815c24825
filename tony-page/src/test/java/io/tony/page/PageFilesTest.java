package io.tony.page;

import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.Test;

/** The page finds all that it names, and a browser learns of each change. */
public final class PageFilesTest {

  /** What the page loads, and each script from another. */
  private static final Pattern NAMED =
      Pattern.compile("(?:href=\"|src=\"|from '\\./)([a-z]+\\.\\w+)");

  @Test
  public void shouldServeEveryFileThatThePageOfAJobNames() throws Exception {
    Set<String> seen = allThatIsNamed(PageFiles.ofJob(), "");

    assertTrue(seen.toString(), seen.contains("jobserver.js") && seen.contains("viewer.css"));
  }

  @Test
  public void shouldServeEveryFileThatTheListsOfJobsName() throws Exception {
    Set<String> seen = allThatIsNamed(PageFiles.ofLists(), "", "compare");

    assertTrue(
        seen.toString(),
        seen.contains("history.js") && seen.contains("compare.js") && seen.contains("viewer.css"));
  }

  @Test
  public void shouldServeNothingElseOfTheJar() throws Exception {
    assertNull(PageFiles.ofJob().at("/../PageFiles.class"));
  }

  private static Set<String> allThatIsNamed(PageFiles files, String... pages) {
    Set<String> seen = new TreeSet<>();
    Deque<String> toSee = new ArrayDeque<>(List.of(pages));
    while (!toSee.isEmpty()) {
      String name = toSee.remove();
      PageFile file = files.at("/" + name);
      assertNotNull(name, file);
      Matcher named = NAMED.matcher(new String(file.content(), StandardCharsets.UTF_8));
      while (named.find()) {
        if (seen.add(named.group(1))) {
          toSee.add(named.group(1));
        }
      }
    }
    return seen;
  }

  @Test
  public void shouldTagEachFileByWhatIsInIt() throws Exception {
    PageFiles files = PageFiles.ofJob();

    assertNotEquals(files.at("/page.js").tag(), files.at("/job.js").tag());
    assertTrue(files.at("/").tag().matches("\"\\w+\""));
  }
}
