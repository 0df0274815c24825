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
 * The files of a checkpoint as they are when the program names it. Hard links hold them: a program
 * may delete or replace its own from then on, and need not wait for the copy.
 */
final class Snapshot {
  /** Somebody has named a folder that is no checkpoint. */
  static final int MAX_FILES = 10_000;

  /** Of the names of all its files together: an executor has little memory. */
  static final int MAX_NAME_CHARS = 1 << 20;

  /** What a file was; one that is written to is another. */
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
   * Takes one.
   *
   * @param path a file or folder, or a link to one
   * @param links an own folder for the links, that does not exist
   * @throws IOException that says why it is none that can be kept, and the remedy
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

  /** HDFS has no colons; a manifest has a file in each line. */
  private void requirePlain(String path) throws IOException {
    if (path.isEmpty() || path.indexOf(':') >= 0 || path.indexOf('\n') >= 0) {
      throw new IOException(
          "the name '"
              + path
              + "' is empty, or has a colon or a line break, which the cluster's file system does"
              + " not take: give it another name");
    }
  }

  /** The file itself where there can be no link to it, as on another file system. */
  private Path linkOrOriginal(Path file) throws IOException {
    try {
      return Files.createLink(links.resolve(Integer.toString(files.size())), file);
    } catch (NoSuchFileException e) {
      throw e;
    } catch (FileSystemException | UnsupportedOperationException e) {
      return file;
    }
  }

  /** Without its folders. */
  String name() {
    return name;
  }

  boolean isFolder() {
    return folder;
  }

  /** What is to be copied, by its path from the folder on in which the file or folder is. */
  Map<String, Path> files() {
    return files;
  }

  /** Once it is copied. */
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

  /** Its links; what the program wrote stays. */
  void delete() {
    FreshFolder.delete(links);
  }
}
