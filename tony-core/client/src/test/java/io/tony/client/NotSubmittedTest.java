package io.tony.client;

import static org.junit.Assert.assertTrue;

import io.tony.Repository;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.Test;

/** The page of a job in Azkaban finds in the job's log why the client did not submit the job. */
public class NotSubmittedTest {
  private static final Path SCRIPT =
      Repository.path("tony-page/src/main/resources/io/tony/page/reasons.js");

  @Test
  public void shouldSayWhatThePageLooksFor() throws Exception {
    String script = Files.readString(SCRIPT, StandardCharsets.UTF_8);

    assertTrue(script.contains("'" + TonyCli.NOT_SUBMITTED + "'"));
  }
}
