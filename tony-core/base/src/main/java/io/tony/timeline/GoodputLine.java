package io.tony.timeline;

import io.tony.event.UsageFact.Goodput;
import io.tony.model.FailureKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Formats goodput as one line for display. Leaves out the categories without any time. */
public final class GoodputLine {
  private GoodputLine() {}

  public static String of(Goodput goodput) {
    List<String> parts = new ArrayList<>();
    add(parts, "queue", goodput.queuedMs());
    add(parts, "starting", goodput.startingMs());
    if (goodput.totalLostMs() > 0) {
      parts.add(lost(goodput));
    }
    add(parts, "stopping", goodput.stoppingMs());
    String line =
        String.format(
            Locale.ROOT,
            // Round down, so that 100 % appears only if all time was training that was kept.
            "goodput %d %%: trained %s",
            (int) Math.floor(100 * goodput.trainingShare()),
            text(goodput.trainingMs()));
    return parts.isEmpty() ? line : line + "; " + String.join(", ", parts);
  }

  private static String lost(Goodput goodput) {
    List<String> kinds = new ArrayList<>();
    for (Map.Entry<FailureKind, Long> lost : goodput.lostMs().entrySet()) {
      kinds.add(lost.getKey() + " " + text(lost.getValue()));
    }
    int restarts = goodput.restartCount();
    return "lost "
        + text(goodput.totalLostMs())
        + " ("
        + String.join(", ", kinds)
        + (restarts == 0 ? "" : restarts == 1 ? "; 1 restart" : "; " + restarts + " restarts")
        + (goodput.byProgress() ? "" : "; all since each start, as no progress shows less")
        + ")";
  }

  private static void add(List<String> parts, String label, long millis) {
    if (millis > 0) {
      parts.add(label + " " + text(millis));
    }
  }

  private static String text(long millis) {
    return PreciseDuration.format(Duration.ofMillis(millis));
  }
}
