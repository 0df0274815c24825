package io.tony.azkaban.mini;

import azkaban.utils.FileIOUtils;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.EnumSet;

/**
 * The folder in which an execution's jobs run, built as Azkaban 2.5.0's executor builds it: it
 * contains links to the project's files, which are copied to another folder. Logs and files that
 * the jobs write are created in this folder, never in the user's flow folder.
 */
record ExecutionFolder(int executionId, Path path) {

  static Path path(Path work, int executionId) {
    return work.resolve("executions").resolve(Integer.toString(executionId));
  }

  /**
   * Creates the folder of an execution id.
   *
   * @param work the folder that contains the folder named executions
   * @throws FileAlreadyExistsException if another execution has this id
   */
  static ExecutionFolder claim(Path work, int executionId) throws IOException {
    Path path = path(work, executionId);
    Files.createDirectories(path.getParent());
    return new ExecutionFolder(executionId, Files.createDirectory(path));
  }

  /** Creates the folder of the lowest free execution id. Concurrent processes get different ids. */
  static ExecutionFolder claimNext(Path work) throws IOException {
    for (int id = 1; ; id++) {
      if (Files.exists(path(work, id))) {
        continue;
      }
      try {
        return claim(work, id);
      } catch (FileAlreadyExistsException e) {
        // Another process created the folder first; try the next id.
      }
    }
  }

  /**
   * Copies the files of the user's flow folder, and links the copies into this folder. Links in the
   * user's folder are followed.
   */
  void fill(Path flowFolder) throws IOException {
    // Azkaban's executor names a project's folder after the project's id and version.
    Path project = path.resolveSibling("../projects/" + executionId + ".1").normalize();
    Files.createDirectories(project.getParent());
    copy(flowFolder, project);
    FileIOUtils.createDeepSymlink(project.toFile(), path.toFile());
  }

  private static void copy(Path flowFolder, Path project) throws IOException {
    Files.walkFileTree(
        flowFolder,
        EnumSet.of(FileVisitOption.FOLLOW_LINKS),
        Integer.MAX_VALUE,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes)
              throws IOException {
            Files.createDirectories(target(folder));
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.copy(file, target(file), StandardCopyOption.COPY_ATTRIBUTES);
            return FileVisitResult.CONTINUE;
          }

          private Path target(Path source) {
            return project.resolve(flowFolder.relativize(source).toString());
          }
        });
  }
}
