package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.event.UsageFact.Goodput;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import io.tony.testing.TonyCommand;
import io.tony.timeline.GoodputLine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.Test;

/** Three ranks that train on their own, of which one is slow. */
public class StragglerIT extends ClusterTest {
  private static final String PROGRAM =
      """
      import os, time
      step, pause = 0, 0.4 if os.environ["TASK_INDEX"] == "1" else 0.1
      with open(os.environ["TONY_PROGRESS_FILE"], "a") as progress:
          while not os.path.exists("GO"):
              time.sleep(pause)
              step += 1
              progress.write("step %d loss=%.3f\\n" % (step, 1 / step))
              progress.flush()
      """;

  @Test
  public void shouldNameTheRankForWhichTheOthersWait() throws Exception {
    Path go = folder.getRoot().toPath().resolve("go");
    Files.writeString(
        folder.newFolder("src").toPath().resolve("train.py"), PROGRAM.replace("GO", go.toString()));
    try (TonyCommand tony =
        submit(
            "-executes",
            "train.py",
            "-python_binary_path",
            "python3",
            "-src_dir",
            "src",
            "-conf",
            "tony.worker.instances=3",
            "-conf",
            "tony.task.heartbeat-interval-ms=200",
            "-conf",
            "tony.task.metrics-interval-ms=500")) {
      tony.await(" is slower than its gang since ");
      Files.createFile(go);
      tony.assertExit(0);

      String application = tony.application();
      // A machine that is busy for a while may have it keep up again, and fall behind once more.
      List<JobEvent> all = events(application, JobEvent.Type.STRAGGLER);
      for (JobEvent event : all) {
        assertEquals(all.toString(), new TaskId("worker", 1), event.task());
      }
      JobEvent named = all.get(0);
      String message = named.detail("message");
      assertTrue(
          message,
          message.matches(
              "worker:1 on "
                  + named.detail("node")
                  + " is slower than its gang since \\S+Z: its progress goes on by \\d\\.\\d a second,"
                  + " the median of 3 worker tasks by \\d+\\.\\d"));
      assertTrue(tony.lines().contains(message));
      assertTrue(
          events(application, JobEvent.Type.ADVICE).stream()
              .anyMatch(advice -> advice.detail("text").startsWith(message)));
      assertGoodput(tony, application);
    }
  }

  private void assertGoodput(TonyCommand tony, String application) throws Exception {
    List<JobEvent> told = events(application, JobEvent.Type.GOODPUT);
    assertEquals(told.toString(), 1, told.size());
    Goodput goodput = Goodput.of(told.get(0));
    assertTrue(goodput.toString(), goodput.trainingMs() > 15_000 && goodput.totalLostMs() == 0);
    String line = GoodputLine.of(goodput);
    assertTrue(tony.lines().contains(line));
    try (TonyCommand timeline = tony("timeline", application)) {
      timeline.assertExit(0);
      assertTrue(timeline.text(), timeline.lines().contains(line));
    }
  }
}
