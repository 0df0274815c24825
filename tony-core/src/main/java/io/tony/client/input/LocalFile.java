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

/**
 * A readable file on this machine. A file in an allowed folder is opened from that folder without
 * following links, so that a symlink put in its place after the check is not followed.
 */
public final class LocalFile {
  private final Path folder; // null if the file is opened by its path
  private final Path path;

  private LocalFile(Path folder, Path path) {
    this.folder = folder;
    this.path = path;
  }

  /** Returns a file that may be anywhere on this machine. */
  public static LocalFile of(Path path) {
    return new LocalFile(null, path);
  }

  /** Returns a file below a folder. Both paths must be real paths. */
  static LocalFile in(Path folder, Path path) {
    return new LocalFile(folder, path);
  }

  public Path path() {
    return path;
  }

  /** Opens the file. Reading throws an exception if the thread is interrupted. */
  public InputStream open() throws IOException {
    return Channels.newInputStream(channel()); // unlike the stream of Files.newInputStream
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
