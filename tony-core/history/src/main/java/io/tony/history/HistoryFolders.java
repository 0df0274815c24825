package io.tony.history;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.AccessDeniedException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.GlobFilter;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.security.AccessControlException;

/**
 * Finds the folders of jobs' event logs by patterns of history folders, such as {@code
 * /user/*}{@code /.tony/history}. Skips and returns folders that the current user may not read,
 * whereas {@code FileSystem.globStatus} fails at the first such folder.
 */
final class HistoryFolders {
  private static final Pattern APPLICATION = Pattern.compile("application_(\\d{1,19})_(\\d{1,10})");
  private static final Pattern GLOB = Pattern.compile("[*?\\[{]");

  /** Receives the folders of applications. */
  interface Visitor {
    /**
     * Called for each application; {@code folder} is the application's folder in the history folder
     * {@code history}.
     */
    void visitApplication(Path history, FileStatus folder) throws IOException;
  }

  private interface EntryVisitor {
    void visit(FileStatus entry) throws IOException;
  }

  private final FileSystem fs;
  private final List<Path> patterns;

  HistoryFolders(FileSystem fs, List<String> patterns) {
    this.fs = fs;
    this.patterns = patterns.stream().map(pattern -> fs.makeQualified(new Path(pattern))).toList();
  }

  /**
   * Visits the folders of all applications. Returns the history folders, and folders above them,
   * that were skipped because the current user may not list them.
   */
  List<Path> visit(Visitor visitor) throws IOException {
    List<Path> unreadable = new ArrayList<>();
    for (Path pattern : patterns) {
      for (Path history : expand(pattern, unreadable)) {
        list(
            history,
            unreadable,
            entry -> {
              if (entry.isDirectory() && isApplication(entry.getPath().getName())) {
                visitor.visitApplication(history, entry);
              }
            });
      }
    }
    return unreadable;
  }

  /**
   * Returns true if {@code name} is an application ID that YARN can parse: its two numbers fit into
   * a long and an int.
   */
  private static boolean isApplication(String name) {
    Matcher numbers = APPLICATION.matcher(name);
    return numbers.matches()
        && new BigInteger(numbers.group(1)).bitLength() < Long.SIZE
        && new BigInteger(numbers.group(2)).bitLength() < Integer.SIZE;
  }

  /**
   * Returns the folders that match {@code pattern}. A pattern without wildcards is returned even if
   * there is no such folder. Adds folders that the current user may not read to {@code unreadable}.
   */
  private List<Path> expand(Path pattern, List<Path> unreadable) throws IOException {
    Path parent = pattern.getParent();
    if (parent == null || !GLOB.matcher(pattern.toUri().getPath()).find()) {
      return List.of(pattern);
    }
    List<Path> found = new ArrayList<>();
    for (Path above : expand(parent, unreadable)) {
      if (!GLOB.matcher(pattern.getName()).find()) {
        found.add(new Path(above, pattern.getName()));
        continue;
      }
      GlobFilter filter = new GlobFilter(pattern.getName());
      list(
          above,
          unreadable,
          entry -> {
            if (entry.isDirectory() && filter.accept(entry.getPath())) {
              found.add(entry.getPath());
            }
          });
    }
    return found;
  }

  private void list(Path folder, List<Path> unreadable, EntryVisitor visitor) throws IOException {
    try {
      RemoteIterator<FileStatus> list = fs.listStatusIterator(folder);
      while (list.hasNext()) {
        visitor.visit(list.next());
      }
    } catch (FileNotFoundException | ParentNotDirectoryException e) {
      // The folder does not exist (any more), so it contains no logs.
    } catch (AccessControlException | AccessDeniedException e) {
      unreadable.add(folder);
    }
  }
}
