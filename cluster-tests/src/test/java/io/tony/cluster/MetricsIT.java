package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.model.TaskUsage;
import io.tony.testing.TonyCommand;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.Test;

/** What a program uses is seen while it runs, and what it need not have had is told at the end. */
public class MetricsIT extends ClusterTest {
  private static final Pattern MEMORY =
      Pattern.compile(
          "no worker used more than (0\\.[45]) of its 1\\.3 GiB: tony\\.worker\\.memory=(\\d+)m saves"
              + " (\\d+) MiB");
  private static final Pattern VCORES =
      Pattern.compile(
          "no worker used more than (\\d\\.\\d) of its 4 vcores on average:"
              + " tony\\.worker\\.vcores=([12]) saves ([23]) vcores");

  /** It tells itself how much of a core this machine could spare for it. */
  private static final String PROGRAM =
      """
      import os, time
      held = b"x" * (300 << 20)
      start, used = time.monotonic(), time.process_time()
      while time.monotonic() < start + 37:
          pass
      with open(os.environ["TONY_OUTPUT_FILE"], "w") as out:
          out.write("cores=%.2f" % ((time.process_time() - used) / (time.monotonic() - start)))
      """;

  @Test
  public void shouldTellWhatAProgramUsesAndAdviseAtTheEnd() throws Exception {
    Files.writeString(folder.newFolder("src").toPath().resolve("busy.py"), PROGRAM);
    try (TonyCommand tony =
        submit(
            "-executes",
            "busy.py",
            "-python_binary_path",
            "python3",
            "-src_dir",
            "src",
            "-conf",
            "tony.worker.instances=1",
            "-conf",
            "tony.worker.memory=1280m",
            "-conf",
            "tony.worker.vcores=4",
            "-events")) {
      tony.await("\"METRICS\"");
      try (TonyCommand status = tony("status", tony.application())) {
        status.assertExit(0);
        assertTrue(status.text(), status.text().matches("(?s).*, uses 3\\d\\d MiB and \\d.*"));
      }
      tony.assertExit(0);

      String application = tony.application();
      double truth =
          Double.parseDouble(
              events(application, JobEvent.Type.TASK_SUCCEEDED).get(0).detail("output.cores"));
      List<JobEvent> metrics = events(application, JobEvent.Type.METRICS);
      assertTrue(metrics.toString(), metrics.size() >= 2 && metrics.size() <= 5);
      double sum = 0;
      for (JobEvent event : metrics) {
        TaskUsage use = TaskUsage.parse(event.details().get("worker:0"));
        assertTrue(event.toString(), use.memoryMiB() >= 300 && use.memoryMiB() < 350);
        sum += use.cores();
      }
      assertEquals(metrics.toString(), truth, sum / metrics.size(), 0.4);

      List<JobEvent> advice = events(application, JobEvent.Type.ADVICE);
      assertEquals(advice.toString(), 2, advice.size());
      Matcher memory = MEMORY.matcher(advice.get(0).detail("text"));
      assertTrue(advice.toString(), memory.matches());
      int wanted = Integer.parseInt(memory.group(2));
      assertTrue(advice.toString(), wanted >= 448 && wanted < 900);
      assertEquals("of YARN's steps", 0, wanted % 64);
      assertEquals(1280 - wanted, Integer.parseInt(memory.group(3)));
      Matcher vcores = VCORES.matcher(advice.get(1).detail("text"));
      assertTrue(advice.toString(), vcores.matches());
      assertEquals(advice.toString(), truth, Double.parseDouble(vcores.group(1)), 0.2);
      assertTrue(tony.lines().contains("advice: " + memory.group()));
      List<JobEvent> all = events(application);
      assertEquals(JobEvent.Type.JOB_FINISHED, all.get(all.size() - 1).type());
    }
  }
}
