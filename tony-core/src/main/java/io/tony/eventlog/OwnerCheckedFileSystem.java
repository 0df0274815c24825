package io.tony.eventlog;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.functional.RemoteIterators;

/**
 * A file system in which the event logs of one user can be read, and no others: in a folder that
 * several users may write to, anybody can put a log at the id of another user's application. The
 * listing of a log's folder throws {@link ForeignLogException} where the folder, or a file of a log
 * in it, has another owner.
 *
 * <p>Two others are believed, too: the user who reads, because some stores (S3) name whoever asks
 * as the owner of everything; and the owner of that user's home folder, who can replace anything
 * that the user has. Where a store knows no owners, everything is believed. Not thread-safe.
 */
public final class OwnerCheckedFileSystem extends FilterFileSystem {
  private final String user;
  private final Set<String> trustedOwners = new HashSet<>();
  private final Set<Path> checkedFolders = new HashSet<>();
  private boolean readerTrusted;

  /** {@code user} is who submitted the application, by the short name. */
  public OwnerCheckedFileSystem(FileSystem fs, String user) {
    super(fs);
    this.user = user;
    trustedOwners.add(user);
    trustedOwners.add(""); // of a store that knows no owners
  }

  @Override
  public RemoteIterator<FileStatus> listStatusIterator(Path folder) throws IOException {
    RemoteIterator<FileStatus> entries = fs.listStatusIterator(folder);
    if (!checkedFolders.contains(folder)) {
      checkOwner(fs.getFileStatus(folder));
      checkedFolders.add(folder);
    }
    return RemoteIterators.mappingRemoteIterator(
        entries,
        entry -> {
          if (LogFile.isLogFile(entry.getPath())) {
            checkOwner(entry);
          }
          return entry;
        });
  }

  private void checkOwner(FileStatus entry) throws IOException {
    String owner = entry.getOwner();
    if (!trustedOwners.contains(owner)) {
      trustReader();
      if (!trustedOwners.contains(owner)) {
        throw ForeignLogException.forReader(entry, user);
      }
    }
  }

  private void trustReader() throws IOException {
    if (readerTrusted) {
      return;
    }
    trustedOwners.add(UserGroupInformation.getCurrentUser().getShortUserName());
    try {
      trustedOwners.add(fs.getFileStatus(fs.getHomeDirectory()).getOwner());
    } catch (FileNotFoundException e) {
      // Then nobody else has that home.
    }
    readerTrusted = true;
  }
}
