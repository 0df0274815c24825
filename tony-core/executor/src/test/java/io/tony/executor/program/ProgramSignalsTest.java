package io.tony.executor.program;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.executor.NamedPipe;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/**
 * Every signal, to the program and to its process group, while it starts, runs, stops and ends: a
 * program sees what it would see under a plain {@code bash script}.
 */
public class ProgramSignalsTest {
  private static final int KILL = 9;
  private static final int TERM = 15;
  private static final int CHLD = 17;
  private static final int STOP = 19;

  /** The C library has 32 and 33 for itself. */
  private static final List<Integer> ALL =
      IntStream.rangeClosed(1, 64).filter(n -> n != 32 && n != 33).boxed().toList();

  private static final List<String> TARGETS = List.of("$$", "0");

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(120);

  private Path folder;
  private ProcessGroup program;

  private record Seen(int code, String output) {}

  @Before
  public void makePipe() throws IOException, InterruptedException {
    folder = temporary.getRoot().toPath();
    NamedPipe.make(folder.resolve("pipe"));
  }

  @After
  public void killWhatIsLeft() {
    if (program != null) {
      program.kill();
    }
  }

  private ProcessGroup start(String command) throws IOException {
    program = ProcessGroup.prepare(folder, folder);
    program.run(command, Map.of());
    return program;
  }

  /** As the program of a task. */
  private Seen underTony(String command) throws IOException {
    Files.deleteIfExists(folder.resolve("stdout"));
    int code = start(command).ended().join();
    return new Seen(code, Files.readString(folder.resolve("stdout")));
  }

  private Process plain(String command) throws IOException {
    Path file = Files.writeString(folder.resolve("plain.sh"), command + "\n");
    return new ProcessBuilder("setsid", "bash", file.toString())
        .directory(folder.toFile())
        .redirectInput(Path.of("/dev/null").toFile())
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .redirectOutput(folder.resolve("plain").toFile())
        .start();
  }

  /** As it would be without TonY. */
  private Seen alone(String command) throws IOException, InterruptedException {
    int code = plain(command).waitFor();
    return new Seen(code, Files.readString(folder.resolve("plain")));
  }

  private void awaitLine() throws IOException {
    try (BufferedReader pipe = Files.newBufferedReader(folder.resolve("pipe"))) {
      pipe.readLine();
    }
  }

  private static void send(int signal, long target) throws IOException, InterruptedException {
    String[] command = {"bash", "-c", "kill -" + signal + " -- " + target};
    new ProcessBuilder(command).start().waitFor();
  }

  private static String handle(List<Integer> signals) {
    StringBuilder script = new StringBuilder();
    signals.forEach(n -> script.append("trap 'echo got " + n + "' " + n + "; "));
    return script.toString();
  }

  private static String ignore(List<Integer> signals) {
    StringBuilder script = new StringBuilder();
    signals.forEach(n -> script.append("trap '' " + n + "; "));
    return script.toString();
  }

  private static String kill(String target, List<Integer> signals) {
    StringBuilder script = new StringBuilder();
    signals.forEach(
        signal ->
            script.append("kill -" + signal + ' ' + target + "; echo after " + signal + "; "));
    return script.toString();
  }

  private static List<Integer> catchable() {
    return ALL.stream().filter(signal -> signal != KILL && signal != STOP).toList();
  }

  // ---- While it runs ----

  /** What becomes of a program that sends a signal to a target, for all signals. */
  private Map<Integer, Seen> aloneWithEach(String target) throws Exception {
    String signals = String.join(" ", ALL.stream().map(String::valueOf).toList());
    String seen =
        alone(
                "for n in "
                    + signals.replace(STOP + " ", "")
                    + "; do setsid bash -c \"kill -$n "
                    + target.replace("$", "\\$")
                    + "; echo goes on; exit 3\" > each; echo \"$n $? $(<each)\"; done")
            .output();
    Map<Integer, Seen> each = new TreeMap<>();
    seen.lines()
        .map(line -> line.split(" ", 3))
        .forEach(
            words ->
                each.put(
                    Integer.valueOf(words[0]),
                    new Seen(
                        Integer.parseInt(words[1]), words[2].isEmpty() ? "" : words[2] + "\n")));
    return each;
  }

  @Test
  public void shouldBeEndedBySignalsAsAnyProgramIs() throws Exception {
    for (String target : TARGETS) {
      Map<Integer, Seen> each = new TreeMap<>(aloneWithEach(target));
      for (int signal : each.keySet()) {
        String command = "kill -" + signal + ' ' + target + "; echo goes on; exit 3";
        assertEquals(signal + " to " + target, each.get(signal), underTony(command));
      }
    }
  }

  @Test
  public void shouldHandleSignalsAsAnyProgramDoes() throws Exception {
    for (String target : TARGETS) {
      String command = handle(catchable()) + kill(target, catchable()) + "exit 3";

      Seen seen = underTony(command);

      assertEquals(alone(command), seen);
      assertTrue(seen.output(), seen.output().contains("got 10\nafter 10\n"));
      assertEquals(3, seen.code());
    }
  }

  @Test
  public void shouldIgnoreSignalsAsAnyProgramDoes() throws Exception {
    for (String target : TARGETS) {
      String command = ignore(catchable()) + kill(target, catchable()) + "exit 3";

      Seen seen = underTony(command);

      assertEquals(alone(command), seen);
      assertEquals(3, seen.code());
    }
  }

  /** Somebody outside its group has it go on. */
  @Test
  public void shouldGoOnAfterAStopOfItsGroup() throws Exception {
    String command =
        "rm -f away; setsid bash -c ': > away; until grep -q \"^State:.T\" /proc/'$$'/status; do :; done; kill -CONT -- -'$$ &"
            + " until [[ -e away ]]; do sleep 0.01; done; kill -STOP 0; echo goes on; exit 3";

    assertEquals(new Seen(3, "goes on\n"), alone(command));
    assertEquals(new Seen(3, "goes on\n"), underTony(command));
  }

  // ---- While it starts ----

  @Test
  public void shouldBeEndedBySignalsWhileItStarts() throws Exception {
    Map<Integer, Seen> each = aloneWithEach("0");
    for (int signal : each.keySet()) {
      for (boolean waiting : List.of(true, false)) {
        program = ProcessGroup.prepare(folder, folder);
        while (Optional.ofNullable(ProcessStat.of(Long.toString(program.pid())))
                .filter(stat -> stat.session() == program.pid())
                .isEmpty()
            && program.isAlive()) {
          Thread.onSpinWait(); // until its group has begun
        }
        if (!waiting) {
          program.run("read -r line < pipe", Map.of());
        }
        send(signal, -program.pid());
        if (each.get(signal).code() != 3) {
          assertEquals(waiting + " " + signal, 128 + signal, (int) program.ended().join());
        } else {
          assertTrue(waiting + " " + signal, program.isAlive());
          program.discard();
        }
      }
    }
  }

  @Test
  public void shouldEndWhenItIsToStopWhileItStarts() throws Exception {
    for (int i = 0; i < 40; i++) {
      long delay = i * 250_000L;
      start("trap 'exit 0' TERM; read -r line < pipe");
      for (long from = System.nanoTime(); System.nanoTime() - from < delay; ) {
        Thread.onSpinWait();
      }

      program.stop(Duration.ofMinutes(1));

      int code = program.ended().join();
      assertTrue("after " + delay + " ns: " + code, code == 0 || code == 128 + TERM);
    }
  }

  // ---- While it stops ----

  @Test
  public void shouldHandleSignalsWhileItStops() throws Exception {
    // Without SIGCHLD, which it gets of its sleep as well.
    List<Integer> others =
        catchable().stream().filter(signal -> signal != TERM && signal != CHLD).toList();
    for (String target : TARGETS) {
      String command =
          handle(others)
              + "stop() { "
              + kill(target, others)
              + "exit 5; }; trap stop TERM; echo > pipe; while :; do sleep 0.1; done";
      Process plain = plain(command);
      awaitLine();
      send(TERM, plain.pid());
      int code = plain.waitFor();
      Files.deleteIfExists(folder.resolve("stdout"));
      start(command);
      awaitLine();

      program.stop(Duration.ofMinutes(1));

      assertEquals(5, code);
      assertEquals(5, (int) program.ended().join());
      assertEquals(
          Files.readString(folder.resolve("plain")), Files.readString(folder.resolve("stdout")));
    }
  }

  // ---- While it ends ----

  @Test
  public void shouldReportItsOwnExitCodeWhenTheStopComesJustThen() throws Exception {
    for (int i = 0; i < 100; i++) {
      long delay = i * 60_000L;
      start("trap '' TERM; echo > pipe; exit 0");
      awaitLine();
      for (long from = System.nanoTime(); System.nanoTime() - from < delay; ) {
        Thread.onSpinWait();
      }

      program.terminate();

      assertEquals("after " + delay + " ns", 0, (int) program.ended().join());
    }
  }

  @Test
  public void shouldReportItsOwnExitCodeWhateverItsGroupGetsJustThen() throws Exception {
    for (int signal : catchable()) {
      String command = "trap '' " + signal + "; (exec kill -" + signal + " 0) & exit 4";

      assertEquals(Integer.toString(signal), 4, underTony(command).code());
    }
  }
}
