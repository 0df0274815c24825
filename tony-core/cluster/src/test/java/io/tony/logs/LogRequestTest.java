package io.tony.logs;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.event.Fact;
import io.tony.event.TaskFact;
import io.tony.eventlog.EventJson;
import io.tony.model.TaskId;
import java.time.Instant;
import java.util.Map;
import org.junit.Test;

public class LogRequestTest {
  private static final String CONTAINER = "container_e3_1_0002_01_000002";

  private static LogRequest request(String container, String event, String file, String from) {
    Map<String, String> parameters =
        Map.of("container", container, "event", event, "file", file, "from", from);
    return LogRequest.of(parameters::get);
  }

  private static String line(Fact fact) {
    return EventJson.write(fact.toEvent(Instant.EPOCH, 0));
  }

  private static Fact allocated(String container) {
    return new TaskFact.Allocated(new TaskId("worker", 0), container, "node", "http://node:1/x");
  }

  @Test
  public void shouldTakeWhatMakesSenseOnly() {
    LogRequest request = request(CONTAINER, "7", "executor.log", "");
    assertEquals(new LogRequest(CONTAINER, 7, ContainerLogFile.EXECUTOR, -1), request);
    assertEquals(5, request(CONTAINER, "0", "stdout", "5").from());
    assertEquals(-9, request(CONTAINER, "0", "stderr", "-9").from());
    String[][] wrong = {
      {"", "1", "stdout", ""},
      {CONTAINER + "/../x", "1", "stdout", ""},
      {"container_1_2", "1", "stdout", ""},
      {CONTAINER, "", "stdout", ""},
      {CONTAINER, "-1", "stdout", ""},
      {CONTAINER, "1", "", ""},
      {CONTAINER, "1", "../am.log", ""},
      {CONTAINER, "1", "stdout", "x"},
    };
    for (String[] one : wrong) {
      assertThrows(IllegalArgumentException.class, () -> request(one[0], one[1], one[2], one[3]));
    }
  }

  @Test
  public void shouldFindTheTaskThatHasTheContainer() {
    LogRequest request = request(CONTAINER, "7", "stdout", "");
    assertEquals(
        new TaskId("worker", 0),
        request.allocation(line(allocated(CONTAINER)), "application_1_2").get().task());
  }

  @Test
  public void shouldTakeNoOtherEventAndNoContainerOfAnotherApplication() {
    LogRequest request = request(CONTAINER, "7", "stdout", "");
    String another = line(allocated("container_e3_1_0002_01_000003"));
    assertFalse(request.allocation(another, "application_1_2").isPresent());
    assertFalse(request.allocation(line(allocated(CONTAINER)), "application_1_3").isPresent());
    String started = line(new TaskFact.Started(new TaskId("worker", 0), 1));
    assertFalse(request.allocation(started, "application_1_2").isPresent());
    assertFalse(request.allocation("{}]", "application_1_2").isPresent());
    assertTrue(request.allocation(line(allocated(CONTAINER)), "application_1_2").isPresent());
  }
}
