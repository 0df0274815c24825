package io.tony;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.tony.config.TonyXml;
import io.tony.config.declared.Registry;
import io.tony.config.option.ConfigOption;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.Test;

/** The files that an administrator fills in have options that exist, with values that are legal. */
public class SiteTemplatesTest {
  private static final Path SITE = Repository.path("conf/tony-site.xml");
  private static final Path PLUGIN = Repository.path("plugins/jobtypes/tony/plugin.properties");
  private static final Path OPERATE = Repository.path("docs/operate.md");

  /** A default for the users' jobs, which the file has as a comment. */
  private static final Pattern DEFAULT = Pattern.compile("(?m)^#(tony\\.(?!client\\.)\\S+)=(.*)$");

  @Test
  public void shouldSetOptionsInTheSitesFile() throws IOException {
    TonyXml site = TonyXml.parse(SITE, SITE.getFileName().toString());

    site.values().forEach(SiteTemplatesTest::assertIsForTheSite);
    Set<String> limits =
        site.values().keySet().stream()
            .filter(key -> key.contains(".max-"))
            .collect(Collectors.toSet());
    assertTrue(limits.toString(), limits.size() > 2);
    assertTrue(site.finalKeys().toString(), site.finalKeys().containsAll(limits));
  }

  @Test
  public void shouldSetOptionsInThePluginsFile() throws IOException {
    Map<String, String> defaults =
        DEFAULT
            .matcher(Files.readString(PLUGIN))
            .results()
            .collect(Collectors.toMap(found -> found.group(1), found -> found.group(2)));

    defaults.forEach(SiteTemplatesTest::assertIsForTheSite);
    assertTrue(defaults.toString(), defaults.containsKey("tony.am.port-range"));
  }

  @Test
  public void shouldBeShownAsItIs() throws IOException {
    String shown =
        Pattern.compile("(?ms)^```xml\n(.*?)^```$")
            .matcher(Files.readString(OPERATE))
            .results()
            .map(block -> block.group(1))
            .collect(Collectors.joining());
    Map<String, String> values =
        TonyXml.readValues(
            new ByteArrayInputStream(shown.getBytes(StandardCharsets.UTF_8)), "operate.md");

    Map<String, String> template = TonyXml.parse(SITE, "tony-site.xml").values();
    values.forEach((key, value) -> assertEquals(key, template.get(key), value));
    assertTrue(values.toString(), values.size() > 2);
  }

  private static void assertIsForTheSite(String key, String value) {
    ConfigOption<?> option =
        Registry.lookup(key).orElseThrow(() -> new AssertionError("no such option: " + key));
    assertEquals(key, ConfigOption.Support.FULL, option.support());
    assertNotEquals(key, ConfigOption.SetBy.TONY, option.setBy());
    option.parse(value);
  }
}
