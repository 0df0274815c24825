package io.tony;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.Test;

/**
 * The words of the main code's identifiers are those of the field. A stranger reads {@code
 * reportExit} and {@code MAX_LINES}; what {@code tell} and {@code MOST} mean, only the authors
 * know.
 */
public class LexiconTest {
  private static final Path REPOSITORY = Path.of("..");

  /** Words that are in no identifier, and what is written instead. */
  private static final Map<String, String> INSTEAD = new TreeMap<>();

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
      INSTEAD.put(word, instead);
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
  public void shouldNameNothingInTheDialect() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path file : sources("src/main/java", ".java")) {
      // One file alone is parsed, and nothing of it is resolved.
      found.addAll(faults(file, declared(file)));
    }
    for (Path file : sources("src/main/resources", ".js")) {
      found.addAll(faults(file, matches(JAVASCRIPT, Files.readString(file))));
    }
    assertEquals(String.join("\n", found), 0, found.size());
  }

  @Test
  public void shouldReadEachKindOfIdentifier() throws IOException {
    Path file = Path.of("src/test/java/io/tony/LexiconTest.java");
    Set<String> names = declared(file);
    assertTrue(names.toString(), names.containsAll(List.of("LexiconTest", "INSTEAD", "ban")));
    assertTrue(names.toString(), names.containsAll(List.of("instead", "found")));
    assertEquals(
        Set.of("Told", "STANDS", "tellAll", "heard"),
        matches(
            JAVASCRIPT,
            "export class Told {\n  #heard = 1;\n  tellAll() {}\n}\nconst STANDS = 3;\n"));
  }

  private static List<String> faults(Path file, Set<String> names) {
    List<String> faults = new ArrayList<>();
    for (String name : names) {
      for (String word : matches(WORD, name)) {
        String instead = INSTEAD.get(word.toLowerCase(Locale.ROOT));
        if (instead != null) {
          faults.add(REPOSITORY.relativize(file) + ": " + name + " (write " + instead + ")");
        }
      }
    }
    return faults;
  }

  private static Set<String> matches(Pattern pattern, String text) {
    Set<String> found = new TreeSet<>();
    Matcher matcher = pattern.matcher(text);
    while (matcher.find()) {
      found.add(matcher.group(matcher.groupCount()));
    }
    return found;
  }

  private static Set<String> declared(Path file) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    Set<String> names = new TreeSet<>();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null, files, null, List.of("-proc:none"), null, files.getJavaFileObjects(file));
      for (CompilationUnitTree unit : task.parse()) {
        new TreeScanner<Void, Void>() {
          @Override
          public Void visitClass(ClassTree type, Void unused) {
            names.add(type.getSimpleName().toString());
            return super.visitClass(type, unused);
          }

          @Override
          public Void visitMethod(MethodTree method, Void unused) {
            names.add(method.getName().toString());
            return super.visitMethod(method, unused);
          }

          @Override
          public Void visitVariable(VariableTree variable, Void unused) {
            if (!isEnumConstant(variable)) { // what logs and messages are made of
              names.add(variable.getName().toString());
            }
            return super.visitVariable(variable, unused);
          }
        }.scan(unit, null);
      }
    }
    return names;
  }

  private static boolean isEnumConstant(Tree variable) {
    return variable.toString().contains("/*public static final*/");
  }

  private static List<Path> sources(String below, String end) throws IOException {
    try (Stream<Path> modules = Files.list(REPOSITORY)) {
      return modules
          .map(module -> module.resolve(below))
          .filter(Files::isDirectory)
          .flatMap(LexiconTest::walk)
          .filter(file -> file.toString().endsWith(end))
          .collect(Collectors.toList());
    }
  }

  private static Stream<Path> walk(Path folder) {
    try {
      return Files.walk(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
