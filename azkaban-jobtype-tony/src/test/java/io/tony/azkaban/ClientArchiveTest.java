package io.tony.azkaban;

import static org.junit.Assert.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public final class ClientArchiveTest {

  private static final List<String> STARTED_WITH = List.of("java", "-Xmx1g", "a.jar");

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private static List<String> options(Path folder) {
    return ClientArchive.options(folder.toString(), STARTED_WITH);
  }

  private static void allow(Path file, String permissions) throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
  }

  @Test
  public void shouldNoteTheClassesFirstAndThenTakeThemFromTheArchive() throws Exception {
    Path folder = temporary.getRoot().toPath().resolve(".cache/tony");

    List<String> first = options(folder);

    String archive = first.get(0).replace("-Dtony.client.archive=", "");
    assertEquals(folder.toRealPath(), Path.of(archive).getParent());
    assertEquals("-XX:DumpLoadedClassList=" + archive + ".%p", first.get(2));
    assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)));

    Files.createFile(Path.of(archive));
    assertEquals("-XX:SharedArchiveFile=" + archive, options(folder).get(2));
    List<String> ofOthers = ClientArchive.options(folder.toString(), List.of("java", "b.jar"));
    assertEquals("another installation has its own", first.size(), ofOthers.size());
    assertEquals(false, ofOthers.contains("-XX:SharedArchiveFile=" + archive));
  }

  @Test
  public void shouldNotUseWhatOthersCouldWrite() throws Exception {
    Path above = temporary.newFolder("above").toPath();
    Path folder = Files.createDirectory(above.resolve("tony"));
    allow(folder, "rwx------");
    assertEquals(3, options(folder).size());

    for (String open : List.of("rwxrwx---", "rwxr-x---", "rwx----w-")) {
      allow(folder, open);
      assertEquals(open, List.of(), options(folder));
    }
    allow(folder, "rwx------");
    for (String open : List.of("rwxrwxr-x", "rwx----wx")) {
      allow(above, open);
      assertEquals("above it " + open, List.of(), options(folder));
    }
    allow(above, "rwxr-xr-x");
    assertEquals(3, options(folder).size());
  }

  @Test
  public void shouldDoWithoutWhereThereCanBeNone() throws Exception {
    Path file = temporary.newFile().toPath();

    assertEquals(List.of(), options(file));
    assertEquals(List.of(), options(file.resolve("tony")));
    assertEquals(List.of(), options(Path.of("/proc/tony")));
  }
}
