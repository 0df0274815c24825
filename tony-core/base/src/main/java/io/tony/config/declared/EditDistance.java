package io.tony.config.declared;

/** Counts typing mistakes: how many it takes to turn one name into another. */
final class EditDistance {
  private EditDistance() {}

  /**
   * Returns the minimum number of mistakes that turn {@code a} into {@code b}. A mistake is one
   * letter inserted, omitted, replaced, or swapped with its neighbor (optimal string alignment).
   */
  static int between(String a, String b) {
    int[] beforeLast = new int[b.length() + 1];
    int[] last = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      last[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int[] current = new int[b.length() + 1];
      current[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = last[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        current[j] = Math.min(replaced, 1 + Math.min(last[j], current[j - 1]));
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          current[j] = Math.min(current[j], beforeLast[j - 2] + 1);
        }
      }
      beforeLast = last;
      last = current;
    }
    return last[b.length()];
  }
}
