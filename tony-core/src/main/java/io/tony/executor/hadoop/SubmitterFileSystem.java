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

/** What is done in a file system of the cluster, as the job's submitter and with its tokens. */
final class SubmitterFileSystem {
  private SubmitterFileSystem() {}

  /** May end with an exception of its own. */
  interface Work<T> {
    T run(FileSystem fs) throws IOException, InterruptedException;
  }

  /**
   * Does the work, in a file system of its own that is closed then.
   *
   * @param uri of a file in it
   * @param tokens in the format of a token file
   */
  static <T> T runAsSubmitter(URI uri, Configuration conf, byte[] tokens, Work<T> work)
      throws IOException, InterruptedException {
    UserGroupInformation.setConfiguration(conf);
    Credentials credentials = new Credentials();
    credentials.readTokenStorageStream(new DataInputStream(new ByteArrayInputStream(tokens)));
    UserGroupInformation submitter = UserGroupInformation.createRemoteUser(Submitter.name());
    submitter.addCredentials(credentials);
    // Hadoop would look for the container's file of tokens, which is deleted.
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
