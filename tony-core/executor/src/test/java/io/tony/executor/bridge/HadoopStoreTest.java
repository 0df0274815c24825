package io.tony.executor.bridge;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import io.tony.checkpoint.CheckpointFile;
import io.tony.checkpoint.CheckpointName;
import io.tony.checkpoint.Manifest;
import io.tony.executor.checkpoint.ClusterStore;
import io.tony.executor.checkpoint.FileNames;
import io.tony.executor.token.ProgramTokens;
import io.tony.executor.token.TokenFile;
import io.tony.model.TaskId;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** With Hadoop in its own class loader, and a folder of the local file system for the cluster's. */
public class HadoopStoreTest {
  private static final TaskId WORKER = new TaskId("worker", 0);
  private static final String SET =
      new CheckpointName(CheckpointName.generation("application_1_2", 0), 7).toString();
  private static final Callable<Void> UNCHANGED = () -> null;
  private static final HadoopCalls HADOOP =
      new HadoopCalls(HadoopClassPath.of(System.getProperty("java.class.path")));

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private HadoopStore store;
  private Path cluster;
  private Path local;
  private Path into;

  @Before
  public void begin() throws IOException {
    local = temporary.newFolder("local").toPath();
    into = temporary.newFolder("into").toPath();
    cluster = temporary.getRoot().toPath().resolve("cluster/.tony");
    ProgramTokens tokens = ProgramTokens.write(local, TokenFile.NONE);
    store = new HadoopStore(HADOOP, tokens, "container_7");
  }

  private static Manifest manifest(String name, boolean folder) {
    return new Manifest(
        WORKER,
        1,
        7,
        true,
        Instant.ofEpochMilli(1_700_000_000_123L),
        "application_1_2",
        "",
        "ab",
        name,
        folder,
        List.of());
  }

  private Manifest keep(String name, boolean folder, String... files) throws Exception {
    Map<String, Path> named = new LinkedHashMap<>();
    for (String file : files) {
      Path held = local.resolve(Integer.toString(named.size()));
      named.put(file, Files.writeString(held, "in " + file));
    }
    return store.upload(cluster.toUri().toString(), SET, manifest(name, folder), named, UNCHANGED);
  }

  private Manifest bring() throws Exception {
    return store.download(cluster.toUri().toString(), SET, "worker-0", into);
  }

  private static List<String> names(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  public void shouldBringBackWhatItKept() throws Exception {
    Manifest kept = keep("größe 7", true, "größe 7/model.pt", "größe 7/shards/50% [0]");

    byte[] model = "in größe 7/model.pt".getBytes(StandardCharsets.UTF_8);
    CRC32C crc = new CRC32C();
    crc.update(model);
    assertEquals(
        new CheckpointFile("größe 7/model.pt", model.length, (int) crc.getValue()),
        kept.files().get(0));
    assertEquals(List.of("worker-0"), names(cluster.resolve(SET)));
    assertEquals(kept, Manifest.read(Files.readString(own().resolve("manifest"))));

    assertEquals(kept, bring());

    for (CheckpointFile file : kept.files()) {
      assertEquals("in " + file.path(), Files.readString(FileNames.resolve(into, file.path())));
    }
  }

  private Path own() {
    return cluster.resolve(SET).resolve("worker-0");
  }

  @Test
  public void shouldCopyMoreThanItsMemoryAtATime() throws Exception {
    byte[] large = new byte[3 << 20];
    for (int i = 0; i < large.length; i++) {
      large[i] = (byte) ((i * 31) >> 7);
    }
    Path file = Files.write(local.resolve("large"), large);
    store.upload(
        cluster.toUri().toString(), SET, manifest("m", false), Map.of("m", file), UNCHANGED);
    bring();
    assertEquals(-1, Files.mismatch(file, into.resolve("m")));
  }

  @Test
  public void shouldLeaveNothingOfWhatIsNotAsItWas() throws Exception {
    Callable<Void> changed =
        () -> {
          String unfinished = names(cluster.resolve(SET)).get(0);
          assertTrue(unfinished, unfinished.startsWith(".worker-0-container_7-"));
          assertEquals(Optional.of("worker-0"), Manifest.finalName(unfinished));
          throw new IOException("it was changed");
        };
    Path file = Files.writeString(local.resolve("m"), "m");
    IOException e =
        assertThrows(
            IOException.class,
            () ->
                store.upload(
                    cluster.toUri().toString(),
                    SET,
                    manifest("m", false),
                    Map.of("m", file),
                    changed));
    assertEquals("it was changed", e.getMessage());
    assertEquals(List.of(), names(cluster.resolve(SET)));
  }

  @Test
  public void shouldKeepTheFirstOfASet() throws Exception {
    keep("a", false, "a");
    assertEquals("what is there is told", "a", keep("b", false, "b").name());
    assertEquals("a", bring().name());
  }

  /** As a container that is lost, and copies all the same. */
  @Test
  public void shouldKeepOneWhereTwoContainersOfATaskCopyAtTheSameTime() throws Exception {
    Path file = Files.writeString(local.resolve("late"), "late");
    HadoopStore other =
        new HadoopStore(HADOOP, ProgramTokens.write(local, TokenFile.NONE), "container_8");

    Manifest there =
        other.upload(
            cluster.toUri().toString(),
            SET,
            manifest("late", false),
            Map.of("late", file),
            () -> {
              keep("a", false, "a"); // it is faster
              return null;
            });

    assertEquals("a", there.name());
    assertEquals(List.of("worker-0"), names(cluster.resolve(SET)));
    assertEquals(
        List.of("data", "manifest"),
        names(own()).stream().filter(name -> !name.endsWith(".crc")).toList());
    assertEquals("a", bring().name());
  }

  /** It may be given up, and still write. */
  @Test
  public void shouldHaveNothingInCommonWithACopyBefore() throws Exception {
    Path before = cluster.resolve(SET).resolve(".worker-0-container_7-abc/data");
    Files.createDirectories(before);
    Files.writeString(before.resolve("old"), "half");

    keep("a", false, "a");

    assertEquals(List.of(".worker-0-container_7-abc", "worker-0"), names(cluster.resolve(SET)));
    assertTrue(Files.exists(before.resolve("old")));
    assertFalse(Files.exists(own().resolve("data/old")));
  }

  @Test
  public void shouldNotKeepWhatWasDeletedWhileItWasCopied() throws Exception {
    Callable<Void> swept =
        () -> {
          Files.move(cluster.resolve(SET), cluster.resolve("swept"));
          return null;
        };
    Path file = Files.writeString(local.resolve("m"), "m");

    IOException e =
        assertThrows(
            IOException.class,
            () ->
                store.upload(
                    cluster.toUri().toString(),
                    SET,
                    manifest("m", false),
                    Map.of("m", file),
                    swept));

    assertTrue(e.getMessage(), e.getMessage().contains(" was deleted while the checkpoint"));
    assertEquals(List.of(), names(cluster.resolve(SET)));
  }

  // ---- Damage ----

  /** Not what the local file system has for its own checks: that of the manifest is looked at. */
  private Path data(String name) throws IOException {
    Files.deleteIfExists(own().resolve("data/." + name + ".crc"));
    return own().resolve("data").resolve(name);
  }

  private void assertDamaged(String why) throws Exception {
    IOException e = assertThrows(ClusterStore.UnusableCheckpointException.class, this::bring);
    assertTrue(e.getMessage(), e.getMessage().startsWith("it is damaged: "));
    assertTrue(e.getMessage(), e.getMessage().contains(why));
    String then =
        ". Its folder is called worker-0.damaged now: the next start goes on from an older one, or"
            + " starts clean";
    assertTrue(e.getMessage(), e.getMessage().endsWith(then));
    assertEquals(List.of("worker-0.damaged"), names(cluster.resolve(SET)));
  }

  @Test
  public void shouldSetAsideWhatHasOtherBytes() throws Exception {
    keep("a", false, "a");
    Files.writeString(data("a"), "IN a");
    assertDamaged(" has 4 bytes with CRC ");
  }

  @Test
  public void shouldSetAsideWhatTheFileSystemFindsWrong() throws Exception {
    keep("a", false, "a");
    Files.writeString(own().resolve("data/a"), "IN a");
    assertDamaged("data/a: ");
  }

  @Test
  public void shouldSetAsideWhatIsShorter() throws Exception {
    keep("a", false, "a");
    Files.writeString(data("a"), "in");
    assertDamaged("data/a has 2 bytes, and was kept with 4");
  }

  @Test
  public void shouldSetAsideWhatLacksAFile() throws Exception {
    keep("f", true, "f/a", "f/b");
    Files.delete(data("f/b"));
    assertDamaged("data/f/b is not there");
  }

  @Test
  public void shouldSetAsideAManifestThatWasCutOff() throws Exception {
    keep("a", false, "a");
    Path manifest = own().resolve("manifest");
    Files.delete(own().resolve(".manifest.crc"));
    String text = Files.readString(manifest);
    Files.writeString(manifest, text.substring(0, text.length() - 1));
    assertDamaged("manifest: it breaks off");
  }

  @Test
  public void shouldSetAsideAManifestThatNobodyCanRead() throws Exception {
    keep("a", false, "a");
    Files.delete(own().resolve(".manifest.crc"));
    Files.write(own().resolve("manifest"), new byte[Manifest.MAX_BYTES + 1]);
    assertDamaged("manifest has more than 8388608 bytes");
  }

  @Test
  public void shouldSetAsideWhatHasNoManifest() throws Exception {
    keep("a", false, "a");
    Files.delete(own().resolve("manifest"));
    assertDamaged("manifest is not there");
  }

  @Test
  public void shouldNotCallDamagedWhatIsNotThereAnyMore() throws Exception {
    keep("a", false, "a");
    Files.move(cluster.resolve(SET), cluster.resolve("swept"));

    IOException e = assertThrows(ClusterStore.UnusableCheckpointException.class, this::bring);

    assertTrue(e.getMessage(), e.getMessage().contains("/worker-0 is not there any more"));
    assertFalse(e.getMessage(), e.getMessage().contains("damaged"));
  }

  /** All tasks of a job go on from the chief's. */
  @Test
  public void shouldCallDamagedWhatAnotherTaskHasSetAside() throws Exception {
    keep("a", false, "a");
    Files.writeString(data("a"), "IN a");
    assertDamaged(" has 4 bytes with CRC ");
    assertDamaged("manifest is not there");
  }

  /** A file is in the way. */
  @Test
  public void shouldSayWhatToDoWhereItCannotBeSetAside() throws Exception {
    keep("a", false, "a");
    Files.writeString(data("a"), "IN a");
    Files.writeString(cluster.resolve(SET).resolve("worker-0.damaged"), "in the way");

    IOException e = assertThrows(ClusterStore.UnusableCheckpointException.class, this::bring);

    assertTrue(
        e.getMessage(),
        e.getMessage().contains(". Its folder could not be renamed: delete or rename file:"));
    assertTrue(Files.exists(own()));
  }

  @Test
  public void shouldSetNothingAsideWhereTheNodeIsTheTrouble() throws Exception {
    keep("f", true, "f/a");
    Files.writeString(into.resolve("f"), "in the way");

    IOException e = assertThrows(IOException.class, this::bring);

    assertFalse(e.getMessage(), e.getMessage().contains("damaged"));
    assertFalse("it may be tried again", e instanceof ClusterStore.UnusableCheckpointException);
    assertEquals(List.of("worker-0"), names(cluster.resolve(SET)));
  }

  @Test
  public void shouldBringItBackWhenAFullDiskHasRoomAgain() throws Exception {
    boolean root = System.getProperty("user.name").equals("root");
    assumeTrue("only root can mount a file system", root);
    keep("f", true, "f/a");
    run("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", into.toString());
    try {
      Path filler = into.resolve("filler");
      fill(filler);

      IOException e = assertThrows(IOException.class, this::bring);

      assertTrue(e.toString(), e.toString().contains("No space left on device"));
      assertFalse("it may be tried again", e instanceof ClusterStore.UnusableCheckpointException);
      assertEquals(List.of("worker-0"), names(cluster.resolve(SET)));
      Files.delete(filler);
      bring();
      assertEquals("in f/a", Files.readString(into.resolve("f/a")));
    } finally {
      run("umount", into.toString());
    }
  }

  /** Writes a file until its file system has no byte left. */
  private static void fill(Path file) throws IOException {
    byte[] page = new byte[4096];
    try (OutputStream out = Files.newOutputStream(file)) {
      while (true) {
        out.write(page);
      }
    } catch (IOException e) {
      assertEquals("No space left on device", e.getMessage());
    }
  }

  private static void run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(text, 0, process.waitFor());
  }
}
