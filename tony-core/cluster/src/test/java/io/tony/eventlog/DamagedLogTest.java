package io.tony.eventlog;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertTrue;

import io.tony.event.Fact;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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
 * A line of a log that is damaged is an event, or none, and said to be none. Another seed: {@code
 * -Dtony.fuzz.seed}.
 */
public class DamagedLogTest {
  private static final long SEED = Long.getLong("tony.fuzz.seed", 20261122L);

  private static final List<String> LINES =
      List.of(
          EventJson.write(event(JobEvent.Type.TASK_PROGRESS, "text", "1/2 größer \"x\" \n")),
          EventJson.write(
              event(JobEvent.Type.TASK_FAILED, "kind", "PROGRAM", "message", "x"), true),
          EventJson.withNumber(
              EventJson.write(event(JobEvent.Type.JOB_FINISHED, "status", "SUCCEEDED")), 12));

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private final Random random = new Random(SEED);

  private static JobEvent event(JobEvent.Type type, String... details) {
    Map<String, String> map = new java.util.TreeMap<>();
    for (int i = 0; i < details.length; i += 2) {
      map.put(details[i], details[i + 1]);
    }
    return new JobEvent(Instant.EPOCH, type, 0, new TaskId("worker", 0), map);
  }

  /** Cut, with bytes that are others or twice there, or nothing that was ever a line. */
  private byte[] damaged(String line) {
    byte[] good = line.getBytes(StandardCharsets.UTF_8);
    switch (random.nextInt(5)) {
      case 0 -> {
        return java.util.Arrays.copyOf(good, random.nextInt(good.length));
      }
      case 1 -> {
        for (int i = random.nextInt(5); i >= 0; i--) {
          good[random.nextInt(good.length)] ^= (byte) (1 << random.nextInt(8));
        }
        return good;
      }
      case 2 -> {
        int at = random.nextInt(line.length());
        int end = at + random.nextInt(line.length() - at);
        return (line.substring(0, end) + line.substring(at)).getBytes(StandardCharsets.UTF_8);
      }
      case 3 -> {
        String deep = List.of("[", "{\"details\":", "{\"a\":[").get(random.nextInt(3));
        return deep.repeat(random.nextInt(5_000)).getBytes(StandardCharsets.UTF_8);
      }
      default -> {
        byte[] bytes = new byte[random.nextInt(300)];
        random.nextBytes(bytes);
        return bytes;
      }
    }
  }

  @Test
  public void shouldReadAnyLineOrSayThatItIsNoEvent() {
    for (int i = 0; i < 6_000; i++) {
      String line = new String(damaged(LINES.get(i % 3)), StandardCharsets.UTF_8);
      try {
        EventJson.hasMore(line);
        EventJson.numberOf(line);
        JobEvent event = EventJson.read(line);
        assertNotNull(event.type());
        assertNotNull(Fact.of(event));
      } catch (IOException | IllegalArgumentException e) {
        assertNotNull(e.getMessage());
      } catch (RuntimeException | StackOverflowError e) {
        throw new AssertionError("-Dtony.fuzz.seed=" + SEED + ": " + line, e);
      }
    }
  }

  @Test
  public void shouldReadALogUpToItsDamage() throws IOException {
    FileSystem fs = FileSystem.getLocal(new Configuration()).getRawFileSystem();
    Path folder = temporary.newFolder().toPath();
    Path log = folder.resolve("events.jsonl");
    for (int i = 0; i < 300; i++) {
      List<byte[]> parts = new ArrayList<>();
      for (int n = 0; n < 3; n++) {
        parts.add((LINES.get(0) + "\n").getBytes(StandardCharsets.UTF_8));
      }
      parts.add(damaged(LINES.get(random.nextInt(3))));
      Files.write(log, new byte[0]);
      for (byte[] part : parts) {
        Files.write(log, part, java.nio.file.StandardOpenOption.APPEND);
      }
      String damage = new String(parts.get(3), StandardCharsets.UTF_8);
      boolean lastLine = !damage.contains("\n");
      List<JobEvent> events = new ArrayList<>();
      try {
        EventLog.read(fs, new org.apache.hadoop.fs.Path(folder.toUri()), 0, events::add);
      } catch (RuntimeException | StackOverflowError e) {
        throw new AssertionError("-Dtony.fuzz.seed=" + SEED + ": " + Files.readString(log), e);
      }
      if (lastLine) {
        boolean whole = DecisionReader.isEvent(damage) && !EventJson.hasMore(damage);
        assertEquals(damage, whole ? 4 : 3, events.size());
      }
      JobEvent good = EventJson.read(LINES.get(0));
      assertTrue(damage, events.size() >= 3);
      assertEquals(damage, List.of(good, good, good), events.subList(0, 3));
    }
  }
}
