package io.tony.client;

import static org.junit.Assert.assertEquals;
import static org.junit.Assume.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

/** A uid without an entry in /etc/passwd, as containers have it: every command says so. */
public class NamelessUserTest {
  private static final int UID = 54_321;

  private static final String CLASS_PATH =
      System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));

  private record Ended(int code, String text) {}

  private static Ended tony(String arguments) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                "setpriv",
                "--reuid=" + UID,
                "--clear-groups",
                // To read the classes, wherever they are.
                "--inh-caps=+dac_read_search",
                "--ambient-caps=+dac_read_search",
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-cp",
                CLASS_PATH,
                TonyCli.class.getName()));
    command.addAll(List.of(arguments.split(" ", -1)));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    Process process = builder.start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ended(process.waitFor(), text);
  }

  @Test(timeout = 300_000)
  public void shouldSayWhatItNeeds() throws Exception {
    assumeTrue("only root can be another user", "root".equals(System.getProperty("user.name")));
    Ended version = tony("version");
    assertEquals(version.text(), 0, version.code());
    for (String arguments :
        List.of("list", "submit -executes true", "run -executes true", "kill application_1_1")) {
      assertEquals(
          arguments,
          new Ended(
              3,
              "FAILED: the uid 54321 of this process has no entry in /etc/passwd, and Hadoop takes"
                  + " the user's name from there: add the entry, or in a container have its image"
                  + " or its start add one (docs/containers.md)\n"),
          tony(arguments));
    }
  }
}
