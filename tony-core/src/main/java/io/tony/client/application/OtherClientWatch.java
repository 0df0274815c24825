package io.tony.client.application;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Decides from looks at an application whether another client follows it. An ApplicationMaster that
 * answers knows when a client last asked, and how many clients are connected. While none answers,
 * the client leaves a sign in the staging folder every few seconds. Time counts only between looks
 * that come soon after each other: whatever keeps the looks waiting may keep the client waiting,
 * too.
 */
final class OtherClientWatch {
  /** A client whose connection broke comes back sooner. */
  static final Duration MAX_RECONNECT = Duration.ofSeconds(15);

  /**
   * A client that waits for an ApplicationMaster leaves its next sign sooner, YARN's own waits
   * included.
   */
  static final Duration MAX_SIGN_INTERVAL = Duration.ofSeconds(45);

  /**
   * A client whose call to an ApplicationMaster hangs leaves its next sign sooner, and one that has
   * just submitted the application comes to its ApplicationMaster sooner.
   */
  static final Duration MIN_SILENCE = Duration.ofSeconds(50);

  /** A client that follows asks at least so often. */
  private static final Duration MAX_CLIENT_POLL_INTERVAL = Duration.ofSeconds(25);

  /** After a longer time between two looks, nothing that was seen before counts. */
  private static final Duration MAX_POLL_INTERVAL = Duration.ofSeconds(8);

  /** The same while an ApplicationMaster does not answer: one look takes as long as its call. */
  private static final Duration MAX_UNANSWERED_POLL_INTERVAL = Duration.ofSeconds(45);

  /** What one look at the application showed. */
  sealed interface PollResult {
    /**
     * Its ApplicationMaster answered.
     *
     * @param unwatchedTime since when no client has asked for news
     * @param clientCount open connections of clients, that of the asker included; empty from an
     *     earlier version
     * @param watched whether a client has ever asked this ApplicationMaster
     */
    record Answer(Duration unwatchedTime, OptionalInt clientCount, boolean watched)
        implements PollResult {}

    /**
     * No ApplicationMaster answered.
     *
     * @param lastSign when its client last left a sign; empty from an earlier version
     * @param masterRunning whether YARN shows one that should answer
     */
    record NoAnswer(Optional<Instant> lastSign, boolean masterRunning) implements PollResult {}
  }

  private static final long NEVER = Long.MIN_VALUE;

  private final Duration staleAfter;
  private Duration unwatchedTime; // as last answered; null before
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
   * What is known after one more look; null while nothing is.
   *
   * @param now of {@link System#nanoTime}
   */
  OtherClient record(PollResult result, long now) {
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

  /** What is known of one that has ended. */
  OtherClient endVerdict() {
    return alone ? OtherClient.ENDED_ALONE : OtherClient.ENDED;
  }

  private OtherClient recordAnswer(PollResult.Answer answer, long now) {
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
    // One that has not come yet may still be on its way.
    Duration limit = answer.watched() ? MAX_RECONNECT : MIN_SILENCE;
    return unwatchedTime.compareTo(staleAfter) > 0 || isPast(aloneSince, limit, now)
        ? OtherClient.GONE
        : null;
  }

  private OtherClient recordNoAnswer(PollResult.NoAnswer noAnswer, long now) {
    unwatchedTime = null;
    aloneSince = NEVER;
    silentSince = silentSince == NEVER ? now : silentSince;
    Duration limit = noAnswer.masterRunning() ? max(staleAfter, MIN_SILENCE) : MAX_SIGN_INTERVAL;
    if (noAnswer.lastSign().isEmpty()) {
      return isPast(silentSince, max(staleAfter, MIN_SILENCE), now) ? OtherClient.UNKNOWN : null;
    }
    if (signSince != NEVER && !noAnswer.lastSign().equals(lastSign)) {
      return OtherClient.ALIVE;
    }
    lastSign = noAnswer.lastSign();
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
