package io.tony.executor.checkpoint;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
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
      assertEquals(all.resolve(name), FreshFolder.in(all));
    }
  }

  @Test
  public void shouldDeleteThoseBeforeIt() throws IOException {
    Path before = FreshFolder.in(all);
    Files.createDirectories(before.resolve("links/1"));
    Files.writeString(before.resolve("links/1/0"), "");
    Path elsewhere = temporary.newFolder("elsewhere").toPath();
    Files.writeString(elsewhere.resolve("kept"), "");
    Files.createSymbolicLink(before.resolve("link"), elsewhere);
    Path fresh = FreshFolder.in(all);
    Files.writeString(fresh.resolve("named"), "");

    FreshFolder.deleteOlder(fresh);

    assertEquals(List.of("2"), names());
    assertTrue(Files.exists(fresh.resolve("named")));
    assertTrue("links are not followed", Files.exists(elsewhere.resolve("kept")));
    assertEquals("no name comes again", all.resolve("3"), FreshFolder.in(all));

    FreshFolder.deleteOlder(fresh); // late
    assertEquals("a newer one stays", List.of("2", "3"), names());
  }

  @Test
  public void shouldDeleteWhatItCanAndLeaveTheRest() throws IOException {
    Path before = FreshFolder.in(all);
    Path sealed = Files.createDirectory(before.resolve("sealed"));
    Files.writeString(sealed.resolve("a"), "");
    Files.writeString(before.resolve("b"), "");
    Files.setPosixFilePermissions(sealed, PosixFilePermissions.fromString("r-x------"));
    boolean mayDeleteAnything = Files.isWritable(sealed);
    try {
      Path fresh = FreshFolder.in(all);
      FreshFolder.deleteOlder(fresh);
      assertTrue(Files.notExists(before.resolve("b")));
      assertTrue(Files.exists(fresh));
      assumeFalse("root may delete anything", mayDeleteAnything);
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
