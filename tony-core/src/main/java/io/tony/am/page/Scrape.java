package io.tony.am.page;

import io.tony.am.scrape.JobMetrics;
import io.tony.am.serve.Alarms;
import io.tony.eventlog.EventJson;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The figures of the job for a monitoring system, which asks every now and then. Whoever asks pays:
 * the events since the last time are read only then, in pieces, between which the page's other
 * callers get their turn. A job that nobody asks about keeps nothing here. Used by the page's
 * thread alone.
 */
final class Scrape {
  /** Told the figures, or why there are none. */
  interface Asker {
    void told(String text);

    void failed(Throwable why);
  }

  private final Events events;
  private final EventReading reading;
  private final JobMetrics metrics;
  private final InstantSource clock;
  private final Alarms alarms;
  private final List<Asker> askers = new ArrayList<>();
  private long next; // the number of the event that comes next

  Scrape(
      String application, Events events, EventReading reading, InstantSource clock, Alarms alarms) {
    this.events = events;
    this.reading = reading;
    this.metrics = new JobMetrics(application);
    this.clock = clock;
    this.alarms = alarms;
  }

  void ask(Asker asker) {
    askers.add(asker);
    if (askers.size() == 1) {
      readOn();
    }
  }

  private void readOn() {
    reading.read(next, () -> {}, this::take, why -> answer(asker -> asker.failed(why)));
  }

  private void take(Events.Excerpt excerpt) {
    for (String line : excerpt.lines()) {
      add(line);
    }
    next = excerpt.first() + excerpt.lines().size();
    if (excerpt.lines().isEmpty() || !events.hasNews(next) || excerpt.finished()) {
      String text = metrics.text(clock.instant());
      answer(asker -> asker.told(text));
    } else {
      alarms.soon(this::readOn);
    }
  }

  private void add(String line) {
    try {
      metrics.add(EventJson.read(line));
    } catch (IOException e) {
      metrics.passOver();
    }
  }

  private void answer(Consumer<Asker> words) {
    List<Asker> all = List.copyOf(askers);
    askers.clear();
    all.forEach(words);
  }
}
