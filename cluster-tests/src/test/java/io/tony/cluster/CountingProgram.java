package io.tony.cluster;

import static org.junit.Assert.assertEquals;

import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.yarn.api.records.ContainerId;

/**
 * A program that counts to forty, names a checkpoint every five steps, and when YARN is going to
 * take containers, and goes on from the one that it is given. Whatever else it does it is told
 * while it runs, by files in a test's folder, and what it did is in a log there.
 *
 * @param folder of the test: its job is submitted there
 */
record CountingProgram(Path folder) {
  /** So many steps are between two checkpoints. */
  static final int EVERY = 5;

  private static final String SCRIPT =
      """
      import os, signal, sys, time

      ENV = os.environ
      ME = "@folder@/" + ENV["JOB_NAME"] + ":" + ENV["TASK_INDEX"]
      LATEST = ENV.get("TONY_CHECKPOINT_LATEST")
      LOCAL = ENV["TONY_CHECKPOINT_LOCAL"]
      log = open(ME + ".log", "a", buffering=1)


      def tell(*words):
          start = ENV["CONTAINER_ID"] + "/" + ENV["TONY_ATTEMPT"]
          log.write(" ".join([start, *map(str, words)]) + "\\n")


      def is_told(what):
          return os.path.exists(ME + "." + what)


      def name_checkpoint():
          path = f"{LOCAL}/step-{step}.txt"
          with open(path, "w") as checkpoint:
              checkpoint.write(str(step))
          tell("named", step)
          with open(ENV["TONY_CHECKPOINT_FILE"], "a") as names:
              names.write(f"{path} step={step}\\n")


      def end(*_):
          time.sleep(0.5)  # a checkpoint is not written at once
          name_checkpoint()
          sys.exit(143)


      step = int(open(LATEST).read()) if LATEST else 0
      with open(ME + ".dir", "w") as folder:
          folder.write(ENV["TONY_CHECKPOINT_DIR"])
      if is_told("name-at-the-end"):
          signal.signal(signal.SIGTERM, end)
      told = ENV.get("TONY_CHECKPOINT_STEP", "-"), os.path.basename(LATEST or "-")
      kept = os.path.basename(os.path.dirname(LATEST)) if LATEST else "-"
      tell("begin", step, ENV["TASK_NUM"], kept, *told, len(os.listdir(LOCAL)))
      while step < 40 or is_told("go-on"):
          while is_told(f"wait-after-{step}"):
              time.sleep(0.02)
          step += 1
          tell("step", step)
          announced = os.path.exists(ENV["TONY_CHECKPOINT_ASKED"])
          if announced:
              os.remove(ENV["TONY_CHECKPOINT_ASKED"])
          if (step % 5 == 0 or announced) and "TONY_CHECKPOINT_FILE" in ENV:
              name_checkpoint()
          if is_told(f"fail-after-{step}"):
              os.remove(ME + f".fail-after-{step}")
              sys.exit(f"fails after step {step}")
          time.sleep(0.02)
      """;

  /**
   * One start of a task's program.
   *
   * @param container in which it ran
   * @param attempt its number, which no other start in the container has
   * @param begin the step that it went on from, as its checkpoint says; 0 for none
   * @param tasks how many its role had
   * @param from the set that its checkpoint is of, {@code -} for none
   * @param told what else it knew of that: the step and the name of the file, {@code -} for none,
   *     and how many files there were already where it was to write new ones
   * @param steps that it counted, in their order
   * @param named steps whose checkpoints it was about to name
   */
  record Start(
      String container,
      int attempt,
      long begin,
      long tasks,
      String from,
      String told,
      List<Long> steps,
      List<Long> named) {
    String application() {
      return ContainerId.fromString(container)
          .getApplicationAttemptId()
          .getApplicationId()
          .toString();
    }

    /** The last step that it counted, or that was counted before it. */
    long end() {
      return begin + steps.size();
    }

    /** Nothing was left out and nothing came twice, and both sources say where it began. */
    void assertWentOn() {
      assertEquals(begin == 0 ? "- - 0" : begin + " step-" + begin + ".txt 0", told);
      for (int i = 0; i < steps.size(); i++) {
        assertEquals(steps.toString(), begin + 1 + i, (long) steps.get(i));
      }
    }
  }

  /** Writes it where {@link #arguments} looks for it. */
  static CountingProgram in(Path folder) throws IOException {
    Files.createDirectories(folder.resolve("src"));
    Files.writeString(
        folder.resolve("src/count.py"),
        SCRIPT.replace("@folder@", folder.toString()),
        StandardCharsets.UTF_8);
    return new CountingProgram(folder);
  }

  /** What {@code tony submit} is to be told. */
  String[] arguments(String... more) {
    List<String> all =
        new ArrayList<>(
            List.of("-executes", "count.py", "-python_binary_path", "python3", "-src_dir", "src"));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  private Path file(String task, String kind) {
    return folder.resolve(task + "." + kind);
  }

  /** As {@code wait-after-7}, {@code fail-after-12}, {@code go-on} or {@code name-at-the-end}. */
  void tell(String task, String what) throws IOException {
    Files.createFile(file(task, what));
  }

  /** It shall do so no longer. */
  void takeBack(String task, String what) throws IOException {
    Files.delete(file(task, what));
  }

  /** The {@code TONY_CHECKPOINT_DIR} of the task's last start. */
  String checkpointDir(String task) throws IOException {
    return Files.readString(file(task, "dir"), StandardCharsets.UTF_8);
  }

  /** All that have begun, through all applications of the test. */
  List<Start> starts(String task) throws IOException {
    Map<String, Start> starts = new LinkedHashMap<>();
    if (Files.exists(file(task, "log"))) {
      for (String line : Files.readAllLines(file(task, "log"), StandardCharsets.UTF_8)) {
        String[] words = line.split(" ", 4);
        Start start = starts.get(words[0]);
        switch (words.length < 3 ? "" : words[1]) {
          case "begin" -> {
            assertEquals("two starts are " + words[0], null, start);
            String[] key = words[0].split("/", 2);
            String[] more = words[3].split(" ", 3);
            starts.put(
                words[0],
                new Start(
                    key[0],
                    Integer.parseInt(key[1]),
                    Long.parseLong(words[2]),
                    Long.parseLong(more[0]),
                    more[1],
                    more[2],
                    new ArrayList<>(),
                    new ArrayList<>()));
          }
          case "step" -> start.steps().add(Long.valueOf(words[2]));
          case "named" -> start.named().add(Long.valueOf(words[2]));
          default -> {} // the program is killed while it writes, or is writing
        }
      }
    }
    return List.copyOf(starts.values());
  }

  /** Waits until the task's start of this number, from 0, has counted so many steps. */
  void awaitSteps(TonyCommand tony, String task, int start, int steps)
      throws IOException, InterruptedException {
    Looks.await(
        tony,
        steps + " steps in start " + start + " of " + task,
        () -> starts(task).size() > start && starts(task).get(start).steps().size() >= steps);
  }
}
