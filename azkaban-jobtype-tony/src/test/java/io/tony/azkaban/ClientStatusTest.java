package io.tony.azkaban;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What the job type believes of the client's status file. */
public class ClientStatusTest {
  private static final String GOOD =
      """
      #Sun Nov 22 10:00:00 UTC 2026
      application.id=application_1_0001
      state=RUNNING
      progress=0.25
      stop.limit.ms=20000
      message=gr\\u00F6\\u00DFer
      """;

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private Optional<ClientStatus> read(byte[] bytes) throws Exception {
    Path file = folder.getRoot().toPath().resolve("status");
    Files.write(file, bytes);
    return ClientStatus.read(file);
  }

  @Test
  public void shouldReadWhatTheClientWrites() throws Exception {
    ClientStatus status = read(GOOD.getBytes(StandardCharsets.UTF_8)).get();

    assertEquals("application_1_0001", status.applicationId().get());
    assertEquals("RUNNING", status.state().get());
    assertEquals(0.25, status.progress().getAsDouble(), 0);
    assertEquals(20_000, status.stopLimitMillis().getAsLong());
  }

  /** A kill passes the id on: nothing but an id is one. Another seed: -Dtony.fuzz.seed. */
  @Test(timeout = 30_000)
  public void shouldBelieveNothingThatIsDamaged() throws Exception {
    long seed = Long.getLong("tony.fuzz.seed", 20261122L);
    Random random = new Random(seed);
    byte[] good = GOOD.getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < 3_000; i++) {
      byte[] bytes = Arrays.copyOf(good, i % 3 == 0 ? random.nextInt(good.length) : good.length);
      for (int n = random.nextInt(5); n > 0 && bytes.length > 0; n--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      try {
        ClientStatus status = read(bytes).orElse(ClientStatus.NONE);
        status
            .applicationToEnd()
            .ifPresent(id -> assertTrue(id, id.matches("application_[0-9]+_[0-9]+")));
        assertTrue(status.progress().orElse(0) >= 0 && status.progress().orElse(0) <= 1);
        assertTrue(status.stopLimitMillis().orElse(0) >= 0);
        ClientExit.of(0, status);
      } catch (RuntimeException e) {
        throw new AssertionError(
            "-Dtony.fuzz.seed=" + seed + ": " + new String(bytes, StandardCharsets.ISO_8859_1), e);
      }
    }
  }
}
