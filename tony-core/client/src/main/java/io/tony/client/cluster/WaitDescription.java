package io.tony.client.cluster;

import io.tony.client.application.ApplicationKill;
import io.tony.client.application.MasterConnection;
import io.tony.client.input.FileCheck;
import io.tony.client.input.KnownFileSystems;
import io.tony.client.input.Sha256;
import io.tony.client.input.SourceArchive;
import io.tony.client.login.JobTokens;
import io.tony.client.submit.Upload;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a thread waits for, found in its stack. The stack shows it because Hadoop's clients send and
 * retry calls on the calling thread.
 *
 * @param target what the thread waits for
 * @param rpcCall whether the thread waits for the answer to a Hadoop RPC call, or for the call's
 *     next retry
 * @param namedByJob whether the call is about a file system that the job names, which may not be
 *     the default one
 */
record WaitDescription(WaitTarget target, boolean rpcCall, boolean namedByJob) {
  /**
   * What a command may wait for: a server, the files of this machine, or the end of the
   * application.
   */
  enum WaitTarget {
    RESOURCE_MANAGER,
    FILE_SYSTEM,
    UPLOAD,
    KERBEROS,
    NODE_PAGE,
    LOCAL_FILES,
    MASTER,
    END
  }

  private static final List<String> RPC_PACKAGES =
      List.of("org.apache.hadoop.ipc.", "org.apache.hadoop.io.retry.");
  private static final String MASTER_CONNECTION = MasterConnection.class.getName();

  /**
   * Returns what the thread with this stack waits for. Empty if it waits for nothing of {@link
   * WaitTarget}, or if it waits for events of the job, which is normal.
   *
   * @param stack the thread's frames, innermost first
   */
  static Optional<WaitDescription> of(StackTraceElement[] stack) {
    WaitTarget target = null;
    boolean rpcCall = false;
    boolean upload = false;
    boolean namedByJob = false;
    for (StackTraceElement frame : stack) {
      String type = frame.getClassName();
      if (type.equals(MASTER_CONNECTION) && frame.getMethodName().equals("watch")) {
        // waits for events: the ApplicationMaster answers this call only when there is one
        return Optional.empty();
      }
      rpcCall |= target == null && RPC_PACKAGES.stream().anyMatch(type::startsWith);
      target = target == null ? kind(type) : target;
      upload |= type.startsWith(Upload.class.getName());
      namedByJob |=
          type.equals(FileCheck.class.getName())
              || type.equals(KnownFileSystems.class.getName())
              || type.equals(JobTokens.class.getName());
    }
    if (target == null) {
      return Optional.empty();
    }
    return Optional.of(
        new WaitDescription(
            target == WaitTarget.FILE_SYSTEM && upload ? WaitTarget.UPLOAD : target,
            rpcCall,
            namedByJob));
  }

  /** Returns what a thread with a frame of this class waits for; null if not known. */
  private static @Nullable WaitTarget kind(String type) {
    if (type.startsWith("sun.security.krb5.")) {
      return WaitTarget.KERBEROS;
    }
    if (type.startsWith("org.apache.hadoop.yarn.client.")
        || type.startsWith("org.apache.hadoop.yarn.api.impl.pb.client.ApplicationClientProtocol")
        || type.startsWith("io.tony.client.local.")) {
      return WaitTarget.RESOURCE_MANAGER;
    }
    if (type.startsWith("org.apache.hadoop.hdfs.") || type.startsWith("org.apache.hadoop.fs.")) {
      return WaitTarget.FILE_SYSTEM;
    }
    if (type.startsWith("sun.net.www.protocol.http") || type.startsWith("jdk.internal.net.http.")) {
      return WaitTarget.NODE_PAGE;
    }
    if (type.equals(MASTER_CONNECTION)) {
      return WaitTarget.MASTER;
    }
    if (type.equals(SourceArchive.class.getName()) || type.equals(Sha256.class.getName())) {
      return WaitTarget.LOCAL_FILES;
    }
    return type.equals(ApplicationKill.class.getName()) ? WaitTarget.END : null;
  }
}
