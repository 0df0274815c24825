package io.tony.client.submit;

import io.tony.client.input.LocalFile;
import io.tony.client.input.Sha256;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Caches the SHA-256 hashes of large local files, because in the client's JVM, which is tuned for a
 * quick start, hashing a file takes as long as uploading it. Each hash is stored in a file of its
 * own in the cluster's file system; the name of that file is derived from the local file's path and
 * inode metadata. Every change of the local file changes its inode number or its change time
 * (ctime), which programs cannot set back, so an outdated hash is never found.
 */
final class HashCache {
  private static final Logger LOG = LoggerFactory.getLogger(HashCache.class);

  private static final FsPermission OWNER_ONLY = new FsPermission((short) 0600);

  /**
   * Minimum size in bytes of a file whose hash is cached; hashing a smaller file takes less than
   * half a second.
   */
  private static final long MIN_CACHED_BYTES = 16 << 20;

  /**
   * Minimum time since a local file's last change for its hash to be cached: the time stamps of
   * file systems are so coarse that two successive changes may have equal time stamps.
   */
  private static final Duration MIN_FILE_AGE = Duration.ofSeconds(10);

  private final FileSystem fs;
  private final Path folder;
  private final InstantSource clock;

  /**
   * Creates a cache in this folder.
   *
   * @param folder a folder to which only the current user can write
   */
  HashCache(FileSystem fs, Path folder, InstantSource clock) {
    this.fs = fs;
    this.folder = folder;
    this.clock = clock;
  }

  String getOrCompute(LocalFile file) throws IOException {
    Optional<Path> entry = entryPath(file.path());
    Optional<String> cached = entry.isEmpty() ? Optional.empty() : read(entry.get());
    if (cached.isPresent()) {
      return cached.get();
    }
    String hash = Sha256.of(file);
    // If the file was changed while it was read, its state belongs to a different cache entry now.
    // Do not store the hash then: it may be that of neither state.
    if (entry.isPresent() && entry.equals(entryPath(file.path()))) {
      write(entry.get(), hash);
    }
    return hash;
  }

  /**
   * Returns the path of the cache entry for the present state of the file; empty if the file is too
   * small to be cached, or was changed just now.
   */
  private Optional<Path> entryPath(java.nio.file.Path file) throws IOException {
    Map<String, Object> inode =
        Files.readAttributes(file, "unix:dev,ino,size,lastModifiedTime,ctime");
    FileTime changed = (FileTime) Objects.requireNonNull(inode.get("ctime"));
    if ((long) Objects.requireNonNull(inode.get("size")) < MIN_CACHED_BYTES
        || changed.toInstant().plus(MIN_FILE_AGE).isAfter(clock.instant())) {
      return Optional.empty();
    }
    MessageDigest digest = Sha256.newDigest();
    for (String name : new String[] {"dev", "ino", "size", "lastModifiedTime", "ctime"}) {
      digest.update((name + "=" + inode.get(name) + "\n").getBytes(StandardCharsets.UTF_8));
    }
    // Hash the path as given, not its real path: if the file is later replaced by a symlink, the
    // name of the entry changes.
    digest.update(file.toAbsolutePath().toString().getBytes(StandardCharsets.UTF_8));
    return Optional.of(new Path(folder, "hash-" + Sha256.hexDigest(digest)));
  }

  private Optional<String> read(Path entry) throws IOException {
    try (InputStream in = fs.open(entry)) {
      String hash = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return hash.matches("[0-9a-f]{64}") ? Optional.of(hash) : Optional.empty();
    } catch (FileNotFoundException e) {
      return Optional.empty();
    }
  }

  /**
   * Writes a cache entry. Failures are only logged; another client may be writing the same entry.
   */
  private void write(Path entry, String hash) {
    try (OutputStream out = fs.createFile(entry).permission(OWNER_ONLY).overwrite(true).build()) {
      out.write(hash.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      LOG.debug("{} was not written", entry, e);
    }
  }
}
