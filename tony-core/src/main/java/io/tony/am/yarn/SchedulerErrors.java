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

/** Meaning of exceptions from calls to the ResourceManager. */
final class SchedulerErrors {
  /** A call to the ResourceManager. */
  interface Call<T> {
    T make() throws IOException, YarnException;
  }

  private static final Logger LOG = LoggerFactory.getLogger(SchedulerErrors.class);

  /** Compared by name, because the ResourceManager sends only the name of the exception's class. */
  private static final String INTERRUPTED = InterruptedException.class.getSimpleName();

  private SchedulerErrors() {}

  /**
   * Returns true if YARN has rejected this ApplicationMaster: it has started another attempt or
   * ended the application. Any further action would affect another ApplicationMaster's job. YARN
   * also invalidates the token of an attempt that it has forgotten, so that new connections fail
   * with {@link InvalidToken}.
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
   * Returns the call's result; empty if the ResourceManager was interrupted by its own shutdown
   * while it answered. The caller should then repeat the call; YARN's client waits for the
   * ResourceManager as for an unreachable one.
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
   * Returns INVALID if YARN refuses the request, LOST if YARN cannot be reached. YARN has exception
   * classes for resources, labels and nodes; for placement constraints that it does not support or
   * accept, it throws a plain {@link YarnException}.
   */
  static FailureKind kind(Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof InvalidResourceRequestException // also thrown for an invalid label
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

  /** Returns true if the error comes neither from YARN nor from the network. */
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

  /** Returns the first line of the message; a stack trace of the ResourceManager may follow it. */
  static String sentence(Throwable error) {
    String message = error.getMessage() == null ? error.toString() : error.getMessage();
    return message.strip().lines().findFirst().orElse("").strip();
  }
}
