package io.tony.azkaban4;

import static org.junit.Assert.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.rules.TestRule;
import org.junit.runner.Description;
import org.junit.runners.model.Statement;

/**
 * After each test the job type has left nothing on Azkaban's machine: no process of a client, and
 * no temporary folder of an attempt. What a test leaves is its failure, and is taken away before
 * the next one.
 */
final class LeavesNoClient implements TestRule {

  /** The tests share an Azkaban, and the first of them starts it. */
  @FunctionalInterface
  interface Started {
    Azkaban4 azkaban() throws IOException, InterruptedException;
  }

  /** For a client to end whose job is over, and for its job type to see that. */
  private static final Duration GONE_WITHIN = Duration.ofSeconds(20);

  private final Started started;

  LeavesNoClient(Started started) {
    this.started = started;
  }

  @Override
  public Statement apply(Statement test, Description description) {
    return new Statement() {
      @Override
      public void evaluate() throws Throwable {
        Azkaban4 azkaban = started.azkaban();
        try {
          test.evaluate();
          assertEquals(List.of(), awaitNothing(azkaban));
        } finally {
          azkaban.clients().forEach(ProcessHandle::destroyForcibly);
          for (Path folder : azkaban.attemptFolders()) {
            delete(folder);
          }
        }
      }
    };
  }

  private static List<String> awaitNothing(Azkaban4 azkaban)
      throws IOException, InterruptedException {
    long deadline = System.nanoTime() + GONE_WITHIN.toNanos();
    List<String> left = left(azkaban);
    while (!left.isEmpty() && System.nanoTime() < deadline) {
      Thread.sleep(100);
      left = left(azkaban);
    }
    return left;
  }

  private static List<String> left(Azkaban4 azkaban) throws IOException {
    List<String> left = new ArrayList<>();
    azkaban.clients().forEach(client -> left.add("client " + client.pid()));
    azkaban.attemptFolders().forEach(folder -> left.add("folder " + folder));
    return left;
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : (Iterable<Path>) files.sorted(Comparator.reverseOrder())::iterator) {
        Files.deleteIfExists(file);
      }
    }
  }
}
