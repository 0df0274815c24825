package io.tony.client.source;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
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

    assertEquals(List.of(circle, nowhere), SourceArchive.unreadable(source, JobFolder.of(source)));
  }

  /** Nobody may ever write into a pipe, and a device has no end. */
  @Test(timeout = 30_000)
  public void shouldNotReadAPipeOrADevice() throws Exception {
    Path pipe = source.resolve("pipe");
    assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
    Path device = Files.createSymbolicLink(source.resolve("zero"), Path.of("/dev/zero"));
    JobFolder folder = JobFolder.of(source);

    assertEquals(List.of(pipe, device), SourceArchive.unreadable(source, folder));
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
