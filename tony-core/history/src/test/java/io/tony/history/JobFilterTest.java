package io.tony.history;

import static org.junit.Assert.assertEquals;

import io.tony.event.Fact;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

public class JobFilterTest {
  private static final JobSummary JOB = job();

  private static JobSummary job() {
    SummaryBuilder builder = new SummaryBuilder(RecordedJobs.id(7)).owner("ada");
    List<Fact> facts = new ArrayList<>(RecordedJobs.begin(7));
    facts.addAll(RecordedJobs.end(0.5));
    facts.forEach(fact -> builder.add(fact.toEvent(RecordedJobs.submitted(7), 0)));
    return builder.build();
  }

  private static void assertMatches(boolean expected, JobFilter filter) {
    assertEquals(filter.toString(), expected, filter.test(JOB));
  }

  @Test
  public void shouldMatchAllOfIt() {
    assertMatches(true, JobFilter.ALL);
    assertMatches(true, JobFilter.ALL.withUser("ADA").ofStep("digits", "nightly", "train"));
    assertMatches(false, JobFilter.ALL.withUser("ada").ofStep("digits", "nightly", "test"));
    assertMatches(false, JobFilter.ALL.withUser("bob"));
    assertMatches(false, JobFilter.ALL.ofStep("other", "", ""));
    assertMatches(false, JobFilter.ALL.ofStep("", "night", ""));
    assertMatches(true, JobFilter.ALL.withStatus(JobSummary.Status.SUCCEEDED));
    assertMatches(false, JobFilter.ALL.withStatus(JobSummary.Status.FAILED));
  }

  @Test
  public void shouldMatchAnAttemptOfAnExecution() {
    assertMatches(true, JobFilter.ALL.ofExecution("7", null));
    assertMatches(true, JobFilter.ALL.ofExecution("7", 0));
    assertMatches(true, JobFilter.ALL.ofExecution("", 0));
    assertMatches(false, JobFilter.ALL.ofExecution("8", 0));
    assertMatches(false, JobFilter.ALL.ofExecution("7", 1));
  }

  @Test
  public void shouldMatchATimeWithoutItsEnd() {
    Instant begin = RecordedJobs.submitted(7);
    assertMatches(true, JobFilter.ALL.between(begin, null));
    assertMatches(true, JobFilter.ALL.between(null, begin.plusMillis(1)));
    assertMatches(false, JobFilter.ALL.between(begin.plusMillis(1), null));
    assertMatches(false, JobFilter.ALL.between(null, begin));
  }

  @Test
  public void shouldFindATextInTheNameTheMessageAndTheId() {
    assertMatches(true, JobFilter.ALL.withText("RAIN-7"));
    assertMatches(true, JobFilter.ALL.withText("Workers succ"));
    assertMatches(true, JobFilter.ALL.withText("0007"));
    assertMatches(false, JobFilter.ALL.withText("nothing of the kind"));
  }
}
