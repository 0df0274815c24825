package io.tony.am.machine;

import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.time.Instant;
import java.util.List;
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
      for (Class<? extends Event> type : PermittedSubclasses.of(Event.class)) {
        if (phase != Phase.STOPPING || type != Event.HeartbeatTimedOut.class) {
          transitions.illegal(type, phase);
        }
      }
    }

    IllegalStateException e = assertThrows(IllegalStateException.class, transitions::checkComplete);

    assertEquals("HeartbeatTimedOut in STOPPING is not declared", e.getMessage());
    assertSame(
        transitions,
        transitions.illegal(Event.HeartbeatTimedOut.class, Phase.STOPPING).checkComplete());
  }

  @Test
  public void shouldRefuseAPairThatIsDeclaredTwice() {
    Transitions transitions = new Transitions().illegal(Event.AmReady.class, Phase.RUNNING);

    IllegalStateException e =
        assertThrows(
            IllegalStateException.class,
            () -> transitions.ignore(Event.AmReady.class, "a race", Phase.RUNNING));

    assertEquals("AmReady in RUNNING is declared twice", e.getMessage());
  }

  @Test
  public void shouldThrowWhenAnEventComesThatCannotHappen() {
    Transitions transitions = new Transitions().illegal(Event.StopRequested.class, Phase.NEW);

    DecisionBuilder decision = new DecisionBuilder(state(), Instant.EPOCH);

    IllegalStateException e =
        assertThrows(IllegalStateException.class, () -> transitions.apply(decision, STOP));

    assertTrue(e.getMessage(), e.getMessage().contains("StopRequested"));
    assertTrue(e.getMessage(), e.getMessage().contains("cannot happen in phase NEW"));
  }

  @Test
  public void shouldLeaveTheStateAloneWhenAnEventIsIgnored() {
    Transitions transitions =
        new Transitions().ignore(Event.StopRequested.class, "a race", Phase.NEW);
    JobState before = state();

    DecisionBuilder decision = new DecisionBuilder(before, Instant.EPOCH);
    transitions.apply(decision, STOP);

    assertSame(before, decision.state());
    assertTrue(decision.build().actions().isEmpty());
  }

  @Test
  public void shouldHandThePairToItsHandler() {
    Transitions transitions =
        new Transitions()
            .on(
                Event.StopRequested.class,
                (decision, event) -> decision.emit(new Action.ReleaseContainer(event.requester())),
                Phase.NEW);
    DecisionBuilder decision = new DecisionBuilder(state(), Instant.EPOCH);

    transitions.apply(decision, STOP);

    assertEquals(List.of(new Action.ReleaseContainer("ada")), decision.build().actions());
  }

  @Test
  public void shouldRefuseToBeReadyTwice() {
    Scenario job = Scenario.requested(job());

    assertThrows(IllegalStateException.class, job::ready);
  }
}
