package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.testing.TonyCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.Rule;
import org.junit.Test;

/** Executors and clients that may have no more processes and threads. */
public class ShortageIT extends ClusterTest {
  /** A client's JVM has some 15 threads before its first line, and wants some 27 in all. */
  private static final List<Integer> TOO_FEW = List.of(16, 18, 20, 22);

  private static final int ENOUGH = 60;

  /** What a client says by which its job is not to be judged, by its exit codes. */
  private static final Map<Integer, String> SENTENCES =
      Map.of(3, "FAILED (LOST): ", 6, " of this client has ended: ");

  /** Around the rule that waits until nothing runs. */
  @Rule(order = 0)
  public final PidsCgroup group = new PidsCgroup();

  /** How the program ended is told as it is, and why it could not be started again. */
  @Test
  public void shouldTellTheFailuresOfATaskWhoseExecutorCanHaveNoMoreThreads() throws Exception {
    Path go = folder.getRoot().toPath().resolve("go");
    try (TonyCommand tony =
        submit(
            "-executes",
            "until [ -e '" + go + "' ]; do sleep 0.1; done; exit 7",
            "-conf",
            "tony.worker.instances=1",
            "-conf",
            "tony.gang.max-restarts=1")) {
      tony.await("1/1 tasks running");
      group.limit(executors().values().iterator().next(), 1);
      Files.createFile(go);
      tony.assertExit(1);

      String said = tony.text();
      assertTrue(said, said.contains("started again (PROGRAM, 0 more after this"));
      assertTrue(said, said.contains("1 of 1 containers are kept): worker:0 exited with code 7"));
      assertTrue(said, said.contains("(PROGRAM): worker:0: the program could not be run: no thr"));
      assertEquals("FAILED", status(tony.application()));
    }
  }

  @Test
  public void shouldTellTheEndOfAJobWhoseClientCanHaveNoMoreThreads() throws Exception {
    try (TonyCommand tony = submit("-executes", "sleep 5151", "-conf", "tony.worker.instances=1")) {
      tony.await("1/1 tasks running");
      group.limit(tony.process().pid(), 1);
      try (TonyCommand kill = tony("kill", tony.application())) {
        kill.assertExit(0);
      }
      tony.assertExit(4);

      assertTrue(tony.text(), tony.text().contains("(KILLED)"));
      assertEquals("KILLED", status(tony.application()));
    }
  }

  /** Each ends with a sentence of its own, and leaves nothing behind. */
  @Test
  public void shouldEndAClientThatHasTooFewThreads() throws Exception {
    for (int most : TOO_FEW) {
      try (TonyCommand tony = submitWith(most)) {
        int code = tony.exitCode();
        String said =
            tony.lines().stream()
                .filter(line -> !line.contains("[warning][os,thread]")) // so says the JVM
                .collect(Collectors.joining("\n"));
        String text = most + " threads, exit code " + code + ": " + said;
        assertTrue(text, SENTENCES.containsKey(code));
        assertTrue(text, said.contains(SENTENCES.get(code)));
        assertTrue(text, said.contains("unable to create native thread"));
      }
      nothingIsLeft();
    }
    try (TonyCommand tony = submitWith(ENOUGH)) {
      tony.assertExit(0);
    }
  }

  private TonyCommand submitWith(int threads) throws Exception {
    TonyCommand tony = submit("-executes", "true", "-conf", "tony.worker.instances=1");
    group.limit(tony.process().pid(), threads);
    return tony;
  }

  private static String status(String application) throws Exception {
    List<JobEvent> all = events(application);
    return all.get(all.size() - 1).detail("status");
  }
}
