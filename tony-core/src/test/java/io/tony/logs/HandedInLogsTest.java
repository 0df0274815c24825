package io.tony.logs;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.file.tfile.TFile;
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
public class HandedInLogsTest {
  private static final String CONTAINER = "container_1700000000000_0001_01_000002";
  private static final ApplicationId APPLICATION =
      ContainerId.fromString(CONTAINER).getApplicationAttemptId().getApplicationId();

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

  private void forge(String owner, Contents contents) throws Exception {
    Path file =
        new LogAggregationFileControllerFactory(conf)
            .getFileControllerForWrite()
            .getRemoteNodeLogFileForApp(APPLICATION, "mallory", NodeId.newInstance("node-1", 4711));
    try (FSDataOutputStream out = FileSystem.getLocal(conf).create(file);
        TFile.Writer writer = new TFile.Writer(out, 256 * 1024, "none", "", conf)) {
      entry(writer, "APPLICATION_OWNER", value -> value.writeUTF(owner));
      entry(writer, "VERSION", value -> value.writeInt(1));
      entry(writer, CONTAINER, contents);
    }
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
    return new HandedInLogs(conf, APPLICATION, "mallory", Duration.ofSeconds(30))
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
    HandedInLogs hurried = new HandedInLogs(conf, APPLICATION, "mallory", Duration.ZERO);
    IOException e =
        assertThrows(IOException.class, () -> hurried.piece(CONTAINER, "node-1", "stdout", -1));
    assertTrue(e.getMessage(), e.getMessage().contains("too long"));
  }
}
