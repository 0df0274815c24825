package io.tony.client.cluster;

import java.util.List;
import java.util.Optional;

/**
 * What a thread waits for or is busy with, by its stack: Hadoop's clients call servers, and try
 * again, in the thread that uses them.
 *
 * @param what the kind of it
 * @param call whether it is the answer to a call of Hadoop's RPC, or the next try
 * @param named whether the file system is one that the job names, which may be another
 */
record Awaited(What what, boolean call, boolean named) {
  /** Kinds of what a command spends its time with. */
  enum What {
    RESOURCE_MANAGER,
    FILE_SYSTEM,
    UPLOAD,
    KERBEROS,
    NODE_PAGE,
    LOCAL_FILES,
    MASTER,
    END
  }

  private static final List<String> CALLS =
      List.of("org.apache.hadoop.ipc.", "org.apache.hadoop.io.retry.");
  private static final String MASTER_CONNECTION = "io.tony.client.follow.MasterConnection";

  /** Of a thread's frames, the innermost first; empty where it waits for no server and no disk. */
  static Optional<Awaited> of(StackTraceElement[] stack) {
    What what = null;
    boolean call = false;
    boolean upload = false;
    boolean named = false;
    for (StackTraceElement frame : stack) {
      String type = frame.getClassName();
      if (type.equals(MASTER_CONNECTION) && frame.getMethodName().equals("watch")) {
        return Optional.empty(); // an answer comes when there is news
      }
      call |= what == null && CALLS.stream().anyMatch(type::startsWith);
      what = what == null ? kind(type) : what;
      upload |= type.startsWith("io.tony.client.submit.Upload");
      named |=
          type.equals("io.tony.client.source.FileCheck")
              || type.equals("io.tony.client.source.KnownFileSystems")
              || type.equals("io.tony.client.login.JobTokens");
    }
    if (what == null) {
      return Optional.empty();
    }
    return Optional.of(
        new Awaited(what == What.FILE_SYSTEM && upload ? What.UPLOAD : what, call, named));
  }

  private static What kind(String type) {
    if (type.startsWith("sun.security.krb5.")) {
      return What.KERBEROS;
    }
    if (type.startsWith("org.apache.hadoop.yarn.client.")
        || type.startsWith("org.apache.hadoop.yarn.api.impl.pb.client.ApplicationClientProtocol")
        || type.startsWith("io.tony.client.local.")) {
      return What.RESOURCE_MANAGER;
    }
    if (type.startsWith("org.apache.hadoop.hdfs.") || type.startsWith("org.apache.hadoop.fs.")) {
      return What.FILE_SYSTEM;
    }
    if (type.startsWith("sun.net.www.protocol.http") || type.startsWith("jdk.internal.net.http.")) {
      return What.NODE_PAGE;
    }
    if (type.equals(MASTER_CONNECTION)) {
      return What.MASTER;
    }
    if (type.equals("io.tony.client.source.SourceArchive")
        || type.equals("io.tony.client.submit.Sha256")) {
      return What.LOCAL_FILES;
    }
    return type.equals("io.tony.client.follow.Killing") ? What.END : null;
  }
}
