package io.tony.config.option;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.config.declared.AzkabanOptions;
import io.tony.config.declared.JobOptions;
import io.tony.config.declared.OnExisting;
import io.tony.config.declared.RoleOptions;
import io.tony.model.DistributedMode;
import io.tony.model.PortRange;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.Test;

public class ConfigOptionTest {
  @Test
  public void shouldReadSizesInMebibytes() {
    ConfigOption<Long> size = ConfigOption.key("tony.x").size().doc("x");
    assertEquals(2048L, (long) size.parse("2g"));
    assertEquals(2048L, (long) size.parse(" 2G "));
    assertEquals(2048L, (long) size.parse("2GiB"));
    assertEquals(512L, (long) size.parse("512m"));
    assertEquals(1536L, (long) size.parse("1536"));
    assertEquals(1L << 20, (long) size.parse("1t"));
  }

  @Test
  public void shouldRefuseWhatIsNoSize() {
    ConfigOption<Long> size = ConfigOption.key("tony.x").size(64).doc("x");
    for (String text : List.of("", "-1", "2x", "1.5g", "g", "63", "999999999999999t")) {
      IllegalArgumentException error =
          assertThrows(text, IllegalArgumentException.class, () -> size.parse(text));
      assertTrue(
          error.getMessage(), error.getMessage().startsWith("expected a size of at least 64 MiB"));
    }
  }

  @Test
  public void shouldReadRangesOfPorts() {
    ConfigOption<PortRange> ports = ConfigOption.key("tony.x").portRange().doc("x");
    assertEquals(new PortRange(30_000, 30_100), ports.parse("30000-30100"));
    assertEquals(new PortRange(1_024, 65_535), ports.parse(" 1024 - 65535 "));
    assertEquals(new PortRange(30_000, 30_000), ports.parse("30000"));
    for (String text :
        List.of("", "any", "1023-2000", "30000-65536", "30001-30000", "30000-", "1,2", "99999")) {
      IllegalArgumentException error =
          assertThrows(text, IllegalArgumentException.class, () -> ports.parse(text));
      assertEquals(
          "expected ports from 1024 to 65535 such as 30000-30100, the first not above the last",
          error.getMessage());
    }
  }

  @Test
  public void shouldReadRawDurationsInTheUnitThatTheKeyNames() {
    assertEquals(
        Duration.ofMillis(1500), ConfigOption.key("a-ms").duration().doc("x").parse("1500"));
    assertEquals(
        Duration.ofMillis(1500), ConfigOption.key("a.timeout").duration().doc("x").parse("1500"));
    assertEquals(Duration.ofSeconds(15), ConfigOption.key("a-sec").duration().doc("x").parse("15"));
    assertEquals("s", ConfigOption.key("a-sec").duration().doc("x").unit());
  }

  @Test
  public void shouldReadDurationsWithAUnit() {
    ConfigOption<Duration> option = ConfigOption.key("a-ms").duration().doc("x");
    assertEquals(Duration.ofMillis(20), option.parse("20ms"));
    assertEquals(Duration.ofSeconds(30), option.parse("30s"));
    assertEquals(Duration.ofMinutes(5), option.parse("5 m"));
    assertEquals(Duration.ofHours(2), option.parse("2h"));
    assertEquals(Duration.ofDays(1), option.parse("1d"));
  }

  @Test
  public void shouldReadMinusOneAsNoLimit() {
    ConfigOption<Duration> limit = ConfigOption.key("a.timeout").duration().doc("x");
    assertEquals(Duration.ZERO, limit.parse("-1"));
    assertThrows(IllegalArgumentException.class, () -> limit.parse("-2"));
    ConfigOption<Duration> interval = ConfigOption.key("a-ms").interval().doc("x");
    assertThrows(IllegalArgumentException.class, () -> interval.parse("0"));
    assertThrows(IllegalArgumentException.class, () -> interval.parse("-1"));
  }

  @Test
  public void shouldRefuseADurationBeyondAllNumbers() {
    ConfigOption<Duration> option = ConfigOption.key("a-ms").duration().doc("x");
    assertThrows(IllegalArgumentException.class, () -> option.parse("999999999999999d"));
  }

  @Test
  public void shouldTakeTextExactlyAsWritten() {
    String text = "  a,b\n${HOME} `id` \"ü\" \\ ";
    assertEquals(text, ConfigOption.key("a").string().doc("x").parse(text));
  }

  @Test
  public void shouldReadNumbersWithinTheirLimits() {
    assertEquals(-1, (int) ConfigOption.key("a").integer(-1).doc("x").parse("-1"));
    assertEquals(7L, (long) ConfigOption.key("a").longInteger(0).doc("x").parse(" 7 "));
    assertEquals(0.5, ConfigOption.key("a").decimal(0).doc("x").parse("0.5"), 0);
    ConfigOption<Integer> positive = ConfigOption.key("a").integer(1).doc("x");
    for (String text : List.of("0", "-3", "two", "", "1.0", "99999999999")) {
      IllegalArgumentException error =
          assertThrows(text, IllegalArgumentException.class, () -> positive.parse(text));
      assertEquals("expected a whole number, at least 1", error.getMessage());
    }
    ConfigOption<Double> fraction = ConfigOption.key("a").decimal(0).doc("x");
    assertThrows(IllegalArgumentException.class, () -> fraction.parse("NaN"));
  }

  @Test
  public void shouldReadNothingButTrueAndFalseAsBoolean() {
    ConfigOption<Boolean> option = ConfigOption.key("a").bool().doc("x");
    assertTrue(option.parse(" TRUE "));
    assertEquals(false, option.parse("false"));
    assertThrows(IllegalArgumentException.class, () -> option.parse("yes"));
  }

  @Test
  public void shouldReadListsAndMaps() {
    assertEquals(
        List.of("ps", "worker"), ConfigOption.key("a").list().doc("x").parse(" ps, ,worker\n"));
    assertEquals(List.of(), ConfigOption.key("a").list().doc("x").parse(""));
    ConfigOption<Map<String, String>> map = ConfigOption.key("a").map().doc("x");
    assertEquals(Map.of("A", "1=2", "B", "", "C", "y"), map.parse("A=1=2,\n  B=, C=x,C=y"));
    assertThrows(IllegalArgumentException.class, () -> map.parse("A=1,2"));
    assertThrows(IllegalArgumentException.class, () -> map.parse("=1"));
  }

  @Test
  public void shouldReadEnumsInAnyCase() {
    ConfigOption<DistributedMode> mode =
        ConfigOption.key("a").oneOf(DistributedMode.class).defaultTo("GANG").doc("x");
    assertEquals(DistributedMode.FCFS, mode.parse("fcfs"));
    assertEquals(
        "expected one of GANG, FCFS",
        assertThrows(IllegalArgumentException.class, () -> mode.parse("solo")).getMessage());
    assertEquals(OnExisting.ATTACH, AzkabanOptions.ON_EXISTING.defaultValue());
    assertEquals("attach, kill, fail", AzkabanOptions.ON_EXISTING.unit());
  }

  @Test
  public void shouldKeepWhatWasDeclared() {
    ConfigOption<String> option =
        ConfigOption.key("a")
            .string()
            .secret()
            .alias("b")
            .oldName("b0")
            .addsUp()
            .inJob("c", "c0")
            .withoutEffect("of d")
            .doc("e");
    assertTrue(option.isSecret());
    assertTrue(option.isMultiValue());
    assertEquals(List.of("b"), option.aliases());
    assertEquals(List.of("b0"), option.oldNames());
    assertEquals(List.of("c", "c0"), option.jobSpellings());
    assertEquals(ConfigOption.Support.WITHOUT_EFFECT, option.support());
    assertEquals("of d", option.remark());
    assertEquals("e", option.doc());
    assertNull(option.defaultValue());
  }

  @Test
  public void shouldRefuseADefaultThatIsMalformed() {
    assertThrows(
        IllegalArgumentException.class,
        () -> ConfigOption.key("a").integer(0).defaultTo("many").doc("x"));
  }

  @Test
  public void shouldGiveTheOptionOfOneRole() {
    ConfigOption<Long> memory = RoleOptions.MEMORY.at("worker");
    assertEquals("tony.worker.memory", memory.key());
    assertEquals(2048L, (long) memory.defaultValue());
    assertEquals(
        "tony.application.dependency.evaluator.timeout.after.A",
        JobOptions.GROUP_TIMEOUT.at("evaluator", "A").key());
    assertThrows(IllegalArgumentException.class, () -> RoleOptions.MEMORY.at("a", "b"));
  }

  @Test
  public void shouldFindTheNamesInAKey() {
    assertEquals(
        List.of("my-role_2"), RoleOptions.MEMORY.names("tony.my-role_2.memory").orElseThrow());
    assertEquals(List.of("ps", "A.b"), RoleOptions.ENV.names("tony.ps.env.A.b").orElseThrow());
    assertTrue(RoleOptions.MEMORY.names("tony.am.memory").isEmpty());
    assertTrue(RoleOptions.MEMORY.names("tony.my.role.memory").isEmpty());
    assertTrue(RoleOptions.MEMORY.names("tony.2.memory").isEmpty());
  }
}
