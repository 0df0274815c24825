package io.tony.client.doctor;

import io.tony.config.TonyConfig;
import io.tony.config.declared.ClientOptions;
import io.tony.container.HistoryLocation;
import io.tony.container.Staging;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Checks that the client can write a job's files and event log to HDFS, and that other users cannot
 * read them. In the staging folder and in the user's history folder, creates a folder with one
 * file, and deletes it.
 */
final class HdfsCheck {
  private static final byte[] CONTENT = "tony doctor\n".getBytes(StandardCharsets.UTF_8);

  private final Configuration conf;
  private final TonyConfig config;

  HdfsCheck(Configuration conf, TonyConfig config) {
    this.conf = conf;
    this.config = config;
  }

  Finding check() throws IOException {
    FileSystem fs = FileSystem.get(conf);
    List<String> places = new ArrayList<>();
    for (String location :
        List.of(
            config.get(ClientOptions.STAGING_LOCATION),
            HistoryLocation.ofCurrentUser(fs, config).toString())) {
      Staging folder = new Staging(fs, location, "doctor-" + UUID.randomUUID());
      try {
        folder.create();
        Optional<Finding> problem = write(folder);
        if (problem.isPresent()) {
          return problem.get();
        }
      } finally {
        folder.delete();
      }
      places.add(folder.folder().getParent().toString());
    }
    return Finding.ok("wrote, read and deleted a file in " + String.join(" and in ", places));
  }

  private static Optional<Finding> write(Staging staging) throws IOException {
    Path file = staging.file(0, "file");
    try (OutputStream out = staging.write(file)) {
      out.write(CONTENT);
    }
    try (InputStream in = staging.fileSystem().open(file)) {
      byte[] read = in.readAllBytes();
      if (!Arrays.equals(CONTENT, read)) {
        return Optional.of(
            Finding.failed(file + " holds other bytes than were written", "Run hdfs fsck on it"));
      }
    }
    FileStatus folder = staging.fileSystem().getFileStatus(staging.folder());
    if (folder.getPermission().toShort() != 0700) {
      return Optional.of(
          Finding.failed(
              staging.folder()
                  + " has the permissions "
                  + folder.getPermission()
                  + " instead of rwx------: others can read the jobs' files",
              "Remove what sets them (an ACL, dfs.permissions), or set tony.staging.location"));
    }
    return Optional.empty();
  }
}
