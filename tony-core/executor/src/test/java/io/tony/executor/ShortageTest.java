package io.tony.executor;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.checkpoint.CheckpointName;
import io.tony.container.LocalStaging;
import io.tony.container.Staging;
import io.tony.executor.checkpoint.TestingStore;
import io.tony.executor.settings.ExecutorSettings;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.process.ScarceKernel;
import io.tony.process.Spawner;
import io.tony.protocol.JobKey;
import io.tony.protocol.proto.TonyProtos.Checkpoints;
import io.tony.protocol.proto.TonyProtos.ExitedRequest;
import io.tony.protocol.proto.TonyProtos.RegisterRequest;
import io.tony.protocol.proto.TonyProtos.StartedRequest;
import io.tony.protocol.proto.TonyProtos.UploadSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.thirdparty.protobuf.Message;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/**
 * The life of an executor in which one thread, or one process, cannot be had, each in its turn. The
 * executor tells how its program ended, or ends itself, which YARN tells; it is never silent.
 */
public class ShortageTest {
  private static final Duration SILENCE = Duration.ofSeconds(30);

  /** A life in full needs more: the test knows by it that it has seen them all. */
  private static final int MIN_THREADS = 15;

  private static final int MIN_PROCESSES = 3;

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(300);

  private final Thread.UncaughtExceptionHandler before =
      Thread.getDefaultUncaughtExceptionHandler();
  private final List<String> outcomes = new ArrayList<>();
  private volatile CompletableFuture<Void> end;

  @Before
  public void endWithAThread() {
    // As TaskExecutor does.
    Thread.setDefaultUncaughtExceptionHandler((thread, e) -> end.completeExceptionally(e));
  }

  @After
  public void restore() {
    Thread.setDefaultUncaughtExceptionHandler(before);
  }

  /** Through a failover, with a checkpoint that is named, to a stop that asks for the stacks. */
  private final class Life {
    private final JobKey jobKey = JobKey.random("application_1_0001");
    private final Path folder = temporary.newFolder().toPath();
    private final TestingStore store = new TestingStore();
    private final Staging staging = LocalStaging.create(temporary.newFolder());
    private final Spawner spawner;
    private ServedMaster master = new ServedMaster(jobKey);
    private boolean failedOver;
    private int exits;

    Life(Spawner.Kernel kernel) throws IOException {
      this.spawner = new Spawner(kernel);
    }

    private ExecutorSettings settings() {
      return new ExecutorSettings(
          new TaskKey(new TaskId("worker", 0), 1, "container_7"),
          "127.0.0.1",
          master.address(),
          "auth",
          staging.master().toString(),
          Duration.ofMinutes(5),
          Duration.ofMillis(50),
          Duration.ZERO,
          Duration.ZERO,
          Duration.ofSeconds(20),
          2,
          true,
          false,
          "",
          false,
          new ExecutorSettings.Preflight("true", Duration.ofMinutes(1), 0),
          new ExecutorSettings.Sampling(Duration.ofMillis(100), 0, "nvidia-smi"));
    }

    private LivingExecutor begin() throws IOException {
      return LivingExecutor.begin(
          settings(),
          jobKey,
          folder,
          (hadoop, tokens) -> new TaskCheckpoints(folder, store, spawner),
          spawner,
          end);
    }

    /** How it ended, for people. */
    String lead() throws Exception {
      end = new CompletableFuture<>();
      LivingExecutor executor = begin();
      try {
        long deadline = System.nanoTime() + SILENCE.toNanos();
        while (!end.isDone() && System.nanoTime() - deadline < 0) {
          Message told = master.next(Duration.ofMillis(50));
          if (told != null) {
            hear(told);
          }
        }
        end.get(1, TimeUnit.MILLISECONDS);
        hearTheRest();
        assertTrue("it has ended, and told of no end of its program", exits > 0);
        return "told";
      } catch (ExecutionException e) {
        return "lost: " + e.getCause().getMessage();
      } finally {
        executor.end();
        master.close();
      }
    }

    /** It may have ended between two looks. */
    private void hearTheRest() throws IOException, InterruptedException {
      Message told;
      while ((told = master.next(Duration.ZERO)) != null) {
        hear(told);
      }
    }

    private void hear(Message told) throws IOException {
      if (told instanceof RegisterRequest && failedOver) {
        master.stop(1, true);
      } else if (told instanceof RegisterRequest) {
        master.start(
            1, "echo x > a.pt; echo a.pt > $TONY_CHECKPOINT_FILE; exec sleep 1000", keeping());
      } else if (told instanceof StartedRequest && !failedOver) {
        master.close();
        failedOver = true;
        master = new ServedMaster(jobKey, "authentication", 0, 2);
        master.announce(staging);
      } else if (told instanceof ExitedRequest) {
        exits++;
        master.stop(1);
      }
    }
  }

  private static Checkpoints keeping() {
    return Checkpoints.newBuilder()
        .setFolder("hdfs://c/x/.tony")
        .setUpload(
            UploadSettings.newBuilder()
                .setGeneration(CheckpointName.generation("application_1_2", 0))
                .setCounted(0)
                .setTasks(1)
                .setTraining("ab")
                .setApplication("application_1_2"))
        .setCopyTimeoutMs(Duration.ofMinutes(5).toMillis())
        .build();
  }

  @Test
  public void shouldTellOrEndWhicheverThreadCannotBeHad() throws Exception {
    int first = 1;
    ScarceKernel kernel;
    do {
      kernel = ScarceKernel.withoutThreads(first, 1);
      outcomes.add("thread " + first + ": " + new Life(kernel).lead());
      first++;
    } while (kernel.threads() >= first - 1);
    outcomes.forEach(System.out::println);
    assertTrue(outcomes.toString(), outcomes.size() > MIN_THREADS);
    assertEquals("told", outcomes.get(outcomes.size() - 1).replaceFirst(".*: ", ""));
  }

  /** For longer: whoever tries again has to try more than once. */
  @Test
  public void shouldTellOrEndWhicheverThreadsCannotBeHad() throws Exception {
    for (int first = 1; first <= MIN_THREADS; first += 2) {
      outcomes.add(new Life(ScarceKernel.withoutThreads(first, 4)).lead());
    }
    assertEquals(outcomes.toString(), 8, outcomes.size());
  }

  @Test
  public void shouldTellOrEndWhicheverProcessCannotBeHad() throws Exception {
    int first = 1;
    ScarceKernel kernel;
    do {
      kernel = ScarceKernel.withoutProcesses(first, 1);
      outcomes.add("process " + first + ": " + new Life(kernel).lead());
      first++;
    } while (kernel.processes() >= first - 1);
    outcomes.forEach(System.out::println);
    assertTrue(outcomes.toString(), outcomes.size() > MIN_PROCESSES);
  }
}
