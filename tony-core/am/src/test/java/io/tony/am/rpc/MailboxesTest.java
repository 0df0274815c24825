package io.tony.am.rpc;

import static org.junit.Assert.assertEquals;

import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.After;
import org.junit.Test;

/** How many boxes there are; {@link ContainerCommandsTest} shows what comes out of them. */
public class MailboxesTest {
  private static final TaskKey WORKER = new TaskKey(new TaskId("worker", 0), 0, "container_7");

  /** What it is given waits until the test lets the time pass. */
  private static final class Time extends ScheduledThreadPoolExecutor {
    private final List<Runnable> due = new ArrayList<>();
    private final List<ScheduledFuture<?>> futures = new ArrayList<>();

    Time() {
      super(1);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
      due.add(command);
      futures.add(super.schedule(() -> {}, 1, TimeUnit.DAYS));
      return futures.get(futures.size() - 1);
    }

    /** Also what was cancelled is run: it may have been under way. */
    void pass(int from, int to) {
      due.subList(from, to).forEach(Runnable::run);
    }

    int live() {
      return (int) futures.stream().filter(future -> !future.isCancelled()).count();
    }
  }

  private final Time time = new Time();
  private final Mailboxes mailboxes = new Mailboxes(time, Runnable::run, Duration.ofSeconds(5));

  @After
  public void close() {
    time.shutdownNow();
  }

  private static TaskKey attempt(int attempt, int container) {
    return new TaskKey(WORKER.task(), attempt, "container_" + container);
  }

  @Test
  public void shouldHaveABoxForEachContainerFromItsLaunchToItsEnd() {
    for (int container = 0; container < 1_000; container++) {
      TaskKey key = attempt(container, container);
      mailboxes.expect(key.container());
      mailboxes.markRegistered(key);
      mailboxes.start(key, () -> null);
      assertEquals(1, mailboxes.size());
      mailboxes.forget(key.container());
      mailboxes.stop(key.container(), "it is replaced", false);
      mailboxes.restart(
          new TaskKey(key.task(), container + 1, key.container()), "it starts again", false);
      mailboxes.start(key, () -> null);
      assertEquals(0, mailboxes.size());
    }
    assertEquals("nobody was a guest", 0, time.live());
  }

  @Test
  public void shouldForgetAStrangerThatIsSilent() {
    mailboxes.markRegistered(WORKER);
    mailboxes.markRegistered(WORKER);
    mailboxes.stop(WORKER.container(), "it belongs to an earlier attempt", false);
    assertEquals(1, mailboxes.size());
    assertEquals(1, time.live());

    time.pass(0, 1);
    assertEquals("heard of meanwhile", 1, mailboxes.size());

    time.pass(1, 2);
    assertEquals(0, mailboxes.size());
  }

  @Test
  public void shouldKeepTheBoxOfAStrangerThatIsAdopted() {
    mailboxes.markRegistered(WORKER);
    mailboxes.adopt(WORKER);
    mailboxes.markRegistered(WORKER);

    assertEquals(0, time.live());
    time.pass(0, 1);
    assertEquals(1, mailboxes.size());

    mailboxes.forget(WORKER.container());
    assertEquals(0, mailboxes.size());
  }
}
