package io.tony.timeline;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.Repository;
import io.tony.eventlog.WholeLog;
import java.io.File;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.Test;

/** Logs that release 0.1.0 wrote on a cluster have timelines. */
public class ReleasedTimelineTest {
  private static Timeline timeline(String name) throws IOException {
    File folder =
        Repository.path("tony-core/base/src/test/resources/event-log/0.1.0").resolve(name).toFile();
    FileSystem fs = FileSystem.getLocal(new Configuration()).getRawFileSystem();
    Timeline timeline = Timeline.of(WholeLog.read(fs, new Path(folder.toURI())), YarnTimes.UNKNOWN);
    TimelineTest.assertWhole(timeline);
    assertEquals(timeline.remarks().toString(), 0, timeline.remarks().size());
    return timeline;
  }

  private static long marks(Timeline timeline, Mark.Kind kind) {
    return timeline.marks().stream().filter(mark -> mark.kind() == kind).count();
  }

  @Test
  public void shouldShowStartsOfOneTaskAndOfTheGang() throws IOException {
    Timeline timeline = timeline("restarts");
    assertEquals(2, marks(timeline, Mark.Kind.GANG_RESTART));
    assertEquals(1, marks(timeline, Mark.Kind.TASK_RESTART));
    assertEquals(3, timeline.allocatedTaskCount());
    assertTrue(timeline.byStage().containsKey(Stage.RUNNING));
  }

  @Test
  public void shouldShowAFailover() throws IOException {
    assertEquals(1, marks(timeline("failover"), Mark.Kind.MASTER));
  }

  @Test
  public void shouldShowAGangThatWaitedAndWasKilled() throws IOException {
    Timeline timeline = timeline("waiting");
    assertTrue(timeline.byStage().containsKey(Stage.BACKING_OFF));
    assertEquals(1, marks(timeline, Mark.Kind.STOP));
  }

  @Test
  public void shouldShowAFailure() throws IOException {
    Timeline timeline = timeline("failed");
    assertEquals(TaskAttempt.End.FAILED, timeline.attempts().get(0).end());
  }
}
