package io.tony.hadoop.versions;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.client.TonyCli;
import io.tony.hadoop.versions.ClassFile.Reference;
import io.tony.mini.MiniCluster;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.Test;

/**
 * Every class, field and method that TonY's jars refer to is there on the Hadoop under test, and so
 * is the code for every method that it will call: also on the paths that no job of {@link JobsIT}
 * takes.
 */
public class LinkageIT {

  private static final String CLASS = ".class";

  /** They rest on a Kerberos server, which the clusters of these tests do without. */
  private static final Set<String> OF_KERBEROS = Set.of("io.tony.mini.Kdc", "io.tony.mini.Tickets");

  @Test
  public void shouldLinkTonyCore() throws Exception {
    assertLinks(TonyCli.class);
  }

  @Test
  public void shouldLinkTonyMini() throws Exception {
    assertLinks(MiniCluster.class);
  }

  @Test
  public void shouldFindWhatIsMissing() {
    List<Reference> absent =
        List.of(
            new Reference(ClassFile.Kind.CLASS, "org.apache.hadoop.Nothing", null, null),
            new Reference(ClassFile.Kind.METHOD, "java.lang.String", "length", "()J"),
            new Reference(ClassFile.Kind.METHOD, "java.util.List", "size", "()I"),
            new Reference(ClassFile.Kind.FIELD, "java.lang.String", "CASE_INSENSITIVE_ORDER", "I"));

    assertEquals(
        List.of(
            "java.lang.ClassNotFoundException: org.apache.hadoop.Nothing",
            "has no such method",
            "is an interface",
            "has no such field"),
        absent.stream().map(reference -> Linkage.problem(reference).orElse("is there")).toList());
  }

  private static void assertLinks(Class<?> ofJar) throws IOException, ClassNotFoundException {
    TreeSet<String> problems = new TreeSet<>();
    int hadoop = 0;
    try (JarFile jar = new JarFile(HadoopJars.of(ofJar).toFile())) {
      for (JarEntry entry : Collections.list(jar.entries())) {
        if (!entry.getName().endsWith(CLASS)) {
          continue;
        }
        String name = entry.getName().replace('/', '.').replaceFirst("\\.class$", "");
        if (OF_KERBEROS.contains(name)) {
          continue;
        }
        for (Reference reference : references(jar, entry)) {
          if (OF_KERBEROS.contains(reference.owner())) {
            continue;
          }
          hadoop += reference.owner().startsWith("org.apache.hadoop.") ? 1 : 0;
          Linkage.problem(reference)
              .ifPresent(problem -> problems.add(name + ": " + reference + " " + problem));
        }
        for (Method owed : (Iterable<Method>) Linkage.unimplemented(Linkage.load(name))::iterator) {
          problems.add(name + ": does not implement " + owed);
        }
      }
    }
    assertEquals("", String.join("\n", problems));
    assertTrue("references to Hadoop: " + hadoop, hadoop > 100);
  }

  private static Iterable<Reference> references(JarFile jar, JarEntry entry) throws IOException {
    try (InputStream in = new BufferedInputStream(jar.getInputStream(entry))) {
      return ClassFile.references(in);
    }
  }
}
