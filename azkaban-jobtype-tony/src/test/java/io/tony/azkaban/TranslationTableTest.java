package io.tony.azkaban;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.config.ConfigOption;
import io.tony.config.Registry;
import java.util.Map;
import java.util.TreeMap;
import org.junit.Test;

/** The two places that know how a {@code .job} file spells an option say the same. */
public final class TranslationTableTest {

  @Test
  public void shouldOnlyNameKeysThatTheClientKnows() {
    JobTranslation.TABLE.forEach(
        (from, to) -> {
          String key = to.endsWith(".") ? to + "NAME" : to;
          assertTrue(from + " becomes " + key, Registry.lookup(key).isPresent());
        });
  }

  @Test
  public void shouldTranslateEverySpellingThatTheDocumentationTells() {
    Map<String, String> documented = new TreeMap<>();
    for (ConfigOption<?> option : Registry.all()) {
      if (!option.jobSpelling().isEmpty()) {
        documented.put(
            option.jobSpelling().replace("NAME", ""), option.key().replace("{NAME}", ""));
      }
    }

    Map<String, String> translated = new TreeMap<>(JobTranslation.TABLE);
    translated.keySet().retainAll(documented.keySet());
    assertEquals(documented, translated);
  }
}
