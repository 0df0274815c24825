package io.tony.client.cluster;

import io.tony.client.application.HadoopErrors;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;

/**
 * Creates sentences about a server that cannot be reached: which server it is, and which setting
 * contains its address.
 */
public final class UnreachableServer {
  private static final List<Class<? extends IOException>> CONNECTION_FAILURES =
      List.of(
          ConnectException.class,
          NoRouteToHostException.class,
          SocketTimeoutException.class,
          UnknownHostException.class);

  private UnreachableServer() {}

  /**
   * Returns a sentence with the server and the remedy. Empty if neither the exception nor one of
   * its causes is a failure to connect.
   */
  public static Optional<String> sentence(
      Throwable failure, Configuration conf, Map<String, String> environment) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      Throwable candidate = cause;
      if (CONNECTION_FAILURES.stream().anyMatch(type -> type.isInstance(candidate))) {
        return Optional.of(
            sentence(failure, String.valueOf(candidate.getMessage()), conf, environment));
      }
    }
    return Optional.empty();
  }

  private static String sentence(
      Throwable failure, String message, Configuration conf, Map<String, String> environment) {
    Optional<ClusterServer> server =
        Stream.of(ClusterServer.resourceManager(conf), ClusterServer.fileSystem(conf))
            .filter(candidate -> candidate.isNamedIn(message))
            .findFirst();
    if (server.isEmpty()) {
      return HadoopErrors.sentence(failure);
    }
    return server.get().description()
        + " cannot be reached: "
        + server.get().probe()
        + ". "
        + remedy(environment);
  }

  static String remedy(Map<String, String> environment) {
    return "Check that it runs and can be reached from here, and that Hadoop's configuration is the"
        + " cluster's ("
        + ClusterServer.confDirDescription(environment)
        + ")";
  }
}
