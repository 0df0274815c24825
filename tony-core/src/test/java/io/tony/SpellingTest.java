package io.tony;

import static org.junit.Assert.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.ParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.lucene.analysis.hunspell.Dictionary;
import org.apache.lucene.analysis.hunspell.Hunspell;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.junit.Test;

/** The documents are spelt as the dictionary has it, with the field's own words beside it. */
public class SpellingTest {
  /** One a line, sorted. */
  private static final Path OWN_WORDS = Repository.path("tony-core/src/test/resources/words.txt");

  private static final String DICTIONARY =
      "/META-INF/resources/webjars/typo-js/1.2.4/dictionaries/en_US/en_US";

  /** What is no prose: comments, code, what an indented line shows, and where a link leads. */
  private static final Pattern NO_PROSE =
      Pattern.compile(
          "<!--(?s:.*?)-->|(?m)^ *```(?s:.*?)^ *```|^ {4}.*$|`[^`]*`|\\]\\([^)]*\\)|[\\w-]+\\.md\\b|https?://\\S+|<[^>]+>");

  /** Not part of a name with digits, dots or dashes in it. */
  private static final Pattern WORD =
      Pattern.compile("(?<![\\p{L}\\d_.-])\\p{L}[\\p{L}’']+(?![\\d_])");

  /** An abbreviation, or a name such as NodeManager. */
  private static final Pattern NAME = Pattern.compile(".+\\p{Lu}.*");

  @Test
  public void shouldBeSpeltAsTheDictionaryHasIt() throws IOException, ParseException {
    Hunspell dictionary = dictionary();
    List<String> own = Files.readAllLines(OWN_WORDS);
    Set<String> used = new TreeSet<>();
    TreeMap<String, String> unknown = new TreeMap<>();
    for (Path page : pages()) {
      String prose = NO_PROSE.matcher(Files.readString(page)).replaceAll(" ");
      WORD.matcher(prose)
          .results()
          .map(word -> word.group().replace('’', '\'').replaceAll("'s?$", ""))
          .filter(word -> word.length() > 1 && !NAME.matcher(word).matches())
          .forEach(
              word -> {
                if (own.contains(word)) {
                  used.add(word);
                } else if (!dictionary.spell(word)
                    && !dictionary.spell(word.toLowerCase(Locale.ROOT))) {
                  unknown.put(word, page.getFileName().toString());
                }
              });
    }
    assertEquals("misspelt, or missing in " + OWN_WORDS.getFileName(), "{}", unknown.toString());
    assertEquals("words that no document has", new TreeSet<>(own), used);
  }

  private static Hunspell dictionary() throws IOException, ParseException {
    try (InputStream affixes = SpellingTest.class.getResourceAsStream(DICTIONARY + ".aff");
        InputStream words = SpellingTest.class.getResourceAsStream(DICTIONARY + ".dic");
        ByteBuffersDirectory scratch = new ByteBuffersDirectory()) {
      return new Hunspell(new Dictionary(scratch, "sort", affixes, words));
    }
  }

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>();
    for (String folder :
        List.of("", "docs", "docs/decisions", "docs/recipes", "benchmarks", "sample-flows")) {
      try (Stream<Path> files = Files.list(Repository.path(folder))) {
        files.filter(file -> file.toString().endsWith(".md")).forEach(pages::add);
      }
    }
    return pages;
  }
}
