package io.tony.config.declared;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.config.option.ConfigOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.Test;

public class ConfigDocsTest {
  /** Surefire tells the module's folder in {@code basedir}. */
  private static final Path PAGE =
      Path.of(System.getProperty("basedir", "")).resolve("../docs/configuration.md");

  @Test
  public void shouldBeWhatTheRegistrySays() throws IOException {
    if (Boolean.getBoolean("tony.docs.write")) {
      Files.writeString(PAGE, ConfigDocs.markdown());
    }
    String remedy =
        "docs/configuration.md is stale; write it anew: mvn -pl tony-core test"
            + " -Dtest=ConfigDocsTest -Dtony.docs.write=true";
    assertTrue(remedy, Files.exists(PAGE));
    assertEquals(remedy, ConfigDocs.markdown(), Files.readString(PAGE));
  }

  @Test
  public void shouldHaveARowForEveryOption() {
    String page = ConfigDocs.markdown();
    for (ConfigOption<?> option : Registry.all()) {
      assertTrue(option.key(), page.contains("\n| `" + option.key() + "` | "));
    }
  }

  @Test
  public void shouldTellWhatThisVersionDoesNotDo() {
    String row =
        ConfigDocs.markdown()
            .lines()
            .filter(line -> line.startsWith("| `tony.application.hadoop.location`"))
            .findFirst()
            .orElseThrow();
    assertEquals(
        "| `tony.application.hadoop.location` | string |  | Archive with the Hadoop that the"
            + " containers use. *Not in this version:* containers use the Hadoop of their node, by"
            + " yarn.application.classpath. |  |",
        row);
  }
}
