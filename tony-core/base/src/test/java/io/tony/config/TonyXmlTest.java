package io.tony.config;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.config.option.ConfigException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class TonyXmlTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private static TonyXml parse(String text) {
    return TonyXml.parse(new ByteArrayInputStream(text.getBytes(UTF_8)), "tony.xml");
  }

  private static String errorOf(String text) {
    return assertThrows(ConfigException.class, () -> parse(text)).getMessage();
  }

  @Test
  public void shouldReadHadoopsFormat() throws IOException {
    String text =
        """
        <?xml version="1.0"?>
        <?xml-stylesheet type="text/xsl" href="configuration.xsl"?>
        <!-- a job -->
        <configuration>
          <property>
            <name> tony.worker.instances </name>
            <value>4</value>
            <description>with <b>markup</b></description>
          </property>
          <property><name>tony.yarn.queue</name><value>ml</value><final>true</final></property>
          <property name="tony.ps.instances" value="1"/>
          <property><name>tony.other.namenodes</name></property>
          <property><name>tony.application.tags</name><value></value></property>
        </configuration>
        """;
    assertEquals(
        new TonyXml(
            Map.of(
                "tony.worker.instances", "4",
                "tony.yarn.queue", "ml",
                "tony.ps.instances", "1",
                "tony.application.tags", ""),
            Set.of("tony.yarn.queue")),
        parse(text));
    Path file = folder.newFile().toPath();
    Files.writeString(file, text);
    assertEquals("ml", TonyXml.readValues(file, "tony.xml").get("tony.yarn.queue"));
  }

  @Test
  public void shouldKeepValuesAsWritten() {
    Map<String, String> values =
        parse(
                "<configuration><property><name>a</name><value> ${user.home} &lt;b&gt;"
                    + "<![CDATA[ & \"q\" ]]>\n</value></property></configuration>")
            .values();
    assertEquals(Map.of("a", " ${user.home} <b> & \"q\" \n"), values);
  }

  @Test
  public void shouldNameFileAndLineOfAnError() {
    String broken = errorOf("<configuration>\n<property>\n<name>a</nam>\n</configuration>");
    assertTrue(broken, broken.startsWith("tony.xml:3: not valid XML: "));
    assertEquals(
        "tony.xml:2: expected <property>, found <propertty>",
        errorOf("<configuration>\n<propertty/></configuration>"));
    assertEquals(
        "tony.xml:2: a <property> without a <name>",
        errorOf("<configuration>\n<property>\n<value>x</value></property></configuration>"));
    assertEquals("tony.xml:1: expected <configuration>, found <html>", errorOf("<html></html>"));
    assertEquals(
        "tony.xml:1: <values> is not part of a <property>",
        errorOf("<configuration><property><values/></property></configuration>"));
    assertEquals(
        "tony.xml:1: text outside of a <property>: 'a=b'",
        errorOf("<configuration>a=b</configuration>"));
    assertTrue(errorOf("").startsWith("tony.xml:1: not valid XML: "));
  }

  /** Entities that are made of entities would fill any memory. */
  @Test
  public void shouldExpandNoEntities() {
    StringBuilder entities = new StringBuilder("<!ENTITY e0 \"lol\">");
    for (int i = 1; i < 30; i++) {
      entities.append("<!ENTITY e" + i + " \"" + ("&e" + (i - 1) + ";").repeat(10) + "\">");
    }
    assertEquals(
        "tony.xml:1: a document type definition is not allowed",
        errorOf(
            "<!DOCTYPE configuration ["
                + entities
                + "]><configuration><property><name>a</name><value>&e29;</value></property>"
                + "</configuration>"));
    assertEquals(
        "tony.xml:1: a document type definition is not allowed",
        errorOf("<!DOCTYPE configuration SYSTEM \"http://127.0.0.1:1/x.dtd\"><configuration/>"));
    assertTrue(
        errorOf(
                "<configuration><property><name>a</name><value>&x;</value></property>"
                    + "</configuration>")
            .startsWith("tony.xml:1: not valid XML: "));
  }

  /** Another seed: {@code -Dtony.fuzz.seed}. */
  @Test(timeout = 60_000)
  public void shouldReadAnyBytesOrSayWhatIsWrong() {
    long seed = Long.getLong("tony.fuzz.seed", 20261122L);
    Random random = new Random(seed);
    byte[] good =
        ("<?xml version=\"1.0\" encoding=\"UTF-8\"?><!DOCTYPE c [<!ENTITY x \"y\">]>"
                + "<configuration><property><name>a</name><value>ü &amp; <![CDATA[z]]></value>"
                + "<final>true</final></property></configuration>")
            .getBytes(UTF_8);
    for (int i = 0; i < 5_000; i++) {
      byte[] bytes = Arrays.copyOf(good, i % 5 == 0 ? random.nextInt(good.length) : good.length);
      for (int n = random.nextInt(6); n > 0 && bytes.length > 0; n--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      try {
        TonyXml.parse(new ByteArrayInputStream(bytes), "tony.xml");
      } catch (ConfigException e) {
        assertTrue(e.getMessage(), e.getMessage().startsWith("tony.xml:"));
      } catch (RuntimeException e) {
        throw new AssertionError("-Dtony.fuzz.seed=" + seed + ": " + new String(bytes, UTF_8), e);
      }
    }
    byte[] deep =
        ("<configuration><property><description>" + "<a>".repeat(100_000)).getBytes(UTF_8);
    assertThrows(
        ConfigException.class, () -> TonyXml.parse(new ByteArrayInputStream(deep), "tony.xml"));
  }

  @Test
  public void shouldReadNoOtherFile() throws IOException {
    Path secret = folder.newFile("secret").toPath();
    Files.writeString(secret, "hunter2");
    String error =
        errorOf(
            "<!DOCTYPE configuration [<!ENTITY x SYSTEM \""
                + secret.toUri()
                + "\">]>\n<configuration><property><name>a</name><value>&x;</value></property>"
                + "</configuration>");
    assertEquals("tony.xml:1: a document type definition is not allowed", error);
    assertEquals(
        "tony.xml:1: expected <property>, found <include>",
        errorOf(
            "<configuration xmlns:xi=\"http://www.w3.org/2001/XInclude\"><xi:include href=\""
                + secret.toUri()
                + "\"/></configuration>"));
  }
}
