package io.tony.client.input;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class ArchiveCheckTest {
  private static final byte[] PAGE =
      "<html>404 Not Found</html>".repeat(100).getBytes(StandardCharsets.UTF_8);

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private Optional<String> problem(String name, byte[] bytes) throws IOException {
    Path file = Files.write(temporary.getRoot().toPath().resolve("file"), bytes);
    return ArchiveCheck.problem(LocalFile.of(file), name);
  }

  private void assertWhole(String name, byte[] bytes) throws IOException {
    assertEquals(name, Optional.empty(), problem(name, bytes));
  }

  private void assertRefused(String name, byte[] bytes) throws IOException {
    assertTrue(name, problem(name, bytes).isPresent());
  }

  /** What no compression makes shorter. */
  private static byte[] noise() {
    byte[] bytes = new byte[200_000];
    new Random(1).nextBytes(bytes);
    return bytes;
  }

  private static byte[] zip() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
      zip.putNextEntry(new ZipEntry("model.bin"));
      zip.write(noise());
      zip.setComment("with a comment");
    }
    return bytes.toByteArray();
  }

  private static byte[] tar() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (TarArchiveOutputStream tar = new TarArchiveOutputStream(bytes)) {
      TarArchiveEntry entry = new TarArchiveEntry("model.bin");
      entry.setSize(noise().length);
      tar.putArchiveEntry(entry);
      tar.write(noise());
      tar.closeArchiveEntry();
    }
    return bytes.toByteArray();
  }

  private static byte[] gzip(byte[] plain) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream gzip = new GZIPOutputStream(bytes)) {
      gzip.write(plain);
    }
    return bytes.toByteArray();
  }

  private static byte[] first(byte[] bytes, int length) {
    return Arrays.copyOf(bytes, length);
  }

  @Test
  public void shouldTakeWhatCanBeUnpacked() throws IOException {
    assertWhole("a.zip", zip());
    assertWhole("A.JAR", zip());
    assertWhole("a.tar", tar());
    assertWhole("a.tar", new byte[1024]); // empty
    assertWhole("a.tar.gz", gzip(tar()));
    assertWhole("a.tgz", gzip(tar()));
  }

  @Test
  public void shouldRefuseWhatIsOfAnotherFormatThanItsName() throws IOException {
    for (String name : List.of("a.zip", "a.jar", "a.tar", "a.tar.gz", "a.tgz")) {
      assertRefused(name, PAGE);
      assertRefused(name, new byte[0]);
    }
    assertRefused("a.zip", gzip(tar()));
    assertRefused("a.tar.gz", zip());
    assertRefused("a.tar.gz", tar());
    assertRefused("a.tar.gz", gzip(PAGE));
    assertEquals(
        Optional.of("which is not a zip archive or is cut off: make it again"),
        problem("a.zip", PAGE));
  }

  @Test
  public void shouldRefuseWhatIsCutOff() throws IOException {
    assertRefused("a.zip", first(zip(), zip().length / 2));
    assertRefused("a.tar.gz", first(gzip(tar()), 5));
    int refused = 0;
    for (int length = 90_000; length < 90_100; length++) {
      refused += problem("a.tar.gz", first(gzip(tar()), length)).isPresent() ? 1 : 0;
    }
    assertTrue(refused + " of 100", refused >= 95); // 1 in 512 ends by chance as a whole one does
  }

  /** As some tools that compress in parallel write it. */
  @Test
  public void shouldTakeAGzipOfSeveralParts() throws IOException {
    byte[] tar = tar();
    ByteArrayOutputStream parts = new ByteArrayOutputStream();
    parts.write(gzip(first(tar, 100_001)));
    parts.write(gzip(Arrays.copyOfRange(tar, 100_001, tar.length)));

    assertWhole("a.tar.gz", parts.toByteArray());
    assertRefused("a.tar.gz", first(parts.toByteArray(), parts.size() - 1000));
  }

  /** Another seed: {@code -Dtony.fuzz.seed}. */
  @Test(timeout = 60_000)
  public void shouldSaySomethingOfAnyBytes() throws IOException {
    long seed = Long.getLong("tony.fuzz.seed", 20261122L);
    Random random = new Random(seed);
    List<byte[]> good = List.of(zip(), tar(), gzip(tar()));
    List<String> names = List.of("a.zip", "a.tar", "a.tar.gz", "a", "a.tgz");
    for (int i = 0; i < 300; i++) {
      byte[] bytes = good.get(random.nextInt(3)).clone();
      if (random.nextBoolean()) {
        bytes = first(bytes, random.nextInt(1_000));
      }
      for (int n = random.nextInt(5); n > 0 && bytes.length > 0; n--) {
        bytes[random.nextInt(Math.min(bytes.length, 600))] = (byte) random.nextInt(256);
      }
      String name = names.get(random.nextInt(names.size()));
      try {
        problem(name, bytes).ifPresent(what -> assertTrue(what.startsWith("which ")));
      } catch (RuntimeException e) {
        throw new AssertionError("-Dtony.fuzz.seed=" + seed + ": " + name, e);
      }
    }
  }

  /** Six megabytes that hold six gigabytes: what is counted of them is a sixth. */
  @Test(timeout = 60_000)
  public void shouldNotUnpackAnArchiveToItsEndHoweverMuchItHolds() throws IOException {
    byte[] gigabytes = gzip(new byte[64 << 20]);
    ByteArrayOutputStream parts = new ByteArrayOutputStream();
    parts.write(gzip(tar()));
    for (int i = 0; i < 96; i++) {
      parts.write(gigabytes);
    }
    parts.write(gzip(first(tar(), 100_001)));

    assertWhole("a.tar.gz", first(parts.toByteArray(), parts.size() - 1_000));
  }

  @Test
  public void shouldLeaveNamesAloneThatYarnDoesNotUnpack() throws IOException {
    assertWhole("a.tar.bz2", PAGE);
  }
}
