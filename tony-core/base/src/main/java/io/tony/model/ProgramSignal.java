package io.tony.model;

import java.util.Locale;

/** Signals that TonY can send to programs, with their numbers on Linux. */
public enum ProgramSignal {
  /** No signal is sent. */
  NONE(0),
  HUP(1),
  INT(2),
  USR1(10),
  USR2(12),
  TERM(15);

  private final int number;

  ProgramSignal(int number) {
    this.number = number;
  }

  /** Returns the number of the signal on Linux; 0 for {@link #NONE}. */
  public int number() {
    return number;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
