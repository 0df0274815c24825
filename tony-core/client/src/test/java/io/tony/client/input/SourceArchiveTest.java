package io.tony.client.input;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.executor.NamedPipe;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.zip.ZipArchiveEntry;
import org.apache.commons.compress.archivers.zip.ZipArchiveOutputStream;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class SourceArchiveTest {
  private static final String LONG_NAME = "folder/" + "long-".repeat(40) + "name.py";

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private Path source;

  @Before
  public void write() throws IOException {
    source = temporary.newFolder("src").toPath();
    write(source, "train.py", "print('ü')\n");
    write(source, "run.sh", "echo run\n");
    write(source, LONG_NAME, "long");
    write(source, "größe 漢字 🚀.txt", "letters");
    Files.createDirectory(source.resolve("empty"));
    executable(source.resolve("run.sh"));
  }

  private static void write(Path folder, String name, String text) throws IOException {
    Files.createDirectories(folder.resolve(name).getParent());
    Files.writeString(folder.resolve(name), text);
  }

  private static void executable(Path file) throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private static byte[] pack(Path folder) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    SourceArchive.write(folder, JobFolder.of(folder), bytes);
    return bytes.toByteArray();
  }

  /** Which library compresses, and how well, says nothing of what is packed. */
  @Test
  public void shouldHaveAHashOfWhatIsPackedAlone() throws Exception {
    Path folder = temporary.newFolder().toPath();
    Files.writeString(folder.resolve("train.py"), "print()".repeat(10_000));
    ByteArrayOutputStream packed = new ByteArrayOutputStream();

    String hash = SourceArchive.write(folder, JobFolder.of(folder), packed);

    byte[] tar = new GZIPInputStream(new ByteArrayInputStream(packed.toByteArray())).readAllBytes();
    String ofTar = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(tar));
    assertEquals(ofTar, hash);
  }

  /** Unpacks with the tar of the system, which is what a node does. */
  private Path unpack(byte[] archive) throws IOException, InterruptedException {
    Path file = temporary.newFile().toPath();
    Files.write(file, archive);
    Path target = temporary.newFolder().toPath();
    Process tar =
        new ProcessBuilder("tar", "-xzf", file.toString(), "-C", target.toString())
            .inheritIO()
            .start();
    assertEquals(0, tar.waitFor());
    return target;
  }

  private Path zipped(String... entries) throws IOException {
    Path file = temporary.newFile().toPath();
    try (ZipArchiveOutputStream zip = new ZipArchiveOutputStream(Files.newOutputStream(file))) {
      for (String name : entries) {
        ZipArchiveEntry entry = new ZipArchiveEntry(name);
        entry.setUnixMode(name.endsWith(".sh") ? 0100755 : 0100644);
        zip.putArchiveEntry(entry);
        zip.write(name.endsWith("/") ? new byte[0] : name.getBytes(StandardCharsets.UTF_8));
        zip.closeArchiveEntry();
      }
    }
    return file;
  }

  private static byte[] repack(Path archive) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    SourceArchive.repack(LocalFile.of(archive), bytes);
    return bytes.toByteArray();
  }

  @Test
  public void shouldUnpackToWhatAnotherArchiveHolds() throws Exception {
    Path zip = zipped("./main.py", "pkg/größe 漢字.py", "run.sh", "empty/", LONG_NAME);
    Path target = unpack(repack(zip));

    assertEquals("./main.py", Files.readString(target.resolve("main.py")));
    assertEquals("pkg/größe 漢字.py", Files.readString(target.resolve("pkg/größe 漢字.py")));
    assertEquals(LONG_NAME, Files.readString(target.resolve(LONG_NAME)));
    assertTrue(Files.isExecutable(target.resolve("run.sh")));
    assertFalse(Files.isExecutable(target.resolve("main.py")));
    assertTrue(Files.isDirectory(target.resolve("empty")));
    assertArrayEquals(repack(zip), repack(zip));

    Files.createSymbolicLink(source.resolve("link.py"), Path.of("train.py"));
    Path tar = temporary.newFile().toPath();
    assertEquals(
        0,
        new ProcessBuilder("tar", "-czf", tar.toString(), "-C", source.toString(), ".")
            .inheritIO()
            .start()
            .waitFor());
    target = unpack(repack(tar));
    assertEquals("print('ü')\n", Files.readString(target.resolve("link.py")));
    assertTrue(Files.isSymbolicLink(target.resolve("link.py")));
  }

  @Test
  public void shouldNotRepackWhatLeadsOut() throws IOException {
    Path slip = zipped("main.py", "../evil.py");
    assertThrows(IOException.class, () -> repack(slip));
    Path page = temporary.newFile("page.zip").toPath();
    Files.writeString(page, "<html>");
    assertThrows(IOException.class, () -> repack(page));
  }

  @Test
  public void shouldUnpackToWhatWasPacked() throws Exception {
    Path target = unpack(pack(source));

    assertEquals("print('ü')\n", Files.readString(target.resolve("train.py")));
    assertEquals("long", Files.readString(target.resolve(LONG_NAME)));
    assertEquals("letters", Files.readString(target.resolve("größe 漢字 🚀.txt")));
    assertTrue(Files.isDirectory(target.resolve("empty")));
    assertTrue(Files.isExecutable(target.resolve("run.sh")));
    assertFalse(Files.isExecutable(target.resolve("train.py")));
  }

  @Test
  public void shouldGiveTheSameBytesForTheSameContents() throws Exception {
    byte[] first = pack(source);
    Path copy = unpack(first);
    Files.setLastModifiedTime(copy.resolve("train.py"), FileTime.fromMillis(12345));

    assertArrayEquals(first, pack(copy));
  }

  @Test
  public void shouldPackWhatALinkLeadsTo() throws Exception {
    Path elsewhere = temporary.newFolder("elsewhere").toPath();
    write(elsewhere, "data.csv", "1,2\n");
    Files.createSymbolicLink(source.resolve("file"), elsewhere.resolve("data.csv"));
    Files.createSymbolicLink(source.resolve("linked"), elsewhere);

    Path target = unpack(pack(source));

    assertEquals("1,2\n", Files.readString(target.resolve("file")));
    assertEquals("1,2\n", Files.readString(target.resolve("linked/data.csv")));
    assertFalse(Files.isSymbolicLink(target.resolve("linked")));
  }

  @Test
  public void shouldNameTheLinksThatCannotBePacked() throws IOException {
    Path nowhere = Files.createSymbolicLink(source.resolve("nowhere"), Path.of("missing"));
    Path circle = Files.createSymbolicLink(source.resolve("folder/circle"), source);
    Files.createSymbolicLink(source.resolve("fine"), Path.of("train.py"));

    assertEquals(
        List.of(circle, nowhere), SourceArchive.unreadableFiles(source, JobFolder.of(source)));
  }

  /** Nobody may ever write into a pipe, and a device has no end. */
  @Test(timeout = 30_000)
  public void shouldNotReadAPipeOrADevice() throws Exception {
    Path pipe = source.resolve("pipe");
    NamedPipe.make(pipe);
    Path device = Files.createSymbolicLink(source.resolve("zero"), Path.of("/dev/zero"));
    JobFolder folder = JobFolder.of(source);

    assertEquals(List.of(pipe, device), SourceArchive.unreadableFiles(source, folder));
    for (Path file : List.of(pipe, device)) {
      IOException refused =
          assertThrows(
              IOException.class,
              () -> SourceArchive.write(source, folder, OutputStream.nullOutputStream()));
      assertEquals(file + " is neither a file nor a folder", refused.getMessage());
      Files.delete(file);
    }
  }

  @Test
  public void shouldLeaveOutWhatTheJobTypeKeepsInTheFolder() throws Exception {
    write(source, ".tony-job/job.properties", "password=secret");
    write(source, ".tony-status", "x");
    write(source, "folder/.tony-other/job.properties", "password=secret");
    write(source, "folder/tony-own", "the program's");

    Path target = unpack(pack(source));

    assertFalse(Files.exists(target.resolve(".tony-job")));
    assertFalse(Files.exists(target.resolve(".tony-status")));
    assertFalse(Files.exists(target.resolve("folder/.tony-other")));
    assertTrue(Files.exists(target.resolve("folder/tony-own")));
  }
}
