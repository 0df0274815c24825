package io.tony.eventlog;

import java.time.Instant;
import java.time.LocalDate;

/** The times of events. A long log is read whole, and {@link Instant#parse} is slow. */
final class UtcTime {
  private static final String PATTERN = "dddd-dd-ddTdd:dd:dd"; // d: a digit
  private static final int MAX_FRACTION = 9;

  private UtcTime() {}

  /**
   * Reads what {@link Instant#parse} reads, and gives the same.
   *
   * @throws java.time.DateTimeException when the text is no time
   */
  static Instant parse(String text) {
    int length = PATTERN.length();
    if (!matches(text)) {
      return Instant.parse(text);
    }
    int hour = number(text, 11, 13);
    int minute = number(text, 14, 16);
    int second = number(text, 17, 19);
    int fraction = text.length() - length - 2;
    if (hour > 23 || minute > 59 || second > 59) {
      return Instant.parse(text);
    }
    long day =
        LocalDate.of(number(text, 0, 4), number(text, 5, 7), number(text, 8, 10)).toEpochDay();
    int nanos = fraction < 1 ? 0 : number(text, length + 1, text.length() - 1);
    for (int digits = fraction; digits > 0 && digits < MAX_FRACTION; digits++) {
      nanos *= 10;
    }
    return Instant.ofEpochSecond(((day * 24 + hour) * 60 + minute) * 60 + second, nanos);
  }

  /** Whether it has the form in which times are written, with or without a fraction. */
  private static boolean matches(String text) {
    int length = PATTERN.length();
    int last = text.length() - 1;
    if (last < length || text.charAt(last) != 'Z') {
      return false;
    }
    for (int i = 0; i < length; i++) {
      char wanted = PATTERN.charAt(i);
      if (wanted == 'd' ? !isDigit(text.charAt(i)) : text.charAt(i) != wanted) {
        return false;
      }
    }
    if (last == length) {
      return true;
    }
    for (int i = length + 1; i < last; i++) {
      if (!isDigit(text.charAt(i))) {
        return false;
      }
    }
    return text.charAt(length) == '.' && last > length + 1 && last <= length + 1 + MAX_FRACTION;
  }

  private static boolean isDigit(char letter) {
    return letter >= '0' && letter <= '9';
  }

  private static int number(String text, int begin, int end) {
    int number = 0;
    for (int i = begin; i < end; i++) {
      number = number * 10 + text.charAt(i) - '0';
    }
    return number;
  }
}
