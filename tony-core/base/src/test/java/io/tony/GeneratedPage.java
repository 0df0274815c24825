package io.tony;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A page of docs/ that is made from the program, and written anew where tony.docs.write is true.
 */
public final class GeneratedPage {
  private GeneratedPage() {}

  /**
   * Asserts that the page is what is made now.
   *
   * @param test which writes it
   */
  public static void assertFresh(String name, String made, Class<?> test) throws IOException {
    Path page = Repository.path("docs").resolve(name);
    if (Boolean.getBoolean("tony.docs.write")) {
      Files.writeString(page, made);
    }
    String remedy =
        "docs/"
            + name
            + " is stale; write it again with: make docs ("
            + test.getSimpleName()
            + " does it)";
    assertTrue(remedy, Files.exists(page));
    assertEquals(remedy, made, Files.readString(page));
  }
}
