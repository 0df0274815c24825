package io.tony.client.application;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Decides from repeated polls of an application whether another client follows it. If the
 * ApplicationMaster answers, it reports when a client last polled and how many clients are
 * connected. While no ApplicationMaster answers, the other client renews a sign, a file in the
 * staging folder, every few seconds. Time without a sign of the other client counts only while this
 * client polls in quick succession, because whatever delays this client's polls may also delay the
 * other client.
 */
final class OtherClientWatch {
  /** Maximum time that a client needs to reconnect after its connection broke. */
  static final Duration MAX_RECONNECT = Duration.ofSeconds(15);

  /**
   * Maximum interval at which a client that waits for an ApplicationMaster renews its sign,
   * including the time for its calls to YARN.
   */
  static final Duration MAX_SIGN_INTERVAL = Duration.ofSeconds(45);

  /**
   * Minimum time before another client counts as gone, in two cases in which a client that is alive
   * shows this late: its call to a running ApplicationMaster hangs, so that it renews its sign
   * late; or it has just submitted the application and has not connected to the ApplicationMaster
   * yet.
   */
  static final Duration MIN_SILENCE = Duration.ofSeconds(50);

  /** Maximum interval at which a client that follows an application polls its ApplicationMaster. */
  private static final Duration MAX_CLIENT_POLL_INTERVAL = Duration.ofSeconds(25);

  /**
   * Maximum interval between two polls by this client. After a longer interval, the times without a
   * sign of the other client are measured anew, because whatever delayed this client may also have
   * delayed the other one.
   */
  private static final Duration MAX_POLL_INTERVAL = Duration.ofSeconds(8);

  /**
   * Like {@link #MAX_POLL_INTERVAL}, but for a running ApplicationMaster that does not answer,
   * because each poll waits for the timeout of its call.
   */
  private static final Duration MAX_UNANSWERED_POLL_INTERVAL = Duration.ofSeconds(45);

  /** Result of one poll of the application. */
  sealed interface PollResult {
    /**
     * The ApplicationMaster answered.
     *
     * @param unwatchedTime time since another client last polled the ApplicationMaster
     * @param clientCount number of open connections of clients, including this client's; empty if
     *     the ApplicationMaster is of an earlier version
     * @param watched whether another client has ever polled this ApplicationMaster
     */
    record Answer(Duration unwatchedTime, OptionalInt clientCount, boolean watched)
        implements PollResult {}

    /**
     * No ApplicationMaster answered.
     *
     * @param clientLastSeen when the other client last renewed its sign; empty if it is of an
     *     earlier version, which leaves none
     * @param masterRunning whether an ApplicationMaster is running according to YARN
     */
    record NoAnswer(Optional<Instant> clientLastSeen, boolean masterRunning)
        implements PollResult {}
  }

  private static final long NEVER = Long.MIN_VALUE;

  private final Duration staleAfter;

  /**
   * Time since another client last polled the ApplicationMaster, as the ApplicationMaster answered
   * this client's last poll; null if it did not answer.
   */
  private @Nullable Duration unwatchedTime;

  private long aloneSince = NEVER;
  private long silentSince = NEVER;
  private Optional<Instant> lastSign = Optional.empty();
  private long signSince = NEVER;
  private long lastPollAt = NEVER;
  private boolean alone;

  OtherClientWatch(Duration staleAfter) {
    this.staleAfter = staleAfter;
  }

  /**
   * Records the result of one poll. Returns the state of the other client; null if more polls are
   * needed to know it.
   *
   * @param now monotonic time in nanoseconds
   */
  @Nullable OtherClient record(PollResult result, long now) {
    boolean running = result instanceof PollResult.NoAnswer silent && silent.masterRunning();
    if (isPast(lastPollAt, running ? MAX_UNANSWERED_POLL_INTERVAL : MAX_POLL_INTERVAL, now)) {
      aloneSince = NEVER;
      signSince = NEVER;
      silentSince = NEVER;
    }
    lastPollAt = now;
    return result instanceof PollResult.Answer answered
        ? recordAnswer(answered, now)
        : recordNoAnswer((PollResult.NoAnswer) result, now);
  }

  /**
   * Returns the other client's state after the application has ended: {@link
   * OtherClient#ENDED_ALONE} if the last poll showed that no client was following, otherwise {@link
   * OtherClient#ENDED}.
   */
  OtherClient endVerdict() {
    return alone ? OtherClient.ENDED_ALONE : OtherClient.ENDED;
  }

  private @Nullable OtherClient recordAnswer(PollResult.Answer answer, long now) {
    boolean asked = unwatchedTime != null && answer.unwatchedTime().compareTo(unwatchedTime) < 0;
    unwatchedTime = answer.unwatchedTime();
    signSince = NEVER;
    silentSince = NEVER;
    boolean onlyThis = answer.clientCount().isPresent() && answer.clientCount().getAsInt() <= 1;
    aloneSince = onlyThis ? (aloneSince == NEVER ? now : aloneSince) : NEVER;
    alone = (onlyThis && answer.watched()) || unwatchedTime.compareTo(MAX_CLIENT_POLL_INTERVAL) > 0;
    if (asked) {
      return OtherClient.ALIVE;
    }
    // A client that has never polled this ApplicationMaster may just need longer to connect.
    Duration limit = answer.watched() ? MAX_RECONNECT : MIN_SILENCE;
    return unwatchedTime.compareTo(staleAfter) > 0 || isPast(aloneSince, limit, now)
        ? OtherClient.GONE
        : null;
  }

  private @Nullable OtherClient recordNoAnswer(PollResult.NoAnswer noAnswer, long now) {
    unwatchedTime = null;
    aloneSince = NEVER;
    silentSince = silentSince == NEVER ? now : silentSince;
    Duration limit = noAnswer.masterRunning() ? max(staleAfter, MIN_SILENCE) : MAX_SIGN_INTERVAL;
    if (noAnswer.clientLastSeen().isEmpty()) {
      return isPast(silentSince, max(staleAfter, MIN_SILENCE), now) ? OtherClient.UNKNOWN : null;
    }
    if (signSince != NEVER && !noAnswer.clientLastSeen().equals(lastSign)) {
      return OtherClient.ALIVE;
    }
    lastSign = noAnswer.clientLastSeen();
    signSince = signSince == NEVER ? now : signSince;
    alone = isPast(signSince, MAX_SIGN_INTERVAL, now);
    return isPast(signSince, limit, now) ? OtherClient.GONE : null;
  }

  private static boolean isPast(long since, Duration limit, long now) {
    return since != NEVER && now - since > limit.toNanos();
  }

  private static Duration max(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }
}
