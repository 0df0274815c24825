package io.tony.event;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.am.machine.PermittedSubclasses;
import io.tony.model.JobEvent;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.Test;

public class FactTest {
  private static final Instant NOW = Instant.parse("2026-11-22T03:00:00Z");

  /** What may be missing: it is not known, or there is none. */
  private static final Set<String> OPTIONAL =
      Set.of(
          "running",
          "submitted",
          "process",
          "exitCode",
          "stderr",
          "step",
          "memory",
          "futile",
          "task",
          "outputsLeftOut",
          "project",
          "flow",
          "job",
          "execution",
          "azkabanAttempt",
          "optionsLeftOut",
          "other",
          "how",
          "refund",
          "maker",
          "asked",
          "clean",
          "joins",
          "unfit");

  @Test
  public void shouldBeReadAsItIsWritten() {
    Set<Class<? extends Fact>> sampled = new HashSet<>();
    for (Fact fact : Samples.ALL) {
      sampled.add(fact.getClass());
      assertEquals(Optional.of(fact), Fact.of(fact.toEvent(NOW, 3)));
    }
    assertEquals(PermittedSubclasses.of(Fact.class), sampled);
  }

  @Test
  public void shouldNameWhatIsMissing() {
    for (Fact fact : Samples.ALL) {
      JobEvent whole = fact.toEvent(NOW, 3);
      for (String name : whole.details().keySet()) {
        if (mayBeMissing(whole, name)) {
          continue;
        }
        Map<String, String> less = new HashMap<>(whole.details());
        less.remove(name);
        JobEvent event = new JobEvent(NOW, whole.type(), 3, whole.task(), less);
        IllegalArgumentException e =
            assertThrows(name, IllegalArgumentException.class, () -> Fact.of(event));
        String of = whole.task() == null ? "" : " of worker:1";
        assertEquals(whole.type() + of + " lacks '" + name + "'", e.getMessage());
      }
    }
  }

  private static boolean mayBeMissing(JobEvent event, String name) {
    return OPTIONAL.contains(name)
        || name.startsWith("output.")
        || name.startsWith(JobDescription.OPTION_PREFIX)
        || name.startsWith("lost.") // of a kind that took nothing
        || event.type() == JobEvent.Type.METRICS
        // The exit code is always 0.
        || (event.type() == JobEvent.Type.TASK_SUCCEEDED && name.equals("exitCode"))
        // A program that ended by itself.
        || (event.type() == JobEvent.Type.TASK_HELD && name.equals("message"))
        // The first release did not write it.
        || (event.type() == JobEvent.Type.GANG_RESTARTED && name.equals("charged"))
        // A success has none: the two are told apart by the status.
        || (name.equals("kind") && event.details().containsKey("status"));
  }

  @Test
  public void shouldNameWhatMakesNoSense() {
    JobEvent event = sample(TaskFact.Restarted.class).toEvent(NOW, 0);
    assertRefused(event, "attempt", "seven", "is not a number");
    assertRefused(event, "alone", "yes", "is not true or false");
    assertRefused(event, "kind", "Lost", "is not one of [INVALID, PROGRAM, LOST,");
    assertRefused(event, "charged", "somebody", "is not one of [role, job, incident, nobody]");
    assertRefused(event, "where", "elsewhere", "is not kept or new");
    assertRefused(
        sample(TaskFact.Registered.class).toEvent(NOW, 0), "endpoint", "x", "a host:port");
  }

  private static Fact sample(Class<? extends Fact> type) {
    return Samples.ALL.stream().filter(type::isInstance).findFirst().orElseThrow();
  }

  private static void assertRefused(JobEvent whole, String name, String value, String why) {
    Map<String, String> details = new HashMap<>(whole.details());
    details.put(name, value);
    JobEvent event = new JobEvent(NOW, whole.type(), 0, whole.task(), details);
    IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> Fact.of(event));
    String message = e.getMessage();
    assertTrue(
        message, message.startsWith(whole.type() + " of worker:1 has " + name + "=" + value));
    assertTrue(message, message.contains(why));
  }

  @Test
  public void shouldRefuseAFactAboutATaskThatNamesNone() {
    JobEvent event = new JobEvent(NOW, JobEvent.Type.TASK_STOPPED, 0, null, Map.of());

    assertEquals(
        "TASK_STOPPED names no task",
        assertThrows(IllegalArgumentException.class, () -> Fact.of(event)).getMessage());
  }

  @Test
  public void shouldPassOverWhatALaterVersionWrote() {
    JobEvent event = new JobEvent(NOW, JobEvent.Type.UNKNOWN, 0, null, Map.of("a", "b"));

    assertEquals(Optional.empty(), Fact.of(event));
  }
}
