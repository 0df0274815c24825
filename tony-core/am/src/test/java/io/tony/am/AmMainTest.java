package io.tony.am;

import static org.junit.Assert.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.Timeout;

/** How the process ends that is an ApplicationMaster no longer: each in a JVM of its own. */
public class AmMainTest {
  private static final String AFTERWARDS = "it has done something yet";

  @Rule public final Timeout limit = Timeout.seconds(60);

  /** A process to which one of both happens. */
  public static final class Superseded {
    private Superseded() {}

    public static void main(String[] args) {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println(AFTERWARDS)));
      if (args[0].equals("fenced")) {
        AmMain.onFenced();
      } else {
        AmMain.onDisowned();
      }
      System.out.println(AFTERWARDS);
    }
  }

  private static void assertHalts(String how) throws Exception {
    List<String> command =
        List.of(
            ProcessHandle.current().info().command().orElseThrow(),
            "-cp",
            System.getProperty("java.class.path"),
            Superseded.class.getName(),
            how);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String told = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertEquals(told, AmMain.EXIT_FAILURE, process.waitFor());
    assertEquals(told, -1, told.indexOf(AFTERWARDS));
  }

  @Test
  public void shouldEndAtOnceWhereALaterOneWritesTheLog() throws Exception {
    assertHalts("fenced");
  }

  @Test
  public void shouldEndAtOnceWhereYarnKnowsItNoMore() throws Exception {
    assertHalts("disowned");
  }
}
