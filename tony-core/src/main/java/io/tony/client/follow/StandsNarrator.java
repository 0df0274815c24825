package io.tony.client.follow;

import io.tony.fact.Stands;
import io.tony.fact.Whereabouts;
import io.tony.model.TaskId;
import java.util.LinkedHashMap;
import java.util.Map;

/** Tells where the tasks of a gang stand that hangs: one line for all, once all have told it. */
final class StandsNarrator {
  private final JobLog out;
  private final Map<TaskId, String> places = new LinkedHashMap<>();
  private int expected;

  StandsNarrator(JobLog out) {
    this.out = out;
  }

  /** {@code running} is how many tasks run now, which are asked for it if the first is. */
  void tell(Stands fact, int running) {
    if (places.isEmpty()) {
      expected = running;
    }
    places.put(fact.task(), fact.where());
    if (places.size() >= expected) {
      tellAll();
    }
  }

  /** No more tell it. */
  void tellAll() {
    String words = Whereabouts.of(places);
    if (!words.isEmpty()) {
      out.println(words);
    }
    places.clear();
  }
}
