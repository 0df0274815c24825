package io.tony.testing;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.Test;
import org.junit.runner.Description;
import org.junit.runners.model.Statement;
import org.junit.runners.model.TestTimedOutException;

/** The rule with a cluster that has what a test says. */
public class LeavesNothingTest {
  private final List<String> left = new ArrayList<>();
  private boolean canBeKilled = true;

  private final LeavesNothing rule =
      new LeavesNothing(
          new LeavesNothing.Cluster() {
            @Override
            public List<String> awaitIdle(Duration limit) {
              return List.copyOf(left);
            }

            @Override
            public void killAll() {
              if (canBeKilled) {
                left.clear();
              }
            }
          });

  private interface Body {
    void run() throws Exception;
  }

  private void run(LeavesNothing rule, Body body) throws Throwable {
    rule.apply(
            new Statement() {
              @Override
              public void evaluate() throws Exception {
                body.run();
              }
            },
            Description.EMPTY)
        .evaluate();
  }

  @Test
  public void shouldFailATestThatLeavesSomethingAndRemoveIt() {
    AssertionError failure =
        assertThrows(AssertionError.class, () -> run(rule, () -> left.add("process 1")));

    assertTrue(failure.getMessage(), failure.getMessage().contains("process 1"));
    assertEquals(List.of(), left);
  }

  @Test
  public void shouldFailATestBeforeWhichSomethingIsThereAndRemoveIt() {
    left.add("application 1");

    AssertionError failure =
        assertThrows(
            AssertionError.class,
            () ->
                run(
                    rule,
                    () -> {
                      throw new IllegalStateException("it ran");
                    }));

    assertTrue(failure.getMessage(), failure.getMessage().contains("left before the test"));
    assertEquals("so that the next one can run", List.of(), left);
  }

  @Test
  public void shouldKeepTheFailureOfATestAndSayWhatCannotBeRemoved() {
    canBeKilled = false;
    Exception broken = new IllegalStateException("broken");

    Exception failure =
        assertThrows(
            Exception.class,
            () ->
                run(
                    rule,
                    () -> {
                      left.add("process 1");
                      throw broken;
                    }));

    assertSame(broken, failure);
    assertTrue(failure.getSuppressed()[0].getMessage().contains("[process 1]"));
  }

  @Test
  public void shouldEndATestThatDoesNotEnd() {
    assertThrows(
        TestTimedOutException.class,
        () -> run(rule.within(Duration.ofSeconds(1)), () -> Thread.sleep(60_000)));
  }
}
