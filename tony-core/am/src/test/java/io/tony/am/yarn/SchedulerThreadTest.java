package io.tony.am.yarn;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.am.machine.Event;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.ipc.RemoteException;
import org.junit.Test;

/** How often the ResourceManager is asked, in a time that passes only while the talk waits. */
public class SchedulerThreadTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private Duration now = Duration.ZERO;
  private final List<Duration> calls = new ArrayList<>();
  private final List<Event> events = new ArrayList<>();
  private final Map<Duration, Runnable> changes = new TreeMap<>();
  private boolean pending = true;
  private Duration newsAt = Duration.ofDays(1);
  private IOException failure;
  private int failures = Integer.MAX_VALUE;

  /** Waits in no time, and ends the talk after an hour. */
  private final class Waits extends LinkedBlockingQueue<Runnable> {
    private static final long serialVersionUID = 1;

    @Override
    public Runnable poll(long timeout, TimeUnit unit) throws InterruptedException {
      Duration until = now.plus(Duration.of(timeout, unit.toChronoUnit()));
      for (Duration at : changes.keySet()) {
        if (at.compareTo(until) <= 0) {
          now = at;
          return changes.remove(at);
        }
      }
      now = until;
      if (now.compareTo(HOUR) >= 0) {
        throw new InterruptedException();
      }
      return null;
    }
  }

  private final class Exchange implements SchedulerThread.Exchange {
    @Override
    public boolean call() throws IOException {
      calls.add(now);
      if (failure != null && failures-- > 0) {
        throw failure;
      }
      boolean news = now.compareTo(newsAt) >= 0;
      newsAt = news ? Duration.ofDays(1) : newsAt;
      return news;
    }

    @Override
    public boolean hasPending() {
      return pending;
    }
  }

  private void talk() {
    InstantSource clock = InstantSource.fixed(Instant.EPOCH);
    new SchedulerThread(new Exchange(), events::add, clock, () -> {}, new Waits()).run();
    Thread.interrupted(); // as the talk was ended
  }

  private long calls(Duration from, Duration to) {
    return calls.stream().filter(at -> at.compareTo(from) > 0 && at.compareTo(to) <= 0).count();
  }

  @Test
  public void shouldAskOnceASecondInAnHourThatBringsNoContainer() {
    talk();

    assertEquals("as soon as there is room", 40, calls(Duration.ZERO, Duration.ofSeconds(2)));
    assertTrue(calls.size() + " calls", calls.size() < 3_600 + 60);
    assertTrue(calls.size() + " calls", calls.size() > 3_500);
  }

  @Test
  public void shouldAskOftenAgainWhenAContainerHasCome() {
    newsAt = Duration.ofMinutes(30);
    talk();

    Duration first =
        calls.stream().filter(at -> at.compareTo(Duration.ofMinutes(30)) >= 0).findFirst().get();
    assertTrue("after " + first, first.compareTo(Duration.ofMinutes(30).plusSeconds(1)) <= 0);
    assertEquals(40, calls(first, first.plusSeconds(2)));
    assertEquals(60, calls(first.plusSeconds(60), first.plusSeconds(120)));
  }

  @Test
  public void shouldTellAChangeAtOnceAndAskOftenAfterIt() {
    List<Duration> told = new ArrayList<>();
    Duration change = Duration.ofMillis(1_000_123);
    changes.put(change, () -> told.add(now));
    talk();

    assertEquals(List.of(change), told);
    assertEquals("told by a call", 1, calls(change.minusNanos(1), change));
    assertEquals(40, calls(change, change.plusSeconds(2)));
  }

  @Test
  public void shouldOnlyBeAHeartbeatWhileNothingIsPending() {
    pending = false;
    talk();

    assertEquals(3_599, calls.size());
  }

  /** Seen when one was stopped in order while it answered. */
  @Test
  public void shouldAskAgainWhenTheResourceManagerStopsInTheMiddleOfAnAnswer() {
    failure =
        new RemoteException(
            "org.apache.hadoop.yarn.exceptions.YarnRuntimeException",
            "java.lang.InterruptedException\n\tat org.apache.hadoop.yarn.event.AsyncDispatcher");
    failures = 3;
    pending = false;
    talk();

    assertEquals(List.of(), events);
    assertEquals(3_599, calls.size());
  }

  @Test
  public void shouldTellThatTheResourceManagerCannotBeTalkedTo() {
    failure = new IOException("it is gone");
    talk();

    assertEquals(1, calls.size());
    assertEquals(
        "the ResourceManager cannot be talked to: it is gone",
        ((Event.SchedulerFailed) events.get(0)).message());
  }
}
