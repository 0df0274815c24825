package io.tony.client.submit;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.client.input.LocalFile;
import io.tony.config.TonyConfig;
import io.tony.container.Staging;
import io.tony.eventlog.SharedFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStreamBuilder;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class UploadCacheTest {
  private static final Duration KEEP = Duration.ofDays(30);

  /** SHA-256 of {@code abc}. */
  private static final String ABC =
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private FileSystem fs;
  private Path folder;
  private Instant now = Instant.now();
  private UploadCache cache;

  @Before
  public void open() throws IOException {
    fs = FileSystem.getLocal(new Configuration()).getRawFileSystem();
    folder = new Path(temporary.getRoot().toURI().getPath(), "cache");
    cache = cache(folder).orElseThrow();
  }

  private Optional<UploadCache> cache(Path where) throws IOException {
    return UploadCache.open(fs, where.toString(), KEEP, () -> now);
  }

  private LocalFile local(String name, String content) throws IOException {
    return LocalFile.of(Files.writeString(temporary.getRoot().toPath().resolve(name), content));
  }

  private Staging staging(String application) throws IOException {
    Staging staging =
        new Staging(fs, temporary.getRoot().toPath().resolve("staging").toString(), application);
    staging.create();
    return staging;
  }

  private void unusedFor(String entry, Duration time) throws IOException {
    fs.setTimes(new Path(folder, entry), now.minus(time).toEpochMilli(), -1);
  }

  private List<String> entries() throws IOException {
    return Arrays.stream(fs.listStatus(folder))
        .map(FileStatus::getPath)
        .map(Path::getName)
        .sorted()
        .toList();
  }

  private static String content(Path path) throws IOException {
    return Files.readString(java.nio.file.Path.of(path.toUri()), StandardCharsets.UTF_8);
  }

  private String permission(Path path) throws IOException {
    return fs.getFileStatus(path).getPermission().toString();
  }

  @Test
  public void shouldKeepACopyByItsContentsForTheOwnerOnly() throws IOException {
    UploadCache.Copy copy = cache.getOrUpload(local("a", "abc"), "env.tar.gz").orElseThrow();

    assertEquals(fs.makeQualified(new Path(folder, ABC + "/env.tar.gz")), copy.path());
    assertFalse(copy.reused());
    assertEquals("abc", content(copy.path()));
    assertEquals("rw-------", permission(copy.path()));
    assertEquals("rwx------", permission(copy.path().getParent()));
    assertEquals("rwx------", permission(folder));
    assertEquals("nothing else is left", List.of(ABC), entries());
  }

  @Test
  public void shouldTakeTheCopyOfAnEarlierJobAsItIs() throws IOException {
    Path copy = cache.getOrUpload(local("a", "abc"), "env.tar.gz").orElseThrow().path();
    fs.setTimes(copy, 1_700_000_000_000L, -1);
    unusedFor(ABC, Duration.ofDays(26));

    UploadCache.Copy again = cache.getOrUpload(local("b", "abc"), "env.tar.gz").orElseThrow();

    assertEquals(new UploadCache.Copy(copy, true), again);
    assertEquals(1_700_000_000_000L, fs.getFileStatus(copy).getModificationTime());
    assertEquals(
        "its time begins again",
        now.toEpochMilli(),
        fs.getFileStatus(copy.getParent()).getModificationTime());
  }

  @Test
  public void shouldMakeANewCopyOfWhatHasChanged() throws IOException {
    Path first = cache.getOrUpload(local("a", "abc"), "env.tar.gz").orElseThrow().path();

    UploadCache.Copy second = cache.getOrUpload(local("a", "xyz"), "env.tar.gz").orElseThrow();

    assertFalse(second.reused());
    assertEquals("xyz", content(second.path()));
    assertEquals("abc", content(first));
  }

  @Test
  public void shouldNotTakeWhatIsAboutToBeDeletedOrIsNotWhole() throws IOException {
    Path copy = cache.getOrUpload(local("a", "abc"), "env.tar.gz").orElseThrow().path();
    unusedFor(ABC, Duration.ofDays(28));
    assertEquals(Optional.empty(), cache.getOrUpload(local("a", "abc"), "env.tar.gz"));

    unusedFor(ABC, Duration.ZERO);
    Files.writeString(java.nio.file.Path.of(copy.toUri()), "ab");
    assertEquals(Optional.empty(), cache.getOrUpload(local("a", "abc"), "env.tar.gz"));
  }

  @Test
  public void shouldHaveOneCopyOfWhatSeveralUploadAtOnce() throws Exception {
    int clients = 8;
    LocalFile file = local("a", "x".repeat(1 << 20));
    CyclicBarrier together = new CyclicBarrier(clients);
    ExecutorService threads = Executors.newFixedThreadPool(clients);
    List<Future<UploadCache.Copy>> taken = new ArrayList<>();
    Callable<UploadCache.Copy> client =
        () -> {
          UploadCache own = cache(folder).orElseThrow();
          together.await();
          return own.getOrUpload(file, "env.zip").orElseThrow();
        };
    for (int i = 0; i < clients; i++) {
      taken.add(threads.submit(client));
    }

    for (Future<UploadCache.Copy> copy : taken) {
      assertEquals(1 << 20, content(copy.get().path()).length());
    }
    threads.shutdown();
    assertEquals("no part is left", 1, entries().size());
  }

  @Test
  public void shouldLeaveWhatWasUploadedAnewWhileItLooked() throws IOException {
    cache.getOrUpload(local("a", "abc"), "a.zip");
    unusedFor(ABC, KEEP.plusMinutes(1));
    Staging own = staging("application_1_0001");
    own.writeConfig(TonyConfig.builder().build());
    Path config = fs.makeQualified(own.config());
    FileSystem slow =
        new FilterFileSystem(fs) {
          @Override
          public FSDataInputStream open(Path file, int buffer) throws IOException {
            FSDataInputStream in = super.open(file, buffer);
            if (makeQualified(file).equals(config)) {
              cache.sweep(own);
              cache.getOrUpload(local("b", "abc"), "a.zip");
            }
            return in;
          }
        };

    UploadCache.open(slow, folder.toString(), KEEP, () -> now)
        .orElseThrow()
        .sweep(new Staging(slow, own.folder().getParent().toString(), "application_1_0001"));

    assertEquals("abc", content(fs.makeQualified(new Path(folder, ABC + "/a.zip"))));
  }

  @Test
  public void shouldDeleteWhatNobodyHasTakenForLong() throws IOException {
    cache.getOrUpload(local("a", "abc"), "a.zip");
    Path young = cache.getOrUpload(local("b", "xyz"), "b.zip").orElseThrow().path();
    unusedFor(ABC, KEEP.plusMinutes(1));
    unusedFor(young.getParent().getName(), KEEP.minusMinutes(1));
    fs.create(new Path(folder, "part-1")).close();
    unusedFor("part-1", Duration.ofHours(25));
    fs.create(new Path(folder, "part-2")).close();
    unusedFor("part-2", Duration.ofHours(23));

    cache.sweep(staging("application_1_0001"));

    assertEquals(Stream.of(young.getParent().getName(), "part-2").sorted().toList(), entries());
  }

  @Test
  public void shouldNotDeleteWhatAJobNamesThatIsStillThere() throws IOException {
    Path copy = cache.getOrUpload(local("a", "abc"), "a.zip").orElseThrow().path();
    unusedFor(ABC, KEEP.multipliedBy(3));
    Staging own = staging("application_1_0002");
    Staging waiting = staging("application_1_0001");
    fs.create(waiting.config()).close();
    Files.writeString(
        java.nio.file.Path.of(waiting.config().toUri()),
        "tony.containers.resources=" + copy + "::data#archive\n");

    cache.sweep(own);
    assertTrue(fs.exists(copy));

    waiting.delete();
    cache.sweep(own);
    assertEquals(List.of(), entries());
  }

  @Test
  public void shouldNotUseAFolderThatOthersMayWriteTo() throws IOException {
    Path open = new Path(temporary.getRoot().toURI().getPath(), "open");
    fs.mkdirs(open);
    fs.setPermission(open, new FsPermission((short) 0770));
    assertEquals(Optional.empty(), cache(open));

    fs.setPermission(open, new FsPermission((short) 0700));
    assertTrue(cache(open).isPresent());
  }

  @Test
  public void shouldUseOnlyAFolderOfTheUsersOwnThatIsClosedToAll() throws IOException {
    Path readable = new Path(temporary.getRoot().toURI().getPath(), "readable");
    fs.mkdirs(readable);
    fs.setPermission(readable, new FsPermission((short) 0704));
    assertEquals(Optional.empty(), cache(readable));

    Path file = new Path(temporary.getRoot().toURI().getPath(), "file");
    fs.create(file).close();
    fs.setPermission(file, new FsPermission((short) 0700));
    assertEquals(Optional.empty(), cache(file));

    Configuration conf = new Configuration();
    SharedFolder.give(conf, folder.getName(), "mallory");
    FileSystem shown = FileSystem.get(folder.toUri(), conf);
    assertEquals(Optional.empty(), UploadCache.open(shown, folder.toString(), KEEP, () -> now));
  }

  /** YARN would hand to the tasks what is neither the old file nor the new one. */
  @Test
  public void shouldKeepNothingOfAFileThatChangesWhileItIsUploaded() throws IOException {
    LocalFile file = local("a", "abc");
    FileSystem slow =
        new FilterFileSystem(fs) {
          @Override
          public FSDataOutputStreamBuilder<?, ?> createFile(Path part) {
            try {
              local("a", "xyz");
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
            return super.createFile(part);
          }
        };
    UploadCache uploading =
        UploadCache.open(slow, folder.toString(), KEEP, () -> now).orElseThrow();

    IOException changed =
        assertThrows(IOException.class, () -> uploading.getOrUpload(file, "env.tar.gz"));

    assertTrue(
        changed.toString(), changed.getMessage().contains("was changed while it was uploaded"));
    assertEquals(List.of(), entries());
  }

  /** Whatever else the user, or another program, has put there. */
  @Test
  public void shouldDeleteOnlyWhatIsItsOwn() throws IOException {
    for (String name : List.of("notes", "hash-1", ABC + ".bak", "hash-" + ABC, ABC)) {
      fs.mkdirs(new Path(folder, name));
      unusedFor(name, KEEP.multipliedBy(2));
    }

    cache.sweep(staging("application_1_0001"));

    assertEquals(List.of(ABC + ".bak", "hash-1", "notes"), entries());
  }

  @Test
  public void shouldKeepNothingWhereItsTimeIsZero() throws IOException {
    Path none = new Path(temporary.getRoot().toURI().getPath(), "none");

    assertEquals(Optional.empty(), UploadCache.open(fs, none.toString(), Duration.ZERO, () -> now));
    assertFalse(fs.exists(none));
  }

  @Test
  public void shouldFailForAFileThatIsNotThere() {
    java.nio.file.Path missing = temporary.getRoot().toPath().resolve("missing");

    assertThrows(IOException.class, () -> cache.getOrUpload(LocalFile.of(missing), "missing"));
  }
}
