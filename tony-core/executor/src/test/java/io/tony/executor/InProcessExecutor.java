package io.tony.executor;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;

import io.tony.container.LocalStaging;
import io.tony.container.Staging;
import io.tony.executor.bridge.HadoopStore;
import io.tony.executor.program.ProcessGroup;
import io.tony.executor.settings.ExecutorSettings;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.process.Spawner;
import io.tony.protocol.JobKey;
import io.tony.protocol.proto.TonyProtos.Entry;
import io.tony.protocol.proto.TonyProtos.ExitedRequest;
import io.tony.protocol.proto.TonyProtos.HeartbeatResponse;
import io.tony.protocol.proto.TonyProtos.RegisterRequest;
import io.tony.protocol.proto.TonyProtos.StartedRequest;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** Runs an executor in this JVM; the test is its ApplicationMaster. */
public abstract class InProcessExecutor {
  public static final TaskId WORKER = new TaskId("worker", 0);

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  public final JobKey jobKey = JobKey.random(LocalStaging.APPLICATION);
  public final CompletableFuture<Void> end = new CompletableFuture<>();
  public Path folder;
  public Staging staging;
  public ServedMaster master;
  public ServedMaster successor;
  public HeartbeatResponse lastTold; // by the first, as the successor is told
  public LivingExecutor executor;

  public Duration masterLost = Duration.ofMinutes(5);
  public Duration hang = Duration.ZERO;
  public Duration holdOnFailure = Duration.ZERO;
  public boolean reusePort;
  public String networkInterface = "";
  public ExecutorSettings.Preflight preflight =
      new ExecutorSettings.Preflight("", Duration.ofMinutes(1), 0);

  @Before
  public void serve() throws Exception {
    folder = temporary.getRoot().toPath();
    NamedPipe.make(folder.resolve("pipe"));
    staging = LocalStaging.create(temporary.newFolder("staging"));
    master = new ServedMaster(jobKey);
    master.announce(staging);
  }

  @After
  public void close() throws InterruptedException {
    if (executor != null) {
      executor.end();
    }
    master.close();
    if (successor != null) {
      successor.close();
    }
  }

  public ExecutorLoop live() throws IOException {
    ExecutorSettings settings =
        new ExecutorSettings(
            new TaskKey(WORKER, 1, "container_7"),
            "127.0.0.1",
            master.address(),
            "auth",
            staging.master().toString(),
            masterLost,
            Duration.ofMillis(50),
            hang,
            holdOnFailure,
            Duration.ofSeconds(20),
            2,
            true,
            reusePort,
            networkInterface,
            false,
            preflight,
            new ExecutorSettings.Sampling(Duration.ofMillis(100), 0, "nvidia-smi"));
    executor =
        LivingExecutor.begin(
            settings,
            jobKey,
            folder,
            (hadoop, tokens) ->
                new TaskCheckpoints(
                    folder, new HadoopStore(hadoop, tokens, "container_7"), Spawner.SYSTEM),
            Spawner.SYSTEM,
            end);
    return executor.life();
  }

  /** Waits until a program has written a line to the pipe, and gives the line. */
  public String told() throws IOException {
    String line = null;
    while (line == null) {
      try (BufferedReader reader = Files.newBufferedReader(folder.resolve("pipe"))) {
        line = reader.readLine();
      }
    }
    return line;
  }

  /** The one that runs the next program, once it is there. */
  public long awaitShell() throws InterruptedException {
    while (true) {
      Optional<ProcessHandle> shell =
          ProcessHandle.current()
              .children()
              .filter(
                  child ->
                      child
                          .info()
                          .commandLine()
                          .orElse("")
                          .contains(
                              folder + "/" + ProcessGroup.EXECUTOR_FOLDER + "/start-program.sh"))
              .findAny();
      if (shell.isPresent()) {
        return shell.get().pid();
      }
      Thread.sleep(5);
    }
  }

  public static List<Entry> outputs(String key, String value) {
    return List.of(Entry.newBuilder().setKey(key).setValue(value).build());
  }

  public RegisterRequest registered(int attempt) throws InterruptedException {
    RegisterRequest request = master.next(RegisterRequest.class);
    assertEquals("worker", request.getTask().getRole());
    assertEquals(attempt, request.getTask().getAttempt());
    assertEquals("container_7", request.getTask().getContainer());
    assertFalse(request.hasPid());
    return request;
  }

  public long started(int attempt) throws InterruptedException {
    StartedRequest request = master.next(StartedRequest.class);
    assertEquals(attempt, request.getTask().getAttempt());
    return request.getPid();
  }

  public ExitedRequest exited(int attempt) throws InterruptedException {
    ExitedRequest request = master.next(ExitedRequest.class);
    assertEquals(attempt, request.getTask().getAttempt());
    return request;
  }

  public ExitedRequest exitOf(String command, String... environment) throws Exception {
    live();
    registered(1);
    master.start(1, command, environment);
    started(1);
    return exited(1);
  }

  public void assertEnded() throws Exception {
    end.get();
    assertFalse(master.toldMore());
  }
}
