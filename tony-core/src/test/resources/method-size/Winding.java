/** Each method but the constructor is one step over a limit. */
class Winding {
  private int count;

  Winding(int a, int b, int c, int d, int e, int f, int g, int h, int i) {}

  void manyParameters(int a, int b, int c, int d, int e, int f, int g, int h) {}

  void tooLong() {
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
    count++;
  }

  int winding(int a, int b, int c) {
    for (int i = 0; i < a; i++) {
      if (i > b) {
        while (count < c) {
          count += a > b && b > c || c > i ? 1 : 2;
        }
      } else {
        count++;
      }
    }
    return a > b ? a : b > c ? b : c;
  }
}
