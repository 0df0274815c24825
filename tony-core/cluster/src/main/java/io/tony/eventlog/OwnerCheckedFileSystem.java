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
 * A file system that lists only the event logs of one user. Where several users may write to the
 * history folder, any user can create a log under the ID of another user's application. Listing the
 * folder of a log throws a {@link ForeignLogException} if the folder, or a log file in it, belongs
 * to another user.
 *
 * <p>Two other owners are accepted: the current user, because some stores (S3) report the
 * requesting user as the owner of every file; and the owner of the current user's home folder, who
 * can replace all files of the current user anyway. If a store has no owners, every file is
 * accepted. Not thread-safe.
 */
public final class OwnerCheckedFileSystem extends FilterFileSystem {
  private final String user;
  private final Set<String> trustedOwners = new HashSet<>();
  private final Set<Path> checkedFolders = new HashSet<>();
  private boolean readerTrusted;

  /**
   * {@code user} is the short name of the user whose logs may be listed: the user who submitted the
   * application.
   */
  public OwnerCheckedFileSystem(FileSystem fs, String user) {
    super(fs);
    this.user = user;
    trustedOwners.add(user);
    trustedOwners.add(""); // the owner that a store without owners reports
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
      // There is no home folder, so no further owner is trusted.
    }
    readerTrusted = true;
  }
}
