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

/** Explains exceptions from calls to the ResourceManager. */
final class SchedulerErrors {
  /** A call to the ResourceManager. */
  interface Call<T> {
    T make() throws IOException, YarnException;
  }

  private static final Logger LOG = LoggerFactory.getLogger(SchedulerErrors.class);

  /** Compared with the exception's class name, because the ResourceManager sends only that. */
  private static final String INTERRUPTED = InterruptedException.class.getSimpleName();

  private SchedulerErrors() {}

  /**
   * Returns true if YARN has rejected this ApplicationMaster, because YARN has started another
   * attempt or ended the application. Any further action would affect a job that belongs to another
   * ApplicationMaster. {@link InvalidToken} counts, too: YARN invalidates the token of an attempt
   * that it has forgotten, so that new connections fail.
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
   * while it answered. The caller should then repeat the call, for which YARN's client library
   * waits until a ResourceManager is reachable.
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
   * Returns INVALID if YARN refuses the request, LOST if YARN cannot be reached. YARN has its own
   * exception classes for invalid resources, labels and nodes, but throws a plain {@link
   * YarnException} for placement constraints that it does not support or accept.
   */
  static FailureKind kind(Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      // InvalidResourceRequestException is also thrown for an invalid label.
      if (cause instanceof InvalidResourceRequestException
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

  /** Returns true if the error was caused neither by YARN nor by the network. */
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

  /**
   * Returns the first line of the error's message; the stack trace of the ResourceManager may
   * follow it.
   */
  static String sentence(Throwable error) {
    String message = error.getMessage() == null ? error.toString() : error.getMessage();
    return message.strip().lines().findFirst().orElse("").strip();
  }
}
