package io.tony.eventlog;

import static org.junit.Assert.assertEquals;

import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/**
 * Whoever reads a log finds the same in it: all at once ({@link EventLog}), as it grows ({@link
 * LogTail}), and by the numbers of lines ({@link LineIndex}). The logs are of several
 * ApplicationMasters with random files, of which some begin with lines that were written before, or
 * after a hole. Another seed: {@code -Dtony.fuzz.seed}.
 */
public class LogReadersTest {
  private static final long SEED = Long.getLong("tony.fuzz.seed", 20261127L);
  private static final int LOGS = 300;

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(120);

  private final Random random = new Random(SEED);
  private FileSystem fs;

  /** What a log holds by now, and what a reader is to find of it. */
  private final class Written {
    private final Path folder;
    private final List<String> lines = new ArrayList<>(); // that every reader finds
    private Path file;
    private boolean hole; // before the file; no reader finds what is in it

    Written(Path folder) {
      this.folder = folder;
    }

    void begin(int attempt, int roll) throws IOException {
      String name = LogFile.of(hadoop(folder), attempt, roll).path().getName();
      file = folder.resolve(name);
      hole = false;
      Files.createFile(file);
    }

    /**
     * One decision; the first of a file tells its number, and may repeat lines or leave some out.
     */
    void decide(boolean numbered, boolean mayLeaveOut) throws IOException {
      int first = lines.size();
      if (numbered) {
        int kind = random.nextInt(6);
        hole = kind == 0 && mayLeaveOut;
        first = hole ? first + 1 + random.nextInt(3) : kind < 4 ? first : random.nextInt(first + 1);
      }
      List<String> again =
          hole || !numbered ? List.of() : new ArrayList<>(lines.subList(first, lines.size()));
      List<String> decision = new ArrayList<>(again);
      int more = 1 + random.nextInt(4);
      for (int i = 0; i < more; i++) {
        decision.add(line(i + 1 < more));
      }
      if (numbered) {
        decision.set(0, EventJson.withNumber(plain(decision.get(0)), first));
      }
      append(String.join("\n", decision) + "\n");
      if (!hole) {
        lines.addAll(decision.subList(again.size(), decision.size()));
      }
    }

    /** The process ends in the midst of a line, or of a decision; or a line of it is damaged. */
    void tear() throws IOException {
      String line = line(true);
      String cut = line.substring(0, random.nextInt(line.length()));
      append(
          switch (random.nextInt(6)) {
            case 3 -> cut + "\n" + line(false) + "\n"; // the cut may be at 0: an empty line
            case 4 -> line + "\n" + cut + "\n" + line(false) + "\n" + line(false) + "\n";
            case 5 -> "\n" + line(false) + "\n";
            case 0 -> line + "\n";
            case 1 -> line.substring(0, 1 + random.nextInt(line.length() - 1));
            default -> "";
          });
    }

    private void append(String text) throws IOException {
      Files.writeString(file, text, StandardCharsets.UTF_8, StandardOpenOption.APPEND);
    }
  }

  private static String plain(String line) {
    return line.replaceFirst("\"n\":\\d+,", "");
  }

  private static List<String> plain(List<String> lines) {
    return lines.stream().map(LogReadersTest::plain).toList();
  }

  private int told;

  private String line(boolean more) {
    return EventJson.write(
        new JobEvent(
            Instant.EPOCH,
            JobEvent.Type.TASK_PROGRESS,
            0,
            new TaskId("worker", 0),
            Map.of("text", "größer " + told++)),
        more);
  }

  private static org.apache.hadoop.fs.Path hadoop(Path folder) {
    return new org.apache.hadoop.fs.Path(folder.toUri());
  }

  private List<String> all(Path folder) throws IOException {
    List<String> lines = new ArrayList<>();
    for (JobEvent event : WholeLog.read(fs, hadoop(folder))) {
      lines.add(event.details().get("text"));
    }
    return lines;
  }

  private List<String> byNumbers(Path folder) throws IOException {
    LineIndex lines = new LineIndex(fs);
    LogFiles.read(
        fs,
        LogFile.list(fs, hadoop(folder)),
        new LogFiles.Visitor() {
          @Override
          public void begin(org.apache.hadoop.fs.Path file) {
            lines.begin(file);
          }

          @Override
          public void event(JobEvent event, long offset) {
            lines.add(offset);
          }
        });
    List<String> all = new ArrayList<>();
    while (all.size() < lines.count()) {
      all.addAll(lines.read(all.size(), 1 + random.nextInt(500)));
    }
    return all;
  }

  private static List<String> texts(List<String> lines) throws IOException {
    List<String> texts = new ArrayList<>();
    for (String line : lines) {
      texts.add(EventJson.read(line).details().get("text"));
    }
    return texts;
  }

  @Test
  public void shouldAllFindTheSame() throws IOException {
    fs = FileSystem.getLocal(new Configuration()).getRawFileSystem();
    for (int i = 0; i < LOGS; i++) {
      String log = "log " + i + " of -Dtony.fuzz.seed=" + SEED;
      Written written = new Written(temporary.newFolder().toPath());
      LogTail follower = new LogTail(fs, hadoop(written.folder));
      List<String> followed = new ArrayList<>();
      int attempts = 1 + random.nextInt(3);
      for (int attempt = 1; attempt <= attempts && !written.hole; attempt++) {
        int rolls = random.nextInt(3);
        for (int roll = 0; roll <= rolls && !written.hole; roll++) {
          boolean last = attempt == attempts && roll == rolls;
          write(written, attempt, roll, last);
          if (random.nextBoolean()) {
            follower.read(1 + random.nextInt(2_000), (line, event) -> followed.add(line));
          }
        }
      }
      while (!follower.read(1 + random.nextInt(2_000), (line, event) -> followed.add(line))) {
        // the next part
      }
      assertEquals(log, texts(written.lines), all(written.folder));
      assertEquals(log, plain(written.lines), plain(byNumbers(written.folder)));
      assertEquals(log, plain(written.lines), plain(followed));
    }
  }

  /** A hole is in the last file only: what is behind one, each may find again in its own way. */
  private void write(Written written, int attempt, int roll, boolean last) throws IOException {
    boolean numbered = attempt > 1 || roll > 0;
    written.begin(attempt, roll);
    int decisions = random.nextInt(5);
    for (int n = 0; n < decisions; n++) {
      written.decide(numbered && n == 0, last);
    }
    written.tear();
  }
}
