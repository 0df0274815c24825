package io.tony.client.submit;

import io.tony.client.input.LocalFile;
import io.tony.client.input.Sha256;
import io.tony.container.Staging;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Caches the files that a user's jobs have shipped, in a folder on the cluster that only this user
 * can read, so that later jobs need not upload them again. Each copy is named after its contents,
 * {@code SHA-256/name}.
 *
 * <p>A copy is never overwritten, because YARN refuses a file whose modification time has changed
 * since the submission. When a copy is used, the modification time of its parent folder is set
 * instead. The client of each new job deletes copies that were not used for the retention time,
 * except those that are named in the staged configuration of a job, which may still wait or run.
 *
 * <p>No lock is needed. Clients that upload the same file write to different temporary files; of
 * two identical copies, the one renamed second is discarded. No copy is deleted while another
 * client starts to use it: a copy is used only in the first nine tenths of its retention time, and
 * deleted only after the whole retention time. The last tenth (three days by default) lies in
 * between.
 */
final class UploadCache {
  private static final Logger LOG = LoggerFactory.getLogger(UploadCache.class);

  private static final FsPermission OWNER_ONLY_FOLDER = new FsPermission((short) 0700);
  private static final FsPermission OWNER_ONLY_FILE = new FsPermission((short) 0600);

  /** Name prefix of incomplete uploads. */
  private static final String PART_PREFIX = "part-";

  /** Matches the names of all entries: copies, cached hashes and incomplete uploads. */
  private static final Pattern ENTRY_NAMES =
      Pattern.compile("(hash-)?[0-9a-f]{64}|" + PART_PREFIX + ".*");

  /** Maximum duration of an upload. If an incomplete upload is older, its client was killed. */
  private static final Duration MAX_UPLOAD_TIME = Duration.ofDays(1);

  /**
   * A cached copy of a local file.
   *
   * @param path path of the copy on the cluster
   * @param reused whether the copy existed before
   */
  record Copy(Path path, boolean reused) {
    /** Returns the SHA-256 hash of the contents, in hexadecimal. */
    String hash() {
      return path.getParent().getName();
    }
  }

  private final FileSystem fs;
  private final Path folder;
  private final Duration retention;
  private final InstantSource clock;
  private final HashCache hashes;

  private UploadCache(FileSystem fs, Path folder, Duration retention, InstantSource clock) {
    this.hashes = new HashCache(fs, folder, clock);
    this.fs = fs;
    this.folder = folder;
    this.retention = retention;
    this.clock = clock;
  }

  /**
   * Opens the user's cache, and creates its folder if needed.
   *
   * @param location path of the cache's folder, which must belong to the user; a relative path
   *     starts at the user's home
   * @param retention how long an unused copy is kept; zero disables the cache
   * @return empty if the cache is disabled, or the folder cannot be used: it cannot be created or
   *     read, belongs to another user, or other users have access to it
   */
  static Optional<UploadCache> open(
      FileSystem fs, String location, Duration retention, InstantSource clock) throws IOException {
    if (retention.isZero()) {
      return Optional.empty();
    }
    Path folder = new Path(fs.getHomeDirectory(), location);
    try {
      FileStatus status = find(fs, folder).orElse(null);
      if (status == null) {
        fs.mkdirs(folder, OWNER_ONLY_FOLDER);
        status = fs.getFileStatus(folder);
      }
      if (isPrivate(status)) {
        return Optional.of(new UploadCache(fs, status.getPath(), retention, clock));
      }
      LOG.warn(
          "{} is not used: it must be a folder of the job's user with permission rwx------, and is"
              + " {}'s with {}",
          folder,
          status.getOwner(),
          status.getPermission());
    } catch (AccessControlException e) {
      LOG.warn("Nothing is kept for the next job: {}", e.toString());
    }
    return Optional.empty();
  }

  private static boolean isPrivate(FileStatus status) throws IOException {
    FsPermission permission = status.getPermission();
    return status.isDirectory()
        && status.getOwner().equals(UserGroupInformation.getCurrentUser().getShortUserName())
        && permission.getGroupAction() == FsAction.NONE
        && permission.getOtherAction() == FsAction.NONE;
  }

  /**
   * Returns the cached copy of a file; uploads the file if there is none.
   *
   * @param name file name of the copy; YARN unpacks an archive according to the extension of the
   *     name
   * @return empty if there is a copy that must not be used, because it is damaged or may be deleted
   *     soon
   */
  Optional<Copy> getOrUpload(LocalFile file, String name) throws IOException {
    String hash = hashes.getOrCompute(file);
    Path entry = new Path(folder, hash);
    Path copy = new Path(entry, name);
    Optional<FileStatus> existing = find(fs, entry);
    if (existing.isPresent()
        && unusedTime(existing.get()).compareTo(retention.multipliedBy(9).dividedBy(10)) > 0) {
      return Optional.empty();
    }
    Optional<FileStatus> complete = find(fs, copy);
    if (complete.isEmpty()) {
      upload(file, hash, copy);
    } else if (complete.get().getLen() == Files.size(file.path())) {
      fs.setTimes(entry, clock.millis(), -1);
    } else {
      return Optional.empty();
    }
    return Optional.of(new Copy(copy, complete.isPresent()));
  }

  private void upload(LocalFile file, String hash, Path copy) throws IOException {
    Path part = new Path(folder, PART_PREFIX + UUID.randomUUID());
    try {
      String uploaded;
      try (OutputStream out = fs.createFile(part).permission(OWNER_ONLY_FILE).build()) {
        uploaded = Sha256.copy(file, out);
      }
      if (!uploaded.equals(hash)) {
        throw new IOException(
            file.path() + " was changed while it was uploaded: submit again when it is complete");
      }
      fs.mkdirs(copy.getParent(), OWNER_ONLY_FOLDER);
      // FileSystem.rename would overwrite the target on some file systems; this rename does not.
      FileContext.getFileContext(folder.toUri(), fs.getConf()).rename(part, copy);
    } catch (FileAlreadyExistsException e) {
      LOG.debug("Another client was quicker with {}", copy, e);
      fs.delete(part, false);
    } catch (IOException e) {
      discard(part);
      throw e;
    }
  }

  /**
   * Deletes an incomplete upload. A failure is only logged; the client of a later job deletes the
   * upload.
   */
  private void discard(Path part) {
    try {
      fs.delete(part, false);
    } catch (IOException e) {
      LOG.debug("{} stays behind", part, e);
    }
  }

  /**
   * Deletes entries that were not used for the retention time. Failures are only logged.
   *
   * @param own staging folder of the new job; the staging folders of the user's other jobs have the
   *     same parent folder
   */
  void sweep(Staging own) {
    try {
      List<Path> expired =
          Stream.of(fs.listStatus(folder))
              .filter(this::isExpired)
              .map(FileStatus::getPath)
              .toList();
      if (expired.isEmpty()) {
        return;
      }
      String configurationText = configurationTexts(own);
      for (Path entry : expired) {
        // Check the age again: meanwhile another client may have deleted the entry, and a third
        // client uploaded the file again.
        if (!configurationText.contains(entry.getName())
            && find(fs, entry).filter(this::isExpired).isPresent()) {
          LOG.info("{} was not used for long; it is deleted", entry);
          fs.delete(entry, true);
        }
      }
    } catch (IOException e) {
      LOG.warn("Files of earlier jobs may stay in {}: {}", folder, e.toString());
    }
  }

  private boolean isExpired(FileStatus entry) {
    String name = entry.getPath().getName();
    Duration limit = name.startsWith(PART_PREFIX) ? MAX_UPLOAD_TIME : retention;
    return ENTRY_NAMES.matcher(name).matches() && unusedTime(entry).compareTo(limit) > 0;
  }

  private String configurationTexts(Staging own) throws IOException {
    StringBuilder text = new StringBuilder();
    for (FileStatus job : fs.listStatus(own.folder().getParent())) {
      try (InputStream in = fs.open(new Path(job.getPath(), Staging.CONFIG_FILE))) {
        text.append(new String(in.readAllBytes(), StandardCharsets.UTF_8));
      } catch (FileNotFoundException e) {
        LOG.debug("{} is being filled, or has just been deleted", job.getPath(), e);
      }
    }
    return text.toString();
  }

  private Duration unusedTime(FileStatus entry) {
    return Duration.between(Instant.ofEpochMilli(entry.getModificationTime()), clock.instant());
  }

  private static Optional<FileStatus> find(FileSystem fs, Path path) throws IOException {
    try {
      return Optional.of(fs.getFileStatus(path));
    } catch (FileNotFoundException e) {
      return Optional.empty();
    }
  }
}
