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
 * Copies of what a user's jobs have shipped, by their contents: {@code SHA-256/name} in a folder
 * that only the owner can read. The next job takes a copy instead of uploading the same once more.
 *
 * <p>A copy is never written again, because YARN refuses a file whose time of modification is
 * another than at the submission. When it was last taken is the time of the folder around it. Those
 * that nobody has taken for long are deleted by the owner's next job, but for what is named in the
 * configuration of a job that still has its staging folder: it may wait or run as long as it likes.
 *
 * <p>No lock is needed. Two clients that upload the same write to names of their own; the copy that
 * is moved into its place second is discarded, and the first is as good. A client that takes a copy
 * and one that deletes it do not meet: it is taken in the first nine tenths of its time only, and
 * deleted after the end of it, so that the last tenth (three days by default) lies between what one
 * of them looks at and what the other does.
 */
final class UploadCache {
  private static final Logger LOG = LoggerFactory.getLogger(UploadCache.class);

  private static final FsPermission OWNER_ONLY_FOLDER = new FsPermission((short) 0700);
  private static final FsPermission OWNER_ONLY_FILE = new FsPermission((short) 0600);

  /** Begins the name of what is not complete yet. */
  private static final String PART_PREFIX = "part-";

  /** The names of all that is kept here: copies, notes of hashes, and what is not complete. */
  private static final Pattern ENTRY_NAMES =
      Pattern.compile("(hash-)?[0-9a-f]{64}|" + PART_PREFIX + ".*");

  /** No upload takes so long: what is incomplete by then was left by a client that was killed. */
  private static final Duration MAX_UPLOAD_TIME = Duration.ofDays(1);

  /** A file on the cluster that holds what a local one does. */
  record Copy(Path path, boolean reused) {
    /** Of what it holds. */
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
   * Opens the cache, and makes it the first time.
   *
   * @param location its folder, which is the user's own; below the home unless it is absolute
   * @param retention for how long a copy stays that is not taken
   * @return nothing where there is to be none ({@code keep} is zero), or where others could have
   *     put something into the folder
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
   * Brings a file to the cluster, unless it is there.
   *
   * @param name of the copy; YARN unpacks an archive by the end of it
   * @return nothing when the copy that is there must not be taken: it is about to be deleted
   */
  Optional<Copy> getOrUpload(LocalFile file, String name) throws IOException {
    String hash = hashes.of(file);
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
      // FileSystem's own rename would replace the file on some file systems.
      FileContext.getFileContext(folder.toUri(), fs.getConf()).rename(part, copy);
    } catch (FileAlreadyExistsException e) {
      LOG.debug("Another client was quicker with {}", copy, e);
      fs.delete(part, false);
    } catch (IOException e) {
      discard(part);
      throw e;
    }
  }

  /** Where this fails, too, a later job does it. */
  private void discard(Path part) {
    try {
      fs.delete(part, false);
    } catch (IOException e) {
      LOG.debug("{} stays behind", part, e);
    }
  }

  /**
   * Deletes what nobody has taken for long. That it fails is no reason to fail the job.
   *
   * @param own staging folder of a job; the jobs that are alive have theirs beside it
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
        // Another client's sweep may have deleted it, and a third client uploaded it anew.
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
