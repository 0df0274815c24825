package io.tony.am.yarn;

import io.tony.model.FailureKind;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.security.token.SecretManager.InvalidToken;
import org.apache.hadoop.yarn.client.api.InvalidContainerRequestException;
import org.apache.hadoop.yarn.exceptions.ApplicationAttemptNotFoundException;
import org.apache.hadoop.yarn.exceptions.ApplicationMasterNotRegisteredException;
import org.apache.hadoop.yarn.exceptions.InvalidApplicationMasterRequestException;
import org.apache.hadoop.yarn.exceptions.InvalidContainerReleaseException;
import org.apache.hadoop.yarn.exceptions.InvalidResourceBlacklistRequestException;
import org.apache.hadoop.yarn.exceptions.InvalidResourceRequestException;
import org.apache.hadoop.yarn.exceptions.ResourceNotFoundException;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.apache.hadoop.yarn.exceptions.YarnRuntimeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What it means when the ResourceManager answers with an exception. */
final class SchedulerErrors {
  /** One call of the ResourceManager. */
  interface Call<T> {
    T make() throws IOException, YarnException;
  }

  private static final Logger LOG = LoggerFactory.getLogger(SchedulerErrors.class);

  /** Its name, as the ResourceManager says it: the exception itself stays there. */
  private static final String INTERRUPTED = InterruptedException.class.getSimpleName();

  private SchedulerErrors() {}

  /**
   * True when YARN has given this ApplicationMaster up: it started another in its place, or ended
   * the application. What is done from here on would be done to somebody else's job. An attempt
   * that YARN forgot has no token any more either, so that a new connection fails with that.
   */
  static boolean isDisowned(Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof ApplicationAttemptNotFoundException
          || cause instanceof ApplicationMasterNotRegisteredException
          || cause instanceof InvalidApplicationMasterRequestException
          || cause instanceof InvalidToken
          || (cause instanceof RemoteException remote
              && remote.getClassName().equals(InvalidToken.class.getName()))) {
        return true;
      }
    }
    return false;
  }

  /**
   * The answer, or nothing when a ResourceManager that stops was interrupted while it answered. It,
   * or another one, is to be asked again: YARN's client waits for that as for one that cannot be
   * reached.
   */
  static <T> Optional<T> callUnlessStopping(Call<T> call) throws IOException, YarnException {
    try {
      return Optional.of(call.make());
    } catch (IOException | YarnException | RuntimeException e) {
      if (!isStopping(e)) {
        throw e;
      }
      LOG.warn("The ResourceManager stops; it is asked again: {}", sentence(e));
      return Optional.empty();
    }
  }

  private static boolean isStopping(Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof RemoteException remote
          && (remote.getClassName().endsWith(INTERRUPTED)
              || sentence(remote).contains(INTERRUPTED))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether YARN refuses what is asked of it (INVALID), or cannot be talked to (LOST). It has
   * classes of exceptions for resources, labels and nodes, and its plain one for placement
   * constraints that it does not handle or does not take.
   */
  static FailureKind kind(Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof InvalidResourceRequestException // and of a label
          || cause instanceof InvalidResourceBlacklistRequestException
          || cause instanceof InvalidContainerReleaseException
          || cause instanceof InvalidContainerRequestException
          || cause instanceof ResourceNotFoundException
          || cause.getClass() == YarnException.class) {
        return FailureKind.INVALID;
      }
      if (cause instanceof IOException) {
        return FailureKind.LOST;
      }
    }
    return FailureKind.LOST;
  }

  /** True for what no call to YARN has brought about: neither YARN nor the network says so. */
  static boolean isInternal(Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof IOException
          || cause instanceof YarnException
          || cause instanceof YarnRuntimeException) {
        return false;
      }
    }
    return true;
  }

  /** YARN's own sentence: the first line, for a stack trace of the ResourceManager may follow. */
  static String sentence(Throwable error) {
    String message = error.getMessage() == null ? error.toString() : error.getMessage();
    return message.strip().lines().findFirst().orElse("").strip();
  }
}
