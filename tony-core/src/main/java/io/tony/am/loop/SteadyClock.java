package io.tony.am.loop;

import java.time.Instant;
import java.time.InstantSource;

/**
 * Measures time, whoever sets the machine's clock meanwhile: its instants are those of {@link
 * System#nanoTime}, and tell nothing but how far they are apart.
 */
public final class SteadyClock implements InstantSource {
  private final long startNanos = System.nanoTime();

  @Override
  public Instant instant() {
    return Instant.EPOCH.plusNanos(System.nanoTime() - startNanos);
  }
}
