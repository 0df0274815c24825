package io.tony.executor.checkpoint;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.executor.NamedPipe;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class SnapshotTest {
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private Path folder;
  private Path links;

  @Before
  public void begin() throws IOException {
    folder = temporary.newFolder("work").toPath();
    links = temporary.getRoot().toPath().resolve("links/1");
  }

  private Path write(String name, String text) throws IOException {
    Path file = FileNames.resolve(folder, name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }

  private Snapshot of(String name) throws IOException {
    return Snapshot.of(FileNames.resolve(folder, name), links);
  }

  private static Map<String, String> contents(Snapshot snapshot) throws IOException {
    Map<String, String> contents = new TreeMap<>();
    for (Map.Entry<String, Path> file : snapshot.files().entrySet()) {
      contents.put(file.getKey(), Files.readString(file.getValue()));
    }
    return contents;
  }

  @Test
  public void shouldHoldWhatTheProgramDeletesOrReplaces() throws IOException {
    Path file = write("out/model.pt", "one");
    Snapshot snapshot = of("out/model.pt");

    Path next = write("next", "another");
    Files.move(next, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    snapshot.requireUnchanged();
    Files.delete(file);

    assertEquals("model.pt", snapshot.name());
    assertFalse(snapshot.isFolder());
    assertEquals(Map.of("model.pt", "one"), contents(snapshot));
    snapshot.requireUnchanged();
  }

  @Test
  public void shouldHoldAllFilesOfAFolder() throws IOException {
    write("out/größe 1/model.pt", "m");
    write("out/größe 1/shards/0 of 2", "s");
    Snapshot snapshot = of("out/größe 1/");

    assertEquals("größe 1", snapshot.name());
    assertTrue(snapshot.isFolder());
    assertEquals(Map.of("größe 1/model.pt", "m", "größe 1/shards/0 of 2", "s"), contents(snapshot));
    snapshot.delete();
    assertFalse(Files.exists(links));
    assertTrue(Files.exists(FileNames.resolve(folder, "out/größe 1/model.pt")));
  }

  @Test
  public void shouldTakeAnAbsolutePathAndFollowALinkThatIsNamed() throws IOException {
    Path file = write("model-7.pt", "m");
    Files.createSymbolicLink(folder.resolve("latest"), file);

    Snapshot snapshot = of(folder.resolve("latest").toString());

    assertEquals(Map.of("latest", "m"), contents(snapshot));
  }

  @Test
  public void shouldSeeThatAFileWasChanged() throws IOException {
    Path file = write("model.pt", "one");
    Snapshot snapshot = of("model.pt");

    Files.writeString(file, "!", StandardOpenOption.APPEND);

    IOException e = assertThrows(IOException.class, snapshot::requireUnchanged);
    assertTrue(e.getMessage(), e.getMessage().startsWith("'model.pt' was changed while"));
  }

  @Test
  public void shouldTakeTheFileItselfWhereThereCanBeNoLink() throws IOException {
    Path memory = Path.of("/dev/shm");
    assertTrue(
        "this test needs a file system of its own at " + memory,
        Files.isWritable(memory) && !Files.getFileStore(memory).equals(Files.getFileStore(folder)));
    Path file = Files.createTempFile(memory, "tony", ".pt");
    try {
      Files.writeString(file, "m");
      Snapshot snapshot = Snapshot.of(file, links);

      assertEquals(Set.of(file), Set.copyOf(snapshot.files().values()));
      snapshot.requireUnchanged();
      snapshot.delete();
      assertTrue(Files.exists(file));
    } finally {
      Files.delete(file);
    }
  }

  private void assertRefused(String name, String why) {
    IOException e = assertThrows(IOException.class, () -> of(name));
    assertTrue(e.getMessage(), e.getMessage().contains(why));
    assertFalse("no link is left", Files.exists(links));
  }

  @Test
  public void shouldSayWhyItIsNone() throws Exception {
    assertRefused("missing", "missing does not exist");
    assertRefused("no\0name", "no name of a file");
    Files.createDirectories(folder.resolve("empty/inner"));
    assertRefused("empty", "it is a folder without files");
    write("a:b", "");
    assertRefused("a:b", "the name 'a:b' is empty, or has a colon");
    write("colon/a:b", "");
    assertRefused("colon", "the name 'colon/a:b' is empty, or has a colon");
    write("lines/a\nb", "");
    assertRefused("lines", "or a line break");
    write("controls/a\tb", "");
    assertRefused("controls", "has a control character");
    write("linked/a", "");
    Files.createSymbolicLink(folder.resolve("linked/b"), folder.resolve("linked/a"));
    assertRefused("linked", "'linked/b' is a link, or neither file nor folder");
    NamedPipe.make(folder.resolve("pipe"));
    assertRefused("pipe", "'pipe' is a link, or neither file nor folder");
  }

  @Test
  public void shouldRefuseANameThatIsNotInUtf8() throws Exception {
    Process touch =
        new ProcessBuilder("bash", "-c", "mkdir latin && touch latin/$'gr\\xf6\\xdfe'")
            .directory(folder.toFile())
            .start();
    assertEquals(0, touch.waitFor());
    assertRefused("latin", "is not in UTF-8");
  }

  @Test
  public void shouldRefuseAFolderOfMoreFilesThanACheckpointHas() throws Exception {
    Process touch =
        new ProcessBuilder("bash", "-c", "mkdir many && cd many && touch {0..10000}")
            .directory(folder.toFile())
            .start();
    assertEquals(0, touch.waitFor());
    assertRefused("many", "it has more than 10000 files");
  }

  @Test
  public void shouldRefuseNamesThatAreTooLongTogether() throws Exception {
    String deep = ("d".repeat(250) + "/").repeat(12);
    Process touch =
        new ProcessBuilder(
                "bash",
                "-c",
                "mkdir -p long/" + deep + " && cd long/" + deep + " && touch {0..400}")
            .directory(folder.toFile())
            .start();
    assertEquals(0, touch.waitFor());
    assertRefused("long", "together more than 1048576 characters: name the folder");
  }
}
