package io.tony.client.follow;

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
  private static final Duration MAX_ASK_INTERVAL = Duration.ofSeconds(25);

  /** After a longer time between two looks, nothing that was seen before counts. */
  private static final Duration MAX_LOOK_INTERVAL = Duration.ofSeconds(8);

  /** The same while an ApplicationMaster does not answer: one look takes as long as its call. */
  private static final Duration MAX_SILENT_LOOK_INTERVAL = Duration.ofSeconds(45);

  /** What one look at the application showed. */
  sealed interface Look {
    /**
     * Its ApplicationMaster answered.
     *
     * @param unwatched since when no client has asked for news
     * @param clients open connections of clients, that of the asker included; empty from an earlier
     *     version
     * @param watched whether a client has ever asked this ApplicationMaster
     */
    record Answered(Duration unwatched, OptionalInt clients, boolean watched) implements Look {}

    /**
     * No ApplicationMaster answered.
     *
     * @param sign when its client last left a sign; empty from an earlier version
     * @param running whether YARN shows one that should answer
     */
    record Silent(Optional<Instant> sign, boolean running) implements Look {}
  }

  private static final long NEVER = Long.MIN_VALUE;

  private final Duration staleAfter;
  private Duration unwatched; // as last answered; null before
  private long aloneSince = NEVER;
  private long silentSince = NEVER;
  private Optional<Instant> sign = Optional.empty();
  private long signSince = NEVER;
  private long lookedAt = NEVER;
  private boolean alone;

  OtherClientWatch(Duration staleAfter) {
    this.staleAfter = staleAfter;
  }

  /**
   * What is known after one more look; null while nothing is.
   *
   * @param now of {@link System#nanoTime}
   */
  OtherClient after(Look look, long now) {
    boolean running = look instanceof Look.Silent silent && silent.running();
    if (isPast(lookedAt, running ? MAX_SILENT_LOOK_INTERVAL : MAX_LOOK_INTERVAL, now)) {
      aloneSince = NEVER;
      signSince = NEVER;
      silentSince = NEVER;
    }
    lookedAt = now;
    return look instanceof Look.Answered answered
        ? afterAnswer(answered, now)
        : afterSilence((Look.Silent) look, now);
  }

  /** What is known of one that has ended. */
  OtherClient ended() {
    return alone ? OtherClient.ENDED_ALONE : OtherClient.ENDED;
  }

  private OtherClient afterAnswer(Look.Answered look, long now) {
    boolean asked = unwatched != null && look.unwatched().compareTo(unwatched) < 0;
    unwatched = look.unwatched();
    signSince = NEVER;
    silentSince = NEVER;
    boolean onlyThis = look.clients().isPresent() && look.clients().getAsInt() <= 1;
    aloneSince = onlyThis ? (aloneSince == NEVER ? now : aloneSince) : NEVER;
    alone = (onlyThis && look.watched()) || unwatched.compareTo(MAX_ASK_INTERVAL) > 0;
    if (asked) {
      return OtherClient.ALIVE;
    }
    // One that has not come yet may still be on its way.
    Duration limit = look.watched() ? MAX_RECONNECT : MIN_SILENCE;
    return unwatched.compareTo(staleAfter) > 0 || isPast(aloneSince, limit, now)
        ? OtherClient.GONE
        : null;
  }

  private OtherClient afterSilence(Look.Silent look, long now) {
    unwatched = null;
    aloneSince = NEVER;
    silentSince = silentSince == NEVER ? now : silentSince;
    Duration limit = look.running() ? max(staleAfter, MIN_SILENCE) : MAX_SIGN_INTERVAL;
    if (look.sign().isEmpty()) {
      return isPast(silentSince, max(staleAfter, MIN_SILENCE), now) ? OtherClient.UNKNOWN : null;
    }
    if (signSince != NEVER && !look.sign().equals(sign)) {
      return OtherClient.ALIVE;
    }
    sign = look.sign();
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
