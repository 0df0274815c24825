package io.tony.executor.checkpoint;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class FreshFolderTest {
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private Path all;

  @Before
  public void begin() {
    all = temporary.getRoot().toPath().resolve("in/all");
  }

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(all)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  public void shouldMakeANewOneEachTime() throws IOException {
    Files.createDirectories(all.resolve("no number"));
    for (String name : List.of("1", "2", "3")) {
      assertEquals(all.resolve(name), FreshFolder.create(all));
    }
  }

  @Test
  public void shouldDeleteThoseBeforeIt() throws IOException {
    Path before = FreshFolder.create(all);
    Files.createDirectories(before.resolve("links/1"));
    Files.writeString(before.resolve("links/1/0"), "");
    Path elsewhere = temporary.newFolder("elsewhere").toPath();
    Files.writeString(elsewhere.resolve("kept"), "");
    Files.createSymbolicLink(before.resolve("link"), elsewhere);
    Path fresh = FreshFolder.create(all);
    Files.writeString(fresh.resolve("named"), "");

    FreshFolder.deleteOlder(fresh);

    assertEquals(List.of("2"), names());
    assertTrue(Files.exists(fresh.resolve("named")));
    assertTrue("links are not followed", Files.exists(elsewhere.resolve("kept")));
    assertEquals("no name comes again", all.resolve("3"), FreshFolder.create(all));

    FreshFolder.deleteOlder(fresh); // late
    assertEquals("a newer one stays", List.of("2", "3"), names());
  }

  /** Deletes as a user whom permissions hold back: of root, setpriv takes what overrides them. */
  private static void deleteOlderWithoutPrivileges(Path fresh) throws Exception {
    List<String> command = new ArrayList<>();
    if (System.getProperty("user.name").equals("root")) {
      command.addAll(
          List.of("setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner", "--"));
    }
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin/java").toString(),
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            DeleteOlder.class.getName(),
            fresh.toString()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(text, 0, process.waitFor());
  }

  /** What the child process runs. */
  public static final class DeleteOlder {
    private DeleteOlder() {}

    public static void main(String[] args) {
      FreshFolder.deleteOlder(Path.of(args[0]));
    }
  }

  @Test
  public void shouldDeleteWhatItCanAndLeaveTheRest() throws Exception {
    Path before = FreshFolder.create(all);
    Path sealed = Files.createDirectory(before.resolve("sealed"));
    Files.writeString(sealed.resolve("a"), "");
    Files.writeString(before.resolve("b"), "");
    Path fresh = FreshFolder.create(all);
    Files.setPosixFilePermissions(sealed, PosixFilePermissions.fromString("r-x------"));
    try {
      deleteOlderWithoutPrivileges(fresh);

      assertTrue(Files.notExists(before.resolve("b")));
      assertEquals(List.of("1", "2"), names());
      assertTrue(Files.exists(sealed.resolve("a")));
    } finally {
      if (Files.exists(sealed)) {
        Files.setPosixFilePermissions(sealed, PosixFilePermissions.fromString("rwx------"));
      }
    }
  }

  @Test
  public void shouldTakeItThatNothingIsThere() {
    FreshFolder.delete(all);
    FreshFolder.deleteOlder(all.resolve("1"));
  }
}
