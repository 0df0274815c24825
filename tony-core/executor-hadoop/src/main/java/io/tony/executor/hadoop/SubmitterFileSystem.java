package io.tony.executor.hadoop;

import io.tony.container.Submitter;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.URI;
import java.security.PrivilegedExceptionAction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;

/** Opens a file system of the cluster as the job's submitter, with the submitter's tokens. */
final class SubmitterFileSystem {
  private SubmitterFileSystem() {}

  /** Work to do in a file system. */
  interface Work<T> {
    T run(FileSystem fs) throws IOException, InterruptedException;
  }

  /**
   * Opens a new file system, runs the work in it and closes it.
   *
   * @param uri URI of any file of the file system
   * @param tokens tokens of the job's submitter, in the format of Hadoop's token file
   * @throws IOException if the work throws it, or the file system cannot be opened
   */
  static <T> T runAsSubmitter(URI uri, Configuration conf, byte[] tokens, Work<T> work)
      throws IOException, InterruptedException {
    UserGroupInformation.setConfiguration(conf);
    Credentials credentials = new Credentials();
    credentials.readTokenStorageStream(new DataInputStream(new ByteArrayInputStream(tokens)));
    UserGroupInformation submitter = UserGroupInformation.createRemoteUser(Submitter.name());
    submitter.addCredentials(credentials);
    // Without a login user, Hadoop would read the container's token file, which is deleted.
    UserGroupInformation.setLoginUser(submitter);
    return submitter.doAs(
        (PrivilegedExceptionAction<T>)
            () -> {
              try (FileSystem fs = FileSystem.newInstance(uri, conf)) {
                return work.run(fs);
              }
            });
  }
}
