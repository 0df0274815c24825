package io.tony.model;

import java.util.Locale;

/** A signal that programs may want to be told something by; the numbers are Linux's. */
public enum ProgramSignal {
  /** None is sent. */
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

  /** As the kernel counts them, from 1; 0 for none. */
  public int number() {
    return number;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
