package io.tony;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** The main source files of all modules, for tests that read them. */
final class Sources {
  /** Takes one parsed file. */
  interface Visitor {
    void visit(Path file, CompilationUnitTree unit, SourcePositions positions);
  }

  private Sources() {}

  /** Returns the files of {@code src/main/java} and {@code src/main/resources} by suffix. */
  static List<Path> main(String suffix) throws IOException {
    return Repository.files("src/main", suffix);
  }

  /** Parses Java files, without resolving names. */
  static void parse(List<Path> files, Visitor visitor) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null,
                  manager,
                  null,
                  List.of("-proc:none"),
                  null,
                  manager.getJavaFileObjects(files.toArray(Path[]::new)));
      SourcePositions positions = Trees.instance(task).getSourcePositions();
      for (CompilationUnitTree unit : task.parse()) {
        visitor.visit(Path.of(unit.getSourceFile().getName()), unit, positions);
      }
    }
  }
}
