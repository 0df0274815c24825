package io.tony.client.cluster;

import io.tony.client.follow.Refusal;
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

/** What a person reads of a server that could not be reached: which one, and who says where. */
public final class Unanswered {
  private static final List<Class<? extends IOException>> TROUBLE =
      List.of(
          ConnectException.class,
          NoRouteToHostException.class,
          SocketTimeoutException.class,
          UnknownHostException.class);

  private Unanswered() {}

  /** A sentence with the remedy; empty where the trouble is another one. */
  public static Optional<String> sentence(
      Throwable trouble, Configuration conf, Map<String, String> environment) {
    for (Throwable cause = trouble; cause != null; cause = cause.getCause()) {
      Throwable one = cause;
      if (TROUBLE.stream().anyMatch(type -> type.isInstance(one))) {
        return Optional.of(sentence(trouble, String.valueOf(one.getMessage()), conf, environment));
      }
    }
    return Optional.empty();
  }

  private static String sentence(
      Throwable trouble, String message, Configuration conf, Map<String, String> environment) {
    Optional<ClusterServer> server =
        Stream.of(ClusterServer.resourceManager(conf), ClusterServer.fileSystem(conf))
            .filter(one -> one.isMeantBy(message))
            .findFirst();
    if (server.isEmpty()) {
      return Refusal.sentence(trouble);
    }
    return server.get().described()
        + " cannot be reached: "
        + server.get().probe()
        + ". "
        + remedy(environment);
  }

  static String remedy(Map<String, String> environment) {
    return "Check that it runs and can be reached from here, and that Hadoop's configuration is the"
        + " cluster's ("
        + ClusterServer.folder(environment)
        + ")";
  }
}
