package io.tony.mini;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.Test;

public class TonyMiniOptionsTest {

  @Test
  public void shouldReadEveryOption() {
    String line =
        "--dir d --node-managers 3 --node-memory-mb 1024 --node-vcores 2 --max-container-mb 512"
            + " --node-heartbeat-ms 100 --own-addresses true --set a=1 --set b=x=y --hadoop-classpath pom.xml --kerberos alice,bob --ha true";

    assertEquals(
        new TonyMiniOptions(
            Path.of("d"),
            new MiniClusterSpec(
                3, 1024, 2, 512, Duration.ofMillis(100), true, Map.of("a", "1", "b", "x=y")),
            Optional.of(Path.of("pom.xml").toAbsolutePath().toString()),
            List.of("alice", "bob"),
            true),
        TonyMiniOptions.parse(line.split(" ")));
  }

  @Test
  public void shouldNameEveryProblemAtOnce() {
    String line =
        "--hadoop-classpath pom.xml:none.jar --node-vcores 0 --node-managers two --sets a=1 --set a --own-addresses yes --ha no --kerberos alice,,Bob --node-memory-mb";

    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> TonyMiniOptions.parse(line.split(" ")));

    assertEquals(
        List.of(
            "--hadoop-classpath: 'none.jar' is not a file",
            "--node-managers: 'two' is not a whole number",
            "--sets: unknown option",
            "a=1: unknown option",
            "--set: 'a' is not NAME=VALUE",
            "--own-addresses: 'yes' is neither true nor false",
            "--ha: 'no' is neither true nor false",
            "--kerberos: '' is not a user's name",
            "--kerberos: 'Bob' is not a user's name",
            "--node-memory-mb: a value is missing",
            "--dir: is required",
            "vcores per node: 0, must be at least 1"),
        refused.getMessage().lines().toList());
  }
}
