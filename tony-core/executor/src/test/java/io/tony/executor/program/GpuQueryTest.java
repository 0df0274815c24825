package io.tony.executor.program;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.Repository;
import io.tony.executor.ProcessWatch;
import io.tony.model.TaskUsage.GpuUsage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Programs that stand in for nvidia-smi, on a machine without a GPU. */
public class GpuQueryTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private String program(String body) throws IOException {
    // A blank, and what a shell would act upon.
    Path file = folder.newFolder("some $(folder)").toPath().resolve("nvidia-smi");
    Files.writeString(file, "#!/bin/sh\necho \"$@\" >> " + calls() + "\n" + body + "\n");
    assertTrue(file.toFile().setExecutable(true));
    return file.toString();
  }

  private Path calls() {
    return folder.getRoot().toPath().resolve("calls");
  }

  private long countCalls() throws IOException {
    return Files.exists(calls()) ? Files.readAllLines(calls()).size() : 0;
  }

  @Test
  public void shouldAskForTheUseOfAllGpusOfTheTask() throws Exception {
    GpuQuery query = new GpuQuery(program("echo '0, 43, 1024'; echo '1, 44, 512'"), 2);

    assertEquals(new GpuUsage(44, 1536), query.query());

    assertEquals(
        "--query-gpu=index,utilization.gpu,memory.used --format=csv,noheader,nounits\n",
        Files.readString(calls()));
  }

  /** What YARN's NodeManager is told by it is of no concern here. */
  @Test
  public void shouldReadTheStandInOfTheGpuCluster() throws Exception {
    String program =
        Repository.path("src-test-resources/gpu/nvidia-smi").toAbsolutePath().toString();

    assertEquals(new GpuUsage(44, 1536), new GpuQuery(program, 2).query());
  }

  @Test
  public void shouldRunNothingForATaskWithoutGpus() throws Exception {
    assertNull(new GpuQuery(program("echo '0, 43, 1024'"), 0).query());
    assertEquals(0, countCalls());
  }

  @Test
  public void shouldGiveUpAfterSomeFailures() throws Exception {
    GpuQuery query = new GpuQuery(program("echo '0, 43, 1024'; exit 9"), 1);
    for (int i = 0; i < 10; i++) {
      assertNull(query.query());
    }
    assertEquals(3, countCalls());
  }

  @Test
  public void shouldGoOnAfterASingleFailure() throws Exception {
    GpuQuery query =
        new GpuQuery(program("[ $(grep -c . " + calls() + ") = 2 ] || echo '0, 43, 1024'"), 1);
    assertNotNull(query.query());
    assertNull(query.query());
    for (int i = 0; i < 5; i++) {
      assertNotNull(query.query());
    }
  }

  @Test
  public void shouldDoWithoutAProgramThatIsMissing() throws Exception {
    assertNull(new GpuQuery(folder.getRoot() + "/nvidia-smi", 1).query());
  }

  @Test
  public void shouldEndAProgramThatHangs() throws Exception {
    GpuQuery query =
        new GpuQuery(program("echo $$ > " + folder.getRoot() + "/pid; exec sleep 4747"), 1);

    assertNull(query.query());

    long pid = Long.parseLong(Files.readString(folder.getRoot().toPath().resolve("pid")).strip());
    ProcessWatch.awaitEnd(pid);
    assertFalse(ProcessWatch.running(pid));
  }

  @Test
  public void shouldReadWhatNvidiaSmiPrints() throws Exception {
    assertEquals(new GpuUsage(0, 0), GpuQuery.parse("0, 0, 0\n", 1));
    assertEquals(new GpuUsage(100, 81_559), GpuQuery.parse("3, 100, 81559\n", 1));
    assertEquals(new GpuUsage(50, 3), GpuQuery.parse("0, 100, 1\n1, 0, 2\n\n", 2));
    for (String other :
        new String[] {
          "", "0, [N/A], 12\n", "0, 3\n", "No devices were found\n", "0, 1, 1\n1, 1, 1"
        }) {
      assertThrows(other, IOException.class, () -> GpuQuery.parse(other, 1));
    }
  }
}
