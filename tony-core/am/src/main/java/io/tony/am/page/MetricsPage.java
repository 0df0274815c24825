package io.tony.am.page;

import io.tony.am.http.DeadlineQueue;
import io.tony.eventlog.EventJson;
import io.tony.metrics.job.JobMetrics;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Metrics of the job for a monitoring system. Each request reads the events since the previous
 * request, in pieces, so that other requests are served in between. Stores nothing before the first
 * request. Used only on the page's thread.
 */
final class MetricsPage {
  /** Receives the metrics, or the reason why there are none. */
  interface MetricsCallback {
    void succeeded(String text);

    void failed(Throwable why);
  }

  private final EventSource events;
  private final PageEventReader eventReader;
  private final JobMetrics metrics;
  private final InstantSource clock;
  private final DeadlineQueue deadlines;
  private final List<MetricsCallback> callbacks = new ArrayList<>();
  private long nextEvent; // number of the next event to read

  MetricsPage(
      String application,
      EventSource events,
      PageEventReader eventReader,
      InstantSource clock,
      DeadlineQueue deadlines) {
    this.events = events;
    this.eventReader = eventReader;
    this.metrics = new JobMetrics(application);
    this.clock = clock;
    this.deadlines = deadlines;
  }

  void request(MetricsCallback callback) {
    callbacks.add(callback);
    if (callbacks.size() == 1) {
      readNext();
    }
  }

  private void readNext() {
    eventReader.read(
        nextEvent, () -> {}, this::addEvents, why -> answer(callback -> callback.failed(why)));
  }

  private void addEvents(EventSource.Excerpt excerpt) {
    for (String line : excerpt.lines()) {
      add(line);
    }
    nextEvent = excerpt.first() + excerpt.lines().size();
    if (excerpt.lines().isEmpty() || !events.hasNews(nextEvent) || excerpt.finished()) {
      String text = metrics.text(clock.instant());
      answer(callback -> callback.succeeded(text));
    } else {
      deadlines.execute(this::readNext);
    }
  }

  private void add(String line) {
    try {
      metrics.add(EventJson.read(line));
    } catch (IOException e) {
      metrics.skipLine();
    }
  }

  private void answer(Consumer<MetricsCallback> answer) {
    List<MetricsCallback> all = List.copyOf(callbacks);
    callbacks.clear();
    all.forEach(answer);
  }
}
