package io.tony;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.config.declared.Registry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.Test;

/** Options that messages of all modules name are declared. */
public class OptionNamesTest {
  private static final Pattern LITERAL = Pattern.compile("\"(?:[^\"\\\\\n]|\\\\.)*\"");

  /** One that ends with a dot is continued with a name. */
  private static final Pattern KEY =
      Pattern.compile("(?<![.\\w])tony\\.[a-z-]+(?:\\.[a-z-]+)+(?![-.\\w])");

  /**
   * The rooms below the configuration, and those beside it, name options in their messages only.
   */
  @Test
  public void shouldKnowEveryKeyThatIsWrittenAsText() throws IOException {
    Set<String> named = new TreeSet<>();
    for (String room : List.of("model", "runtime", "am", "executor")) {
      for (Path file : Repository.files("src/main/java/io/tony/" + room, ".java")) {
        LITERAL
            .matcher(Files.readString(file))
            .results()
            .flatMap(literal -> KEY.matcher(literal.group()).results())
            .forEach(key -> named.add(key.group()));
      }
    }
    assertTrue(named.toString(), named.contains("tony.am.port-range"));

    named.removeIf(key -> Registry.lookup(key).isPresent());

    assertEquals(Set.of(), named);
  }
}
