package io.tony.config.job;

import static org.junit.Assert.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.Test;

public class PreflightRulesTest {
  private static final String PREFLIGHT = "tony.application.preflight";

  private static List<String> errors(String... keysAndValues) {
    Problems problems = new Problems();
    JobSpecReader.readLeniently(JobSpecReaderTest.worker(keysAndValues), problems);
    return problems.errors();
  }

  @Test
  public void shouldTakeACommandOrTheNamesOfChecks() {
    for (String check :
        List.of("./check.sh --fast", "nccl-test", "gpu-burn 60", "gpu", "gpu,network , disk")) {
      assertEquals(List.of(), errors(PREFLIGHT, check));
    }
    assertEquals(List.of(), errors(PREFLIGHT, " "));
  }

  @Test
  public void shouldRefuseNamesThatItDoesNotKnow() {
    Map<String, String> unknown =
        Map.of(
            "gpu,net,disk", "net",
            "gpu network", "gpu network",
            "gpu,./check.sh", "./check.sh",
            "first,second", "first, second");
    unknown.forEach(
        (value, named) ->
            assertEquals(
                List.of(
                    "tony.application.preflight="
                        + value
                        + " (job) names "
                        + named
                        + "; the checks that can be joined with commas are disk, gpu, network; a"
                        + " command stands alone, and is run as it is"),
                errors(PREFLIGHT, value)));
  }

  @Test
  public void shouldLeaveTimeToRegister() {
    String limit = "tony.application.preflight-timeout";
    String registration = "tony.container.registration.timeout";
    assertEquals(List.of(), errors(PREFLIGHT, "gpu", limit, "20m", registration, "-1"));
    assertEquals(List.of(), errors(limit, "20m"));
    assertEquals(
        List.of(
            "tony.application.preflight-timeout=1m (job) is not shorter than the 60 s of"
                + " tony.container.registration.timeout, and tasks register only after their"
                + " preflight: lower the first or raise the second"),
        errors(PREFLIGHT, "gpu", limit, "1m", registration, "60s"));
  }
}
