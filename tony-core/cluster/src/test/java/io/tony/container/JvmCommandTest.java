package io.tony.container;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.List;
import org.junit.Test;

public class JvmCommandTest {
  @Test
  public void shouldRefuseWhatAShellWouldActUpon() {
    for (String option :
        List.of(
            "-Da=$HOME",
            "-Da=`id`",
            "-Da=b;id",
            "-Da=b|c",
            "-Da=b&",
            "\"quoted\"",
            "'x'",
            "-Da=<b",
            "-Da=b>c",
            "-Da=\\b",
            "-Da=(b)",
            "-Da=*",
            "-Da=b?",
            "-Da={b}",
            "-Da=~",
            "-Da=#",
            "-Da=ü",
            "-Da=!x")) {
      assertEquals(List.of(option), JvmCommand.unsafeOptions("-Xss1m " + option + " -ea"));
    }
  }

  @Test
  public void shouldTakeTheOptionsOfAJvm() {
    assertEquals(
        List.of(),
        JvmCommand.unsafeOptions(
            "  -Xmx1g\t-XX:+UseG1GC -Da.b=c:d,e/f@g%h -agentlib:jdwp=transport=dt_socket"
                + " --add-opens=java.base/java.lang=ALL-UNNAMED\n-XX:-UsePerfData "));
    assertEquals(List.of(), JvmCommand.unsafeOptions(""));
  }

  @Test
  public void shouldStartTheMainClassWithItsHeapAndTheUsersOptionsLast() {
    String command = JvmCommand.of("/opt/java", 64, "-Xmx96m -Dx=y", JvmCommandTest.class, "a.log");

    assertTrue(command, command.startsWith("exec /opt/java/bin/java -Xmx64m "));
    assertTrue(
        command,
        command.endsWith(
            " -Xmx96m -Dx=y io.tony.container.JvmCommandTest 1>><LOG_DIR>/a.log 2>><LOG_DIR>/stderr"));
  }

  @Test
  public void shouldUseTheNodesJavaWithoutAnother() {
    String command = JvmCommand.of("", 64, "", JvmCommandTest.class, "a.log");

    assertTrue(command, command.startsWith("exec {{JAVA_HOME}}/bin/java "));
  }
}
