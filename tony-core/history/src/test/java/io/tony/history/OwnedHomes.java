package io.tony.history;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.RemoteIterators;

/** The local file system, where what is below .../user/NAME/ belongs to the user of that name. */
public final class OwnedHomes extends FilterFileSystem {
  public OwnedHomes() throws IOException {
    super(FileSystem.getLocal(new Configuration()).getRawFileSystem());
  }

  @Override
  public RemoteIterator<FileStatus> listStatusIterator(Path path) throws IOException {
    String home = path.toString().replaceAll(".*/user/([^/]+)/.*", "$1");
    return RemoteIterators.mappingRemoteIterator(
        super.listStatusIterator(path), file -> owned(file, home));
  }

  private static FileStatus owned(FileStatus file, String user) {
    return new FileStatus(
        file.getLen(),
        file.isDirectory(),
        1,
        file.getBlockSize(),
        file.getModificationTime(),
        0,
        null,
        user,
        "users",
        file.getPath());
  }
}
