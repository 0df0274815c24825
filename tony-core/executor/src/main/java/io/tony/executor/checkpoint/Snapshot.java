package io.tony.executor.checkpoint;

import io.tony.checkpoint.Manifest;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The files of one checkpoint as they were when the program named it, preserved by hard links, so
 * that the program may delete or replace the checkpoint before it is uploaded.
 */
final class Snapshot {
  /**
   * Maximum number of files. If there are more, the program has probably named a folder that is not
   * a checkpoint.
   */
  static final int MAX_FILES = 10_000;

  /** Maximum number of characters of all file names together, to limit the executor's memory. */
  static final int MAX_NAME_CHARS = 1 << 20;

  /** Size and modification time of a file; if they differ later, the file was changed. */
  private record FileState(long size, FileTime time) {
    static FileState of(BasicFileAttributes attributes) {
      return new FileState(attributes.size(), attributes.lastModifiedTime());
    }
  }

  private final Path links;
  private final String name;
  private final boolean folder;
  private final Map<String, Path> files = new LinkedHashMap<>();
  private final Map<Path, FileState> fileStates = new LinkedHashMap<>();
  private int nameChars;

  private Snapshot(Path links, String name, boolean folder) {
    this.links = links;
    this.name = name;
    this.folder = folder;
  }

  /**
   * Takes a snapshot of a checkpoint.
   *
   * @param path a file or folder, or a symbolic link to one
   * @param links folder for the hard links; must not exist yet
   * @throws IOException if the path names nothing that can be saved; the message has the reason and
   *     the remedy
   */
  static Snapshot of(Path path, Path links) throws IOException {
    if (!Files.exists(path)) {
      throw new IOException(
          path
              + " does not exist: write the checkpoint first, then name it, by an absolute path or"
              + " one relative to the working directory");
    }
    Path root = path.toRealPath();
    boolean folder = Files.isDirectory(root);
    Snapshot snapshot = new Snapshot(links, FileNames.last(path.normalize()), folder);
    snapshot.requirePlain(snapshot.name);
    Files.createDirectories(links);
    try {
      if (folder) {
        snapshot.addAll(root);
      } else {
        snapshot.add(snapshot.name, root, Files.readAttributes(root, BasicFileAttributes.class));
      }
      if (snapshot.files.isEmpty()) {
        throw new IOException("it is a folder without files: name a checkpoint when it is written");
      }
      return snapshot;
    } catch (NoSuchFileException e) {
      snapshot.delete();
      throw new IOException(
          e.getFile()
              + " was deleted before TonY could hold it: delete a checkpoint at the earliest one"
              + " second after naming it",
          e);
    } catch (IOException | RuntimeException e) {
      snapshot.delete();
      throw e;
    }
  }

  private void addAll(Path root) throws IOException {
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            add(name + "/" + FileNames.within(root, file), file, attributes);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  private void add(String path, Path file, BasicFileAttributes attributes) throws IOException {
    requirePlain(path);
    if (!attributes.isRegularFile()) {
      throw new IOException(
          "'"
              + path
              + "' is a link, or neither file nor folder: a checkpoint is of files and folders");
    }
    if (files.size() == MAX_FILES) {
      throw new IOException(
          "it has more than "
              + MAX_FILES
              + " files: name the folder of the checkpoint alone, or write fewer and larger files");
    }
    if (!Manifest.isPath(path)) {
      throw new IOException(
          "the name '"
              + path
              + "' has a control character, or a part of more than "
              + Manifest.MAX_NAME_BYTES
              + " bytes: give it another name");
    }
    Path linked = linkOrOriginal(file);
    nameChars += path.length() + (linked.equals(file) ? file.toString().length() : 0);
    if (nameChars > MAX_NAME_CHARS) {
      throw new IOException(
          "the names of its files, with their folders, have together more than "
              + MAX_NAME_CHARS
              + " characters: name the folder of the checkpoint alone, or write fewer files, or"
              + " shorter names");
    }
    files.put(path, linked);
    fileStates.put(linked, FileState.of(attributes));
  }

  /**
   * Throws if the path contains a colon, which HDFS does not allow, or a line break, because a
   * manifest has one file per line.
   */
  private void requirePlain(String path) throws IOException {
    if (path.isEmpty() || path.indexOf(':') >= 0 || path.indexOf('\n') >= 0) {
      throw new IOException(
          "the name '"
              + path
              + "' is empty, or has a colon or a line break, which the cluster's file system does"
              + " not take: give it another name");
    }
  }

  /**
   * Makes a hard link to the file and returns the link. Returns the file itself if no link can be
   * made, for example because the file is on another file system.
   */
  private Path linkOrOriginal(Path file) throws IOException {
    try {
      return Files.createLink(links.resolve(Integer.toString(files.size())), file);
    } catch (NoSuchFileException e) {
      throw e;
    } catch (FileSystemException | UnsupportedOperationException e) {
      return file;
    }
  }

  /** Returns the name of the checkpoint's file or folder, without its parent folders. */
  String name() {
    return name;
  }

  boolean isFolder() {
    return folder;
  }

  /**
   * Returns the files to copy; the keys are their paths relative to the parent of the checkpoint's
   * file or folder.
   */
  Map<String, Path> files() {
    return files;
  }

  /**
   * Checks, after the copy, that no file was changed since the snapshot.
   *
   * @throws IOException if a file was changed, so that the copy may be inconsistent
   */
  void requireUnchanged() throws IOException {
    for (Map.Entry<String, Path> file : files.entrySet()) {
      Path linked = file.getValue();
      BasicFileAttributes now = Files.readAttributes(linked, BasicFileAttributes.class);
      if (!FileState.of(now).equals(fileStates.get(linked))) {
        throw new IOException(
            "'"
                + file.getKey()
                + "' was changed while it was copied: write to a new name, or write elsewhere and"
                + " rename, and name it then");
      }
    }
  }

  /** Deletes the hard links. The program's own files stay. */
  void delete() {
    FreshFolder.delete(links);
  }
}
