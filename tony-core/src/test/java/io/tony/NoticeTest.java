package io.tony;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.Test;

/** NOTICE tells where the data of the samples are from. */
public class NoticeTest {
  private static final Path ROOT = Repository.path("");

  private static final Pattern WRITTEN_HERE =
      Pattern.compile(".*\\.(py|pyc|job|flow|project|spark|properties|xml|md)");

  @Test
  public void shouldNameEveryFileOfData() throws IOException {
    String notice = Files.readString(ROOT.resolve("NOTICE"));
    List<String> data;
    try (Stream<Path> files = Files.walk(ROOT.resolve("sample-flows"))) {
      data =
          files
              .filter(Files::isRegularFile)
              .map(file -> ROOT.relativize(file).toString())
              .filter(file -> !WRITTEN_HERE.matcher(file).matches())
              .sorted()
              .toList();
    }
    assertTrue(data.toString(), data.contains("sample-flows/quickstart/data/iris.csv"));
    assertEquals(List.of(), data.stream().filter(file -> !notice.contains(file)).toList());
  }
}
