package io.tony.eventlog;

import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;

/** Local files of which some are shown as another user's: of those with a name that is given. */
public final class SharedFolder extends RawLocalFileSystem {
  private static final String OWNER_OF = "test.owner.of.";

  /** What has Hadoop's clients see {@code name}, wherever it is, as that user's. */
  public static void give(Configuration conf, String name, String owner) {
    conf.setClass("fs.file.impl", SharedFolder.class, FileSystem.class);
    conf.setBoolean("fs.file.impl.disable.cache", true);
    conf.set(OWNER_OF + name, owner);
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    return shown(super.getFileStatus(path));
  }

  @Override
  public FileStatus[] listStatus(Path folder) throws IOException {
    return Arrays.stream(super.listStatus(folder)).map(this::shown).toArray(FileStatus[]::new);
  }

  private FileStatus shown(FileStatus file) {
    String owner = getConf().get(OWNER_OF + file.getPath().getName());
    return owner == null
        ? file
        : new FileStatus(
            file.getLen(),
            file.isDirectory(),
            file.getReplication(),
            file.getBlockSize(),
            file.getModificationTime(),
            file.getAccessTime(),
            file.getPermission(),
            owner,
            file.getGroup(),
            file.getPath());
  }
}
