package io.tony.executor.program;

import static org.junit.Assert.assertTrue;

import io.tony.executor.NamedPipe;
import io.tony.executor.rpc.UsageSample;
import io.tony.executor.settings.ExecutorSettings;
import io.tony.process.Spawner;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** What is seen of real processes, which tell by a named pipe how far they are. */
public class UsageSamplerTest {
  /**
   * A child of the program's shell: it uses memory, then a core, then neither. To get the memory
   * alone may cost it more than a second.
   */
  private static final String PROGRAM =
      """
      import time
      held = b"x" * (200 << 20)
      while time.process_time() < 1:
          pass
      open("pipe", "w").write("full %f\\n" % time.process_time())
      open("go").read()
      del held
      open("pipe", "w").write("empty\\n")
      open("go").read()
      """;

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private Path folder;
  private ProcessGroup program;

  @Before
  public void start() throws IOException, InterruptedException {
    folder = temporary.getRoot().toPath();
    for (String pipe : new String[] {"pipe", "go"}) {
      NamedPipe.make(folder.resolve(pipe));
    }
    Files.writeString(folder.resolve("program.py"), PROGRAM);
    program = ProcessGroup.prepare(folder, folder);
    program.run("python3 program.py; true", Map.of());
  }

  @After
  public void kill() {
    program.kill();
  }

  /** Returns what follows the word. */
  private String awaitWord(String word) {
    String line = null;
    while (line == null) {
      try (BufferedReader pipe = Files.newBufferedReader(folder.resolve("pipe"))) {
        line = pipe.readLine();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    assertTrue(line, line.startsWith(word));
    return line.substring(word.length());
  }

  private void go() throws IOException {
    Files.writeString(folder.resolve("go"), "\n");
  }

  private static UsageSample next(UsageSampler sampler) {
    UsageSample sample = sampler.takeLatest();
    while (sample == null) {
      Thread.onSpinWait(); // the program is the clock
      sample = sampler.takeLatest();
    }
    return sample;
  }

  @Test
  public void shouldSampleMemoryAndCpuOfTheWholeTree() throws Exception {
    ExecutorSettings.Sampling often =
        new ExecutorSettings.Sampling(Duration.ofMillis(100), 0, "no-such-program");
    try (UsageSampler sampler = UsageSampler.start(program.newScanner(), often, Spawner.SYSTEM)) {
      awaitWord("full");
      next(sampler); // it may have been taken before,
      next(sampler); // or begun,
      next(sampler); // and this one's time with that one
      UsageSample full = next(sampler);
      assertTrue(full.toString(), full.memoryMiB() >= 200 && full.memoryMiB() < 260);
      assertTrue(full.toString(), full.peakMiB() >= full.memoryMiB());
      assertTrue(full.toString(), full.executorMiB() > 20);
      assertTrue(full.toString(), full.cores() < 0.5);

      go();
      awaitWord("empty");
      next(sampler);
      next(sampler);
      UsageSample empty = next(sampler);
      assertTrue(empty.toString(), empty.memoryMiB() < 60);
      assertTrue(empty.toString(), empty.peakMiB() >= 200 && empty.peakMiB() < 260);
      go();
    }
  }

  /** A machine may have no core to spare: what is known is how much time the program has used. */
  @Test
  public void shouldAddUpToTheTimeThatTheProgramUsed() throws Exception {
    // A sample that nobody has taken when the next one comes is lost, and its time with it.
    ExecutorSettings.Sampling seldom =
        new ExecutorSettings.Sampling(Duration.ofMillis(500), 0, "no-such-program");
    double seconds = 0;
    CompletableFuture<String> full = CompletableFuture.supplyAsync(() -> awaitWord("full"));
    try (UsageSampler sampler = UsageSampler.start(program.newScanner(), seldom, Spawner.SYSTEM)) {
      for (int after = 0; after < 3; after += full.isDone() ? 1 : 0) {
        UsageSample sample = next(sampler);
        seconds += sample.cores() * sample.spanMs() / 1000;
      }
    }
    double used = Double.parseDouble(full.get());
    String both = seconds + " s of " + used + " s";
    assertTrue(both, seconds > 0.9 * used && seconds < 1.1 * used + 0.4);
  }

  @Test
  public void shouldKnowOfMemoryThatCameAndWentBetweenTwoLooks() throws Exception {
    awaitWord("full");
    go();
    awaitWord("empty");

    ProcessTree.Memory memory = program.newScanner().scan().memory();

    assertTrue(memory.toString(), memory.resident() < 60 * 1024);
    assertTrue(memory.toString(), memory.peak() >= 200 * 1024 && memory.peak() < 260 * 1024);
    go();
  }
}
