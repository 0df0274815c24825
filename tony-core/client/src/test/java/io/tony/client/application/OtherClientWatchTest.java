package io.tony.client.application;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;

import io.tony.client.application.OtherClientWatch.PollResult;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.Test;

/** What looks at an application tell of the client that follows it. */
public class OtherClientWatchTest {
  private static final Duration STALE_AFTER = Duration.ofSeconds(90);
  private static final Instant SIGN = Instant.parse("2026-01-01T00:00:00Z");

  private int last;
  private final OtherClientWatch watch = new OtherClientWatch(STALE_AFTER);

  private OtherClient answered(int second, int unwatched, int clients) {
    return at(second, new PollResult.Answer(seconds(unwatched), OptionalInt.of(clients), true));
  }

  private OtherClient unvisited(int second, int unwatched) {
    return at(second, new PollResult.Answer(seconds(unwatched), OptionalInt.of(1), false));
  }

  private OtherClient ofAnEarlierVersion(int second, int unwatched) {
    return at(second, new PollResult.Answer(seconds(unwatched), OptionalInt.empty(), false));
  }

  private OtherClient silent(int second, Instant sign, boolean running) {
    return at(second, new PollResult.NoAnswer(Optional.ofNullable(sign), running));
  }

  private static Duration seconds(int seconds) {
    return Duration.ofSeconds(seconds);
  }

  /** After looks in each second since the last one, which showed the same. */
  private OtherClient at(int second, PollResult look) {
    while (last + 1 < second) {
      last++;
      PollResult before =
          look instanceof PollResult.Answer answered
              ? new PollResult.Answer(
                  answered.unwatchedTime().minusSeconds(second - last),
                  answered.clientCount(),
                  answered.watched())
              : look;
      if (!(before instanceof PollResult.Answer answered)
          || !answered.unwatchedTime().isNegative()) {
        assertNull("at " + last + " s", after(last, before));
      }
    }
    last = second;
    return after(second, look);
  }

  private OtherClient after(int second, PollResult look) {
    return watch.record(look, Duration.ofSeconds(second).toNanos());
  }

  @Test
  public void shouldFindAClientAliveThatAsksAgain() {
    assertNull(answered(0, 3, 2));
    assertNull(answered(15, 18, 2));
    assertEquals(OtherClient.ALIVE, answered(16, 1, 2));
  }

  @Test
  public void shouldFindAClientGoneWhoseConnectionIsClosed() {
    assertNull(answered(0, 1, 1));
    assertNull(answered(15, 16, 1));
    assertEquals(OtherClient.GONE, answered(16, 17, 1));
  }

  /** It has just submitted the application, say, and tidies up before it follows. */
  @Test
  public void shouldWaitLongerForAClientThatHasNotComeYet() {
    assertNull(unvisited(0, 2));
    assertNull(unvisited(50, 52));
    assertEquals(OtherClient.GONE, unvisited(51, 53));
  }

  /** As {@code tony shell} has one; it follows nothing. */
  @Test
  public void shouldWaitLongerWhileAnybodyElseIsConnected() {
    assertNull(answered(0, 1, 1));
    assertNull(answered(10, 11, 1));
    assertNull(answered(11, 12, 2));
    assertNull(answered(12, 13, 1));
    assertNull(answered(27, 28, 1));
    assertEquals(OtherClient.GONE, answered(28, 29, 1));
  }

  @Test
  public void shouldFindAClientGoneThatHasNotAskedForLong() {
    assertNull(answered(0, 90, 2));
    assertEquals(OtherClient.GONE, answered(1, 91, 2));
  }

  @Test
  public void shouldWaitForAnEarlierVersionAsThatOneTells() {
    assertNull(ofAnEarlierVersion(0, 30));
    assertNull(ofAnEarlierVersion(60, 90));
    assertEquals(OtherClient.GONE, ofAnEarlierVersion(61, 91));
  }

  @Test
  public void shouldFindAClientAliveThatWaitsForItsMaster() {
    assertNull(silent(0, SIGN, false));
    assertNull(silent(4, SIGN, false));
    assertEquals(OtherClient.ALIVE, silent(5, SIGN.plusSeconds(5), false));
  }

  @Test
  public void shouldFindAClientGoneThatLeavesNoSignWhileItsMasterIsNotThere() {
    assertNull(silent(0, SIGN, false));
    assertNull(silent(45, SIGN, false));
    assertEquals(OtherClient.GONE, silent(46, SIGN, false));
  }

  /**
   * What kept this client from looking, as a ResourceManager that restarts, kept the other one,
   * too.
   */
  @Test
  public void shouldNotCountTheTimeInWhichItCouldNotLook() {
    assertNull(silent(0, SIGN, false));
    assertNull(silent(40, SIGN, false));
    assertNull(after(100, new PollResult.NoAnswer(Optional.of(SIGN), false)));
    last = 100;
    assertNull(silent(145, SIGN, false));
    assertEquals(OtherClient.GONE, silent(146, SIGN, false));
  }

  /** Its own call to the master may hang for half a minute. */
  @Test
  public void shouldWaitLongerForASignWhileAMasterDoesNotAnswer() {
    assertNull(silent(0, SIGN, true));
    assertNull(silent(90, SIGN, true));
    assertEquals(OtherClient.GONE, silent(91, SIGN, true));
  }

  @Test
  public void shouldNotKnowAClientThatLeavesNoSigns() {
    assertNull(silent(0, null, true));
    assertNull(silent(90, null, true));
    assertEquals(OtherClient.UNKNOWN, silent(91, null, true));
  }

  /** What was seen before says nothing of the client of the next master. */
  @Test
  public void shouldBeginAnewWhenAMasterAnswersAgain() {
    assertNull(answered(0, 10, 1));
    assertNull(silent(1, SIGN, true));
    assertNull(answered(2, 1, 1));
    assertNull(answered(17, 16, 1));
    assertEquals(OtherClient.GONE, answered(18, 17, 1));
  }

  @Test
  public void shouldTellWhetherAnEndWasSeenByAClient() {
    assertNull(answered(0, 3, 2));
    assertEquals(OtherClient.ENDED, watch.endVerdict());
    assertNull(answered(1, 4, 1));
    assertEquals(OtherClient.ENDED_ALONE, watch.endVerdict());
    assertNull(unvisited(2, 5));
    assertEquals(OtherClient.ENDED, watch.endVerdict());
    assertNull(ofAnEarlierVersion(3, 26));
    assertEquals(OtherClient.ENDED_ALONE, watch.endVerdict());
    assertNull(silent(4, SIGN, false));
    assertEquals(OtherClient.ENDED, watch.endVerdict());
  }
}
