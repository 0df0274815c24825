package io.tony.logs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class LocalLogTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private Path file;
  private LocalLog log;

  @Before
  public void write() throws Exception {
    file = folder.getRoot().toPath().resolve("stdout");
    log = new LocalLog(file);
    Files.writeString(file, "one\nzwölf\n");
  }

  @Test
  public void shouldCopyWhatIsNew() throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    assertEquals(11, log.copy(4, out));
    assertEquals("zwölf\n", out.toString(UTF_8));
    assertEquals(11, log.copy(11, out));
    assertEquals("an offset behind the end stays", 20, log.copy(20, out));
    assertEquals("zwölf\n", out.toString(UTF_8));
  }

  @Test
  public void shouldGiveAPieceFromAnOffsetOrTheLast() throws Exception {
    assertEquals(new LogPiece(4, 11, 11, "zwölf\n"), log.piece(4));
    assertEquals(new LogPiece(0, 11, 11, "one\nzwölf\n"), log.piece(-1));
    assertEquals(LogPiece.none(11), log.piece(11));

    Files.writeString(file, "x".repeat(LogPiece.MAX_BYTES) + "end");
    LogPiece last = log.piece(-1);
    assertEquals(3, last.begin());
    assertEquals(LogPiece.MAX_BYTES + 3, last.end());
    LogPiece first = log.piece(0);
    assertEquals(LogPiece.MAX_BYTES, first.end());
  }

  @Test
  public void shouldSayThatThereIsNone() throws Exception {
    Files.delete(file);
    assertThrows(FileNotFoundException.class, () -> log.piece(0));
    assertThrows(FileNotFoundException.class, () -> log.print(new ByteArrayOutputStream()));
  }
}
