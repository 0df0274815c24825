package io.tony.client.follow;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;

import io.tony.model.FailureKind;
import io.tony.model.JobResult;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class StatusFileTest {
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private Path file() {
    return temporary.getRoot().toPath().resolve("status");
  }

  private Map<Object, Object> values() throws IOException {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file())) {
      properties.load(reader);
    }
    return properties;
  }

  @Test
  public void shouldHoldAllThatIsKnown() throws IOException {
    StatusFile status = new StatusFile(file());

    status.setApplication("application_1_0001");
    assertEquals(Map.of("application.id", "application_1_0001"), values());
    status.setState("RUNNING");
    status.setProgress(0.25);
    status.setState("FAILED");
    status.setMessage("worker:0 exited with code 1: größer\nals");

    assertEquals(
        Map.of(
            "application.id", "application_1_0001",
            "state", "FAILED",
            "progress", "0.25",
            "message", "worker:0 exited with code 1: größer als"),
        values());
    assertArrayEquals(new String[] {"status"}, temporary.getRoot().list());
  }

  @Test
  public void shouldTellTheGraceOfAJobAndTheTimeBeyondIt() throws IOException {
    StatusFile status = new StatusFile(file());

    status.setStopGrace(Duration.ofSeconds(40));
    assertArrayEquals("there is nothing to stop", new String[0], temporary.getRoot().list());
    status.setApplication("application_1_0001");
    assertEquals("70000", values().get("stop.limit.ms"));
    status.setStopGrace(Duration.ofSeconds(60));

    assertEquals(
        Map.of("application.id", "application_1_0001", "stop.limit.ms", "90000"), values());
  }

  @Test
  public void shouldDoNothingWithoutAFile() {
    new StatusFile(null).setState("RUNNING");

    assertArrayEquals(new String[0], temporary.getRoot().list());
  }

  @Test
  public void shouldNotFailTheJobWhenTheFolderIsGone() {
    StatusFile status = new StatusFile(file().resolve("gone/status"));

    status.setState("RUNNING");

    assertArrayEquals(new String[0], temporary.getRoot().list());
  }

  /** Azkaban's Cancel ends what is named here, whoever submitted it. */
  @Test
  public void shouldNameAnEarlierApplicationAsLongAsItIsBeingEnded() throws IOException {
    StatusFile status = new StatusFile(file());

    status.setEndingApplication("application_1_0001");
    assertEquals(Map.of("ending.id", "application_1_0001"), values());
    status.removeEndedApplication();
    assertEquals(Map.of(), values());
    status.setApplication("application_1_0002");

    assertEquals(Map.of("application.id", "application_1_0002"), values());
  }

  /** A submission that is tried again is another application, of which nothing is known yet. */
  @Test
  public void shouldForgetAnEarlierApplicationForTheNext() throws IOException {
    StatusFile status = new StatusFile(file());
    status.setApplication("application_1_0001");
    status.setStopGrace(Duration.ofSeconds(15));
    status.setState("RUNNING");
    status.setProgress(0.5);
    status.setMessage("it is lost");

    status.setApplication("application_1_0002");

    assertEquals(
        Map.of("application.id", "application_1_0002", "stop.limit.ms", "45000"), values());
  }

  @Test
  public void shouldTellThatAJobHasSucceededWithAllItsProgress() throws IOException {
    StatusFile status = new StatusFile(file());
    status.setProgress(0.9);

    status.recordEnd(JobResult.succeeded("2 of 2 succeeded"));

    assertEquals(
        Map.of("state", "SUCCEEDED", "message", "2 of 2 succeeded", "progress", "1.0"), values());
  }

  @Test
  public void shouldTellHowFarAJobWasThatHasFailed() throws IOException {
    StatusFile status = new StatusFile(file());
    status.setProgress(0.9);

    status.recordEnd(JobResult.failed(FailureKind.PROGRAM, "worker:0 exited with code 3"));

    assertEquals(
        Map.of("state", "FAILED", "message", "worker:0 exited with code 3", "progress", "0.9"),
        values());
  }
}
