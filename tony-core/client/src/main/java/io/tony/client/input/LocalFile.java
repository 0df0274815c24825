package io.tony.client.input;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A readable file on this machine. A file of a step of Azkaban is opened by way of an allowed
 * folder and without following links: if a user replaces the file by a symlink after the check, the
 * client must not read the symlink's target.
 */
public final class LocalFile {
  private final @Nullable Path folder; // null if the file is opened by its path
  private final Path path;

  private LocalFile(@Nullable Path folder, Path path) {
    this.folder = folder;
    this.path = path;
  }

  /** Returns a file anywhere on this machine. Links in its path are followed. */
  public static LocalFile of(Path path) {
    return new LocalFile(null, path);
  }

  /**
   * Returns a file below an allowed folder.
   *
   * @param folder the folder, as a real path
   * @param path the file, as a real path
   */
  static LocalFile in(Path folder, Path path) {
    return new LocalFile(folder, path);
  }

  public Path path() {
    return path;
  }

  /** Opens the file for reading. If the thread is interrupted, reads throw an exception. */
  public InputStream open() throws IOException {
    return Channels.newInputStream(channel()); // reads of Files.newInputStream ignore interrupts
  }

  SeekableByteChannel channel() throws IOException {
    if (folder == null) {
      return Files.newByteChannel(path);
    }
    try (DirectoryStream<Path> top = Files.newDirectoryStream(folder)) {
      if (!(top instanceof SecureDirectoryStream<Path> secure)) {
        throw new IOException("this machine has no way to open a file that follows no links");
      }
      return open(secure, folder.relativize(path));
    }
  }

  private static SeekableByteChannel open(SecureDirectoryStream<Path> folder, Path relative)
      throws IOException {
    if (relative.getNameCount() == 1) {
      Set<OpenOption> options = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
      return folder.newByteChannel(relative, options);
    }
    try (SecureDirectoryStream<Path> next =
        folder.newDirectoryStream(relative.getName(0), LinkOption.NOFOLLOW_LINKS)) {
      return open(next, relative.subpath(1, relative.getNameCount()));
    }
  }
}
