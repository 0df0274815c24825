package io.tony;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.TreeScanner;
import io.tony.model.JobEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.Test;

/**
 * Identifiers of main code use the words of the field, which a newcomer knows, and none of the
 * private words that this project once had.
 */
public class LexiconTest {
  /** Words that are in no identifier, each with what to write instead. */
  private static final Map<String, String> BANNED = new HashMap<>();

  static {
    ban("print, report, log, send, notify or record", "tell", "tells", "telling", "teller");
    ban("reported, sent, printed, pending", "told", "untold", "said", "say", "says");
    ban("hangs, is, location", "stand", "stands", "standing", "stood", "whereabouts");
    ban("none, other, caller, user", "nobody", "somebody", "anybody", "everybody", "whoever");
    ban("receive, received", "hear", "hears", "heard");
    ban("MAX_ and a unit, or max…", "most", "longest");
    ban("MIN_ and a unit, or min…", "least", "shortest");
    ban("what it is: an initial delay, an idle time", "soon", "quiet");
    ban("unauthenticated, pending, accepted", "stranger", "strangers", "settle", "settled");
    ban("accept, reject", "greet", "estrange");
    ban("text, message, sentence, line", "word", "words");
    ban("request", "wish");
    ban("allows, deletes", "lets");
    ban("check, poll, probe, view", "look", "looks", "looking");
    ban("strategy, mode, decision", "way", "how");
  }

  private static void ban(String instead, String... words) {
    for (String word : words) {
      BANNED.put(word, instead);
    }
  }

  /** A word of an identifier in camel case or with underscores. */
  private static final Pattern WORD = Pattern.compile("[A-Z]?[a-z]+|[A-Z]+(?![a-z])");

  private static final Pattern JAVASCRIPT =
      Pattern.compile(
          "(?:\\b(?:class|function|const|let|get|set|static)\\s+|^ {2}(?:async )?|#)"
              + "([A-Za-z_$][\\w$]*)(?=\\s*(?:[=;({]|extends))",
          Pattern.MULTILINE);

  @Test
  public void shouldUseNoPrivateWords() throws IOException {
    Map<Path, Set<String>> names = declaredIn(Sources.main(".java"));
    for (Path file : Sources.main(".js")) {
      names.put(file, scriptNames(Files.readString(file)));
    }
    assertTrue(names.size() + " files", names.size() > 500);
    List<String> faults = new ArrayList<>();
    names.forEach((file, declared) -> faults.addAll(faults(file, declared)));
    assertEquals(String.join("\n", faults), 0, faults.size());
  }

  @Test
  public void shouldReadEachKindOfIdentifier() throws IOException {
    Path file = Path.of("src/test/java/io/tony/LexiconTest.java");
    Set<String> names = declaredIn(List.of(file)).get(file);
    assertTrue(
        names.toString(),
        names.containsAll(List.of("LexiconTest", "BANNED", "ban", "instead", "faults")));
    assertEquals(
        Set.of("Told", "STANDS", "tellAll", "heard"),
        scriptNames("export class Told {\n  #heard = 1;\n  tellAll() {}\n}\nconst STANDS = 3;\n"));
  }

  @Test
  public void shouldFindAPrivateWordInAName() {
    assertEquals(
        List.of(
            "A.java: MOST_LINES (write MAX_ and a unit, or max…)",
            "A.java: tellAll (write print, report, log, send, notify or record)"),
        faults(
            Repository.path("A.java"), new TreeSet<>(Set.of("tellAll", "MOST_LINES", "hotWorld"))));
  }

  private static List<String> faults(Path file, Set<String> names) {
    List<String> faults = new ArrayList<>();
    for (String name : names) {
      for (String word : matches(WORD, name)) {
        String instead = BANNED.get(word.toLowerCase(Locale.ROOT));
        if (instead != null) {
          faults.add(Repository.name(file) + ": " + name + " (write " + instead + ")");
        }
      }
    }
    return faults;
  }

  /** Names that a script declares, without its functions that are called as events of the log. */
  private static Set<String> scriptNames(String script) {
    Set<String> names = matches(JAVASCRIPT, script);
    Arrays.stream(JobEvent.Type.values()).map(Enum::name).forEach(names::remove);
    return names;
  }

  private static Set<String> matches(Pattern pattern, String text) {
    Set<String> found = new TreeSet<>();
    Matcher matcher = pattern.matcher(text);
    while (matcher.find()) {
      found.add(matcher.group(matcher.groupCount()));
    }
    return found;
  }

  private static Map<Path, Set<String>> declaredIn(List<Path> sources) throws IOException {
    Map<Path, Set<String>> names = new TreeMap<>();
    Sources.parse(
        sources,
        (file, unit, positions) -> {
          DeclaredNames declared = new DeclaredNames();
          declared.scan(unit, null);
          names.put(file, declared.names);
        });
    return names;
  }

  /** Names of types, methods, fields and variables; those of enum constants are data of logs. */
  private static final class DeclaredNames extends TreeScanner<Void, Void> {
    private final Set<String> names = new TreeSet<>();

    @Override
    public Void visitClass(ClassTree type, Void unused) {
      names.add(type.getSimpleName().toString());
      return super.visitClass(type, null);
    }

    @Override
    public Void visitMethod(MethodTree method, Void unused) {
      names.add(method.getName().toString());
      return super.visitMethod(method, null);
    }

    @Override
    public Void visitVariable(VariableTree variable, Void unused) {
      if (!variable.toString().contains("/*public static final*/")) {
        names.add(variable.getName().toString());
      }
      return super.visitVariable(variable, null);
    }
  }
}
