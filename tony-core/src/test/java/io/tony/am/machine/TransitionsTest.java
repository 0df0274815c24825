package io.tony.am.machine;

import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.time.Instant;
import org.junit.Test;

/** That every phase says what it does with every kind of event. */
public class TransitionsTest {
  private static final Event STOP = new Event.StopRequested(Instant.EPOCH, "ada");

  private static JobState state() {
    return JobState.initial(job().spec(), 7);
  }

  @Test
  public void shouldNameAPairThatNobodyDeclared() {
    Transitions transitions = new Transitions();
    for (Phase phase : Phase.values()) {
      for (Event.Kind kind : Event.Kind.values()) {
        if (phase != Phase.STOPPING || kind != Event.Kind.TASK_SILENT) {
          transitions.illegal(kind, phase);
        }
      }
    }

    IllegalStateException e = assertThrows(IllegalStateException.class, transitions::complete);

    assertEquals("TASK_SILENT in STOPPING is not declared", e.getMessage());
    assertSame(transitions, transitions.illegal(Event.Kind.TASK_SILENT, Phase.STOPPING).complete());
  }

  @Test
  public void shouldRefuseAPairThatIsDeclaredTwice() {
    Transitions transitions = new Transitions().illegal(Event.Kind.AM_READY, Phase.RUNNING);

    IllegalStateException e =
        assertThrows(
            IllegalStateException.class,
            () -> transitions.ignore(Event.Kind.AM_READY, "a race", Phase.RUNNING));

    assertEquals("AM_READY in RUNNING is declared twice", e.getMessage());
  }

  @Test
  public void shouldThrowWhenAnEventComesThatCannotHappen() {
    Transitions transitions = new Transitions().illegal(Event.Kind.STOP_REQUESTED, Phase.NEW);

    IllegalStateException e =
        assertThrows(IllegalStateException.class, () -> transitions.apply(state(), STOP));

    assertTrue(e.getMessage(), e.getMessage().contains("StopRequested"));
    assertTrue(e.getMessage(), e.getMessage().contains("cannot happen in phase NEW"));
  }

  @Test
  public void shouldLeaveTheStateAloneWhenAnEventIsIgnored() {
    Transitions transitions =
        new Transitions().ignore(Event.Kind.STOP_REQUESTED, "a race", Phase.NEW);
    JobState before = state();

    Decision decision = transitions.apply(before, STOP);

    assertSame(before, decision.state());
    assertTrue(decision.actions().isEmpty());
  }

  @Test
  public void shouldHandThePairToItsHandler() {
    JobState after = state();
    Transitions transitions =
        new Transitions()
            .on(
                Event.Kind.STOP_REQUESTED,
                (JobState state, Event.StopRequested event) -> Decision.unchanged(after),
                Phase.NEW);

    assertSame(after, transitions.apply(state(), STOP).state());
  }

  @Test
  public void shouldRefuseToBeReadyTwice() {
    Scenario job = Scenario.requested(job());

    assertThrows(IllegalStateException.class, job::ready);
  }
}
