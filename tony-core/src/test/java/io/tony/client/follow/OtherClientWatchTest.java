package io.tony.client.follow;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;

import io.tony.client.follow.OtherClientWatch.Look;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.Test;

/** What looks at an application tell of the client that follows it. */
public class OtherClientWatchTest {
  private static final Duration STALE_AFTER = Duration.ofSeconds(90);
  private static final Instant SIGN = Instant.parse("2026-01-01T00:00:00Z");

  private final OtherClientWatch watch = new OtherClientWatch(STALE_AFTER, 0);

  private OtherClient answered(int second, int unwatched, int clients) {
    return after(second, new Look.Answered(Duration.ofSeconds(unwatched), OptionalInt.of(clients)));
  }

  private OtherClient ofAnEarlierVersion(int second, int unwatched) {
    return after(second, new Look.Answered(Duration.ofSeconds(unwatched), OptionalInt.empty()));
  }

  private OtherClient silent(int second, Instant sign, boolean running) {
    return after(second, new Look.Silent(Optional.ofNullable(sign), running));
  }

  private OtherClient after(int second, Look look) {
    return watch.after(look, Duration.ofSeconds(second).toNanos());
  }

  @Test
  public void shouldFindAClientAliveThatAsksAgain() {
    assertNull(answered(0, 3, 2));
    assertNull(answered(15, 18, 2));
    assertEquals(OtherClient.ALIVE, answered(18, 1, 2));
  }

  @Test
  public void shouldFindAClientGoneWhoseConnectionIsClosed() {
    assertNull(answered(0, 1, 1));
    assertNull(answered(15, 16, 1));
    assertEquals(OtherClient.GONE, answered(16, 17, 1));
  }

  /** As {@code tony shell} has one; it follows nothing. */
  @Test
  public void shouldWaitLongerWhileAnybodyElseIsConnected() {
    assertNull(answered(0, 1, 1));
    assertNull(answered(10, 11, 2));
    assertNull(answered(20, 21, 1));
    assertNull(answered(35, 36, 1));
    assertEquals(OtherClient.GONE, answered(36, 37, 1));
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
    assertNull(silent(20, SIGN, false));
    assertEquals(OtherClient.GONE, silent(21, SIGN, false));
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
    assertNull(silent(14, SIGN, true));
    assertNull(answered(16, 1, 1));
    assertNull(answered(31, 16, 1));
    assertEquals(OtherClient.GONE, answered(32, 17, 1));
  }

  @Test
  public void shouldTellWhetherAnEndWasSeenByAClient() {
    assertNull(answered(0, 3, 2));
    assertEquals(OtherClient.ENDED, watch.ended());
    assertNull(answered(1, 4, 1));
    assertEquals(OtherClient.ENDED_ALONE, watch.ended());
    assertNull(ofAnEarlierVersion(2, 26));
    assertEquals(OtherClient.ENDED_ALONE, watch.ended());
    assertNull(silent(3, SIGN, false));
    assertEquals(OtherClient.ENDED, watch.ended());
  }
}
