package io.tony.logs;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.file.tfile.TFile;
import org.apache.hadoop.io.file.tfile.Utils;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.logaggregation.filecontroller.LogAggregationFileControllerFactory;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** Files that no node wrote, but the owner of their folder. */
public class AggregatedLogPiecesTest {
  private static final String CONTAINER = "container_1700000000000_0001_01_000002";
  private static final ApplicationId APPLICATION =
      ContainerId.fromString(CONTAINER).getApplicationAttemptId().getApplicationId();

  private static final int HUGE = 2_000_000_000;
  private static final long SEED = Long.getLong("tony.fuzz.seed", 20261127L);

  @Rule public final TemporaryFolder folder = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private final Configuration conf = new YarnConfiguration();

  private interface Contents {
    void write(DataOutputStream out) throws IOException;
  }

  @Before
  public void begin() {
    conf.set(YarnConfiguration.NM_REMOTE_APP_LOG_DIR, folder.getRoot().toString());
  }

  private interface Records {
    void write(TFile.Writer writer) throws IOException;
  }

  private Path file() throws Exception {
    return new LogAggregationFileControllerFactory(conf)
        .getFileControllerForWrite()
        .getRemoteNodeLogFileForApp(APPLICATION, "mallory", NodeId.newInstance("node-1", 4711));
  }

  private void forge(String owner, Contents contents) throws Exception {
    forge(
        "none",
        "",
        writer -> {
          entry(writer, "VERSION", value -> value.writeInt(1));
          entry(writer, "APPLICATION_OWNER", value -> value.writeUTF(owner));
          entry(writer, CONTAINER, contents);
        });
  }

  private void forge(String compression, String comparator, Records records) throws Exception {
    try (FSDataOutputStream out = FileSystem.getLocal(conf).create(file());
        TFile.Writer writer = new TFile.Writer(out, 256 * 1024, compression, comparator, conf)) {
      records.write(writer);
    }
  }

  /** A file of these bytes, which says that the list of its parts begins at one of them. */
  private void forge(byte[] bytes, long parts) throws Exception {
    try (FSDataOutputStream out = FileSystem.getLocal(conf).create(file())) {
      out.write(bytes);
      out.writeLong(parts);
      out.writeInt(1 << 16);
      out.write(HexFormat.of().parseHex("d111d36891b5d7b639df414092bae150"));
    }
  }

  private static byte[] bytes(Contents contents) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    contents.write(new DataOutputStream(bytes));
    return bytes.toByteArray();
  }

  private static void part(DataOutputStream out, String name, long offset, long length)
      throws IOException {
    Utils.writeString(out, "data:" + name);
    Utils.writeString(out, "none");
    Utils.writeVLong(out, offset);
    Utils.writeVLong(out, length);
    Utils.writeVLong(out, length);
  }

  private static void entry(TFile.Writer writer, String name, Contents contents)
      throws IOException {
    try (DataOutputStream key = writer.prepareAppendKey(-1)) {
      key.writeUTF(name);
    }
    try (DataOutputStream value = writer.prepareAppendValue(-1)) {
      contents.write(value);
    }
  }

  private Optional<LogPiece> read(long from) throws IOException {
    return new AggregatedLogPieces(conf, APPLICATION, "mallory", Duration.ofSeconds(30))
        .piece(CONTAINER, "node-1", "stdout", from);
  }

  private static void file(DataOutputStream out, String name, String length, String text)
      throws IOException {
    out.writeUTF(name);
    out.writeUTF(length);
    out.writeBytes(text);
  }

  @Test
  public void shouldEndWhereAFileIsShorterThanItSays() throws Exception {
    forge("mallory", out -> file(out, "x", "999999999999", "short"));
    assertThrows(EOFException.class, () -> read(-1));

    forge("mallory", out -> file(out, "stdout", "999999999999", "short"));
    assertThrows(EOFException.class, () -> read(-1));
    LogPiece piece = read(0).get();
    assertEquals(new LogPiece(0, 5, 5, "short"), piece);
  }

  @Test
  public void shouldFindAFileBehindOthers() throws Exception {
    forge(
        "mallory",
        out -> {
          file(out, "stderr", "3", "err");
          file(out, "stdout", "3", "out");
        });
    assertEquals(new LogPiece(0, 3, 3, "out"), read(-1).get());
    assertEquals(new LogPiece(3, 3, 3, ""), read(9).get());
  }

  @Test
  public void shouldTakeNoLengthThatIsNone() throws Exception {
    for (String length : new String[] {"-1", "many", "99999999999999999999"}) {
      forge("mallory", out -> file(out, "x", length, "text"));
      IOException e = assertThrows(IOException.class, () -> read(-1));
      assertTrue(e.getMessage(), e.getMessage().contains("no number"));
    }
  }

  @Test
  public void shouldReadNoFileThatIsAnothersByItsOwnWord() throws Exception {
    forge("ann", out -> file(out, "stdout", "3", "out"));
    IOException e = assertThrows(IOException.class, () -> read(-1));
    assertTrue(e.getMessage(), e.getMessage().endsWith("is another user's"));
  }

  @Test
  public void shouldMakeNoObjectsOfWhatAFileHolds() throws Exception {
    forge("mallory", out -> file(out, "stdout", "3", "out"));
    conf.set("yarn.log-aggregation.file-formats", "IFile");
    conf.set(
        "yarn.log-aggregation.file-controller.IFile.class",
        "org.apache.hadoop.yarn.logaggregation.filecontroller.ifile"
            + ".LogAggregationIndexedFileController");
    conf.set("yarn.log-aggregation.IFile.remote-app-log-dir", folder.getRoot().toString());
    conf.set("yarn.log-aggregation.IFile.remote-app-log-dir-suffix", "logs-tfile");
    IOException e = assertThrows(IOException.class, () -> read(-1));
    assertTrue(e.getMessage(), e.getMessage().contains("yarn.log-aggregation.file-formats"));
  }

  @Test
  public void shouldGiveUpInTime() throws Exception {
    forge("mallory", out -> file(out, "stderr", "3", "err"));
    AggregatedLogPieces hurried =
        new AggregatedLogPieces(conf, APPLICATION, "mallory", Duration.ZERO);
    IOException e =
        assertThrows(IOException.class, () -> hurried.piece(CONTAINER, "node-1", "stdout", -1));
    assertTrue(e.getMessage(), e.getMessage().contains("too long"));
  }

  private void assertRefused(String words) {
    IOException e = assertThrows(IOException.class, () -> read(-1));
    assertTrue(e.toString(), e.toString().contains(words));
  }

  @Test
  public void shouldMakeNoRoomForWhatAFileAnnounces() throws Exception {
    forge(bytes(out -> Utils.writeVInt(out, HUGE)), 0);
    assertRefused("EOFException");

    byte[] name = bytes(out -> Utils.writeVInt(out, 3));
    forge(concat(name, bytes(out -> Utils.writeVInt(out, HUGE))), 0);
    assertRefused("longer than any that is written");

    byte[] blocks =
        bytes(
            out -> {
              Utils.writeString(out, "none");
              Utils.writeVInt(out, HUGE);
            });
    byte[] parts =
        bytes(
            out -> {
              Utils.writeVInt(out, 1);
              part(out, "BCFile.index", 0, blocks.length);
            });
    forge(concat(blocks, parts), blocks.length);
    assertRefused("EOFException");

    forge("mallory", out -> {});
    byte[] whole = Files.readAllBytes(java.nio.file.Path.of(file().toUri().getPath()));
    whole[16] = (byte) 0x83; // the length of the first key, in four bytes from here on
    overwrite(whole);
    assertRefused("longer than any that is written");
  }

  private void overwrite(byte[] bytes) throws Exception {
    java.nio.file.Path file = java.nio.file.Path.of(file().toUri().getPath());
    Files.deleteIfExists(file.resolveSibling("." + file.getFileName() + ".crc"));
    Files.write(file, bytes);
  }

  private static byte[] concat(byte[] one, byte[] other) throws IOException {
    return bytes(
        out -> {
          out.write(one);
          out.write(other);
        });
  }

  @Test
  public void shouldGiveUpInTimeInsideAValueThatIsPackedTight() throws Exception {
    forge(
        "gz",
        "",
        writer -> {
          entry(writer, "APPLICATION_OWNER", value -> value.writeUTF("mallory"));
          byte[] zeros = new byte[1 << 20];
          entry(
              writer,
              "APPLICATION_ACL",
              value -> {
                for (int i = 0; i < 32; i++) {
                  value.write(zeros);
                }
              });
          entry(writer, CONTAINER, value -> file(value, "stdout", "3", "out"));
        });
    int[] left = {20};
    AggregatedFile.ReadDeadline clock =
        () -> {
          if (--left[0] < 0) {
            throw new IOException("too long");
          }
        };
    try (AggregatedFile records = new AggregatedFile(FileSystem.getLocal(conf), file(), clock)) {
      records.next();
      assertEquals("APPLICATION_ACL", records.next());
      assertTrue(left[0] + " checks", left[0] > 0);
      IOException e = assertThrows(IOException.class, records::next);
      assertEquals("too long", e.getMessage());
    }
  }

  @Test
  public void shouldReadWhatIsCompressed() throws Exception {
    forge(
        "gz",
        "",
        writer -> {
          entry(writer, "APPLICATION_OWNER", value -> value.writeUTF("mallory"));
          for (int i = 0; i < 30; i++) { // several blocks
            entry(writer, "container_" + i, value -> file(value, "x", "100000", text(100_000)));
          }
          entry(writer, CONTAINER, value -> file(value, "stdout", "3", "out"));
        });
    assertEquals(new LogPiece(0, 3, 3, "out"), read(-1).get());
  }

  private static String text(int length) {
    return new Random(SEED)
        .ints(length, ' ', '~')
        .collect(StringBuilder::new, (all, c) -> all.append((char) c), StringBuilder::append)
        .toString();
  }

  /** One that counts how often it is made. */
  public static final class Comparing implements RawComparator<Object> {
    static final AtomicInteger MADE = new AtomicInteger();

    public Comparing() {
      MADE.incrementAndGet();
    }

    @Override
    public int compare(byte[] one, int s1, int l1, byte[] other, int s2, int l2) {
      return 0;
    }

    @Override
    public int compare(Object one, Object other) {
      return one.toString().compareTo(other.toString());
    }
  }

  @Test
  public void shouldMakeNoObjectOfAClassThatAFileNames() throws Exception {
    forge(
        "none",
        "jclass:" + Comparing.class.getName(),
        writer -> {
          entry(writer, "APPLICATION_OWNER", value -> value.writeUTF("mallory"));
          entry(writer, CONTAINER, value -> file(value, "stdout", "3", "out"));
        });
    int made = Comparing.MADE.get();
    assertTrue("by Hadoop's writer", made > 0);
    assertEquals(new LogPiece(0, 3, 3, "out"), read(-1).get());
    assertEquals(made, Comparing.MADE.get());
  }

  @Test
  public void shouldPassOverAnyNumberOfRecordsOfOtherKinds() throws Exception {
    forge(
        "none",
        "",
        writer -> {
          for (int i = 0; i < 20_000; i++) {
            entry(writer, "VERSION", value -> value.writeInt(1));
          }
          entry(writer, "APPLICATION_OWNER", value -> value.writeUTF("mallory"));
          entry(writer, CONTAINER, value -> file(value, "stdout", "3", "out"));
        });
    assertEquals(new LogPiece(0, 3, 3, "out"), read(-1).get());
  }

  /** Another seed: {@code -Dtony.fuzz.seed}. */
  @Test
  public void shouldReadAnyFileOrSayWhatIsWrongWithIt() throws Exception {
    Random random = new Random(SEED);
    for (String compression : new String[] {"none", "gz"}) {
      forge(
          compression,
          "",
          writer -> {
            entry(writer, "APPLICATION_OWNER", value -> value.writeUTF("mallory"));
            entry(writer, CONTAINER, value -> file(value, "stdout", "3", "out"));
          });
      byte[] good = Files.readAllBytes(java.nio.file.Path.of(file().toUri().getPath()));
      for (int i = 0; i < 1_000; i++) {
        byte[] bytes =
            Arrays.copyOf(good, good.length - (i % 4 == 0 ? random.nextInt(good.length) : 0));
        for (int n = random.nextInt(4); bytes.length > 0 && n >= 0; n--) {
          bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
        overwrite(bytes);
        try {
          read(-1);
        } catch (IOException e) {
          assertNotNull(e.toString(), e.getMessage() == null ? e.toString() : e.getMessage());
        } catch (Throwable e) {
          throw new AssertionError(
              "-Dtony.fuzz.seed=" + SEED + ": " + HexFormat.of().formatHex(bytes), e);
        }
      }
    }
  }
}
