package io.tony.client.check.project;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/**
 * Opens an Azkaban project, a folder or a zip archive as uploaded to Azkaban, and reads its flows.
 * An archive is unpacked into a temporary folder, which {@link #close} deletes. A project with a
 * {@code .project} file is read from {@code .flow} files (Flow 2.0), any other project from {@code
 * .job} and {@code .properties} files.
 */
public final class Project implements AutoCloseable {
  /**
   * Maximum total size of the files unpacked from an archive. The bytes are counted while
   * unpacking, because the sizes that the archive states may be wrong.
   */
  private static final long MAX_UNPACKED_BYTES = 4L << 30;

  private final Path folder;
  private final boolean temporary;

  private Project(Path folder, boolean temporary) {
    this.folder = folder;
    this.temporary = temporary;
  }

  /**
   * Opens a project. Unpacks it if it is an archive.
   *
   * @throws ProjectException if the file is neither a folder nor a valid zip archive
   */
  public static Project open(Path file) throws IOException, ProjectException {
    return open(file, MAX_UNPACKED_BYTES);
  }

  static Project open(Path file, long maxUnpackedBytes) throws IOException, ProjectException {
    if (Files.isDirectory(file)) {
      return new Project(file.toAbsolutePath().normalize(), false);
    }
    if (!Files.isReadable(file)) {
      throw new ProjectException(
          file + " cannot be read: name the zip archive or the folder of an Azkaban project");
    }
    Project project = new Project(Files.createTempDirectory("tony-project-"), true);
    try {
      project.unpack(file, maxUnpackedBytes);
      return project;
    } catch (ZipException e) {
      project.close();
      throw new ProjectException(file + " is not a zip archive: " + e.getMessage());
      // a file name in the archive cannot be decoded, or is not valid on this machine
    } catch (IllegalArgumentException e) {
      project.close();
      throw new ProjectException(file + " holds a file with a bad name: " + e.getMessage());
    } catch (IOException | ProjectException | RuntimeException e) {
      project.close();
      throw e;
    }
  }

  private void unpack(Path file, long maxUnpackedBytes) throws IOException, ProjectException {
    long remaining = maxUnpackedBytes;
    try (ZipFile zip = new ZipFile(file.toFile())) {
      Enumeration<? extends ZipEntry> entries = zip.entries();
      while (entries.hasMoreElements()) {
        ZipEntry entry = entries.nextElement();
        Path target = folder.resolve(entry.getName()).normalize();
        if (!target.startsWith(folder)) {
          throw new ProjectException(
              file + " holds " + entry.getName() + ", which lies outside: pack it again");
        }
        if (entry.isDirectory()) {
          Files.createDirectories(target);
        } else {
          Files.createDirectories(target.getParent());
          try (InputStream in = zip.getInputStream(entry);
              OutputStream out = Files.newOutputStream(target)) {
            remaining -= copy(in, out, remaining);
          }
          if (remaining < 0) {
            throw new ProjectException(
                file
                    + " holds more than "
                    + (maxUnpackedBytes >> 20)
                    + " MiB: unpack it, and name the folder instead");
          }
        }
      }
    }
  }

  /**
   * Copies a stream until its end, or until the buffer that exceeds {@code maxBytes} is copied.
   * Returns the number of bytes copied.
   */
  private static long copy(InputStream in, OutputStream out, long maxBytes) throws IOException {
    byte[] buffer = new byte[64 << 10];
    long copied = 0;
    for (int n = in.read(buffer); n >= 0 && copied <= maxBytes; n = in.read(buffer)) {
      out.write(buffer, 0, n);
      copied += n;
    }
    return copied;
  }

  /**
   * Reads all flows of the project.
   *
   * @param parameters properties with which the flows are started; they override {@code
   *     .properties} files and the config of a flow, but not a job's own properties
   * @throws ProjectException with all reasons for which Azkaban would refuse the upload
   */
  public Flows flows(Map<String, String> parameters) throws IOException, ProjectException {
    Optional<Path> marker = ProjectFiles.flow20Marker(folder);
    return marker.isPresent()
        ? FlowFiles.read(folder, marker.get(), parameters)
        : JobFiles.read(folder, parameters);
  }

  /**
   * Returns the folder that contains the project's files. For an archive, this is the temporary
   * folder.
   */
  public Path folder() {
    return folder;
  }

  /**
   * Returns {@link #folder}, followed by the folders of the files to which its symlinks lead. A zip
   * archive of the project contains these files instead of the symlinks.
   */
  public List<Path> folders() throws IOException {
    List<Path> folders = new ArrayList<>(List.of(folder));
    try (Stream<Path> walk = Files.walk(folder)) {
      for (Path link : walk.filter(Files::isSymbolicLink).filter(Files::exists).toList()) {
        Path target = link.toRealPath();
        folders.add(Files.isDirectory(target) ? target : target.getParent());
      }
    }
    return folders;
  }

  @Override
  public void close() throws IOException {
    if (!temporary) {
      return;
    }
    List<Path> files;
    try (Stream<Path> walk = Files.walk(folder)) {
      files = walk.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path file : files) {
      Files.delete(file);
    }
  }
}
