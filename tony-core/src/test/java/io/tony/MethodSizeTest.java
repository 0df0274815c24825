package io.tony;

import static org.junit.Assert.assertEquals;

import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.BreakTree;
import com.sun.source.tree.CatchTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ConditionalExpressionTree;
import com.sun.source.tree.ContinueTree;
import com.sun.source.tree.DoWhileLoopTree;
import com.sun.source.tree.EnhancedForLoopTree;
import com.sun.source.tree.ForLoopTree;
import com.sun.source.tree.IfTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.StatementTree;
import com.sun.source.tree.SwitchExpressionTree;
import com.sun.source.tree.SwitchTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.WhileLoopTree;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

/** Files and methods of main code are short; methods have few parameters and branch little. */
public class MethodSizeTest {
  private static final int MAX_FILE_LINES = 600;
  private static final int MAX_LINES = 60;
  private static final int MAX_PARAMETERS = 7;

  /** Of constructors that only put a part together out of others. */
  private static final int MAX_CONSTRUCTOR_PARAMETERS = 9;

  private static final int MAX_COMPLEXITY = 15;

  @Test
  public void shouldKeepMethodsSmall() throws IOException {
    List<String> faults = new ArrayList<>();
    Sources.parse(
        Sources.main(".java"),
        (file, unit, positions) -> new Ruler(file, unit, positions, faults).scan(unit, null));
    assertEquals(String.join("\n", faults), 0, faults.size());
  }

  @Test
  public void shouldKeepFilesSmall() throws IOException {
    List<String> large = new ArrayList<>();
    for (Path file : Sources.main(".java")) {
      if (Files.readAllLines(file).size() > MAX_FILE_LINES) {
        large.add(Repository.name(file).toString());
      }
    }
    assertEquals(List.of(), large);
  }

  @Test
  public void shouldSeeLongAndWindingMethods() throws IOException {
    List<String> faults = new ArrayList<>();
    Sources.parse(
        List.of(Path.of("src/test/resources/method-size/Winding.java")),
        (file, unit, positions) -> new Ruler(file, unit, positions, faults).scan(unit, null));
    assertEquals(
        List.of(
            "Winding.java: manyParameters has 8 parameters, at most 7 are allowed",
            "Winding.java: tooLong has 61 lines, at most 60 are allowed",
            "Winding.java: winding has a complexity of 16, at most 15 is allowed"),
        faults.stream().sorted().toList());
  }

  private static final class Ruler extends TreeScanner<Void, Tree> {
    private final String file;
    private final CompilationUnitTree unit;
    private final SourcePositions positions;
    private final List<String> faults;

    Ruler(Path file, CompilationUnitTree unit, SourcePositions positions, List<String> faults) {
      this.file = file.getFileName().toString();
      this.unit = unit;
      this.positions = positions;
      this.faults = faults;
    }

    @Override
    public Void visitClass(ClassTree type, Tree enclosing) {
      return super.visitClass(type, type);
    }

    @Override
    public Void visitMethod(MethodTree method, Tree type) {
      if (method.getBody() != null) {
        String name = file + ": " + method.getName();
        long lines = line(positions.getEndPosition(unit, method)) - line(start(method)) + 1;
        if (lines > MAX_LINES) {
          faults.add(name + " has " + lines + " lines, at most " + MAX_LINES + " are allowed");
        }
        int complexity = new Complexity().of(method.getBody());
        if (complexity > MAX_COMPLEXITY) {
          faults.add(
              "%s has a complexity of %d, at most %d is allowed"
                  .formatted(name, complexity, MAX_COMPLEXITY));
        }
      }
      int parameters = method.getParameters().size();
      int max = method.getReturnType() == null ? MAX_CONSTRUCTOR_PARAMETERS : MAX_PARAMETERS;
      if (parameters > max && type.getKind() != Tree.Kind.RECORD) {
        faults.add(
            "%s: %s has %d parameters, at most %d are allowed"
                .formatted(file, method.getName(), parameters, max));
      }
      return super.visitMethod(method, type);
    }

    /** Position of the method's body: its parameters are counted for themselves. */
    private long start(MethodTree method) {
      return positions.getStartPosition(unit, method.getBody());
    }

    private long line(long position) {
      LineMap lines = unit.getLineMap();
      return lines.getLineNumber(position);
    }
  }

  /**
   * Cognitive complexity, as Sonar counts it: one for each branch, and one more for each branch
   * around it; one for each change between {@code &&} and {@code ||}.
   */
  private static final class Complexity extends TreeScanner<Void, Integer> {
    private int sum;

    int of(Tree body) {
      scan(body, 0);
      return sum;
    }

    @Override
    public Void visitIf(IfTree branch, Integer depth) {
      sum += 1 + depth;
      return branches(branch, depth);
    }

    private Void branches(IfTree branch, Integer depth) {
      scan(branch.getCondition(), depth);
      scan(branch.getThenStatement(), depth + 1);
      StatementTree otherwise = branch.getElseStatement();
      if (otherwise == null) {
        return null;
      }
      sum++;
      return otherwise instanceof IfTree next ? branches(next, depth) : scan(otherwise, depth + 1);
    }

    @Override
    public Void visitForLoop(ForLoopTree loop, Integer depth) {
      return super.visitForLoop(loop, deeper(depth));
    }

    @Override
    public Void visitEnhancedForLoop(EnhancedForLoopTree loop, Integer depth) {
      return super.visitEnhancedForLoop(loop, deeper(depth));
    }

    @Override
    public Void visitWhileLoop(WhileLoopTree loop, Integer depth) {
      return super.visitWhileLoop(loop, deeper(depth));
    }

    @Override
    public Void visitDoWhileLoop(DoWhileLoopTree loop, Integer depth) {
      return super.visitDoWhileLoop(loop, deeper(depth));
    }

    @Override
    public Void visitCatch(CatchTree handler, Integer depth) {
      return super.visitCatch(handler, deeper(depth));
    }

    @Override
    public Void visitSwitch(SwitchTree choice, Integer depth) {
      return super.visitSwitch(choice, deeper(depth));
    }

    @Override
    public Void visitSwitchExpression(SwitchExpressionTree choice, Integer depth) {
      return super.visitSwitchExpression(choice, deeper(depth));
    }

    @Override
    public Void visitConditionalExpression(ConditionalExpressionTree choice, Integer depth) {
      return super.visitConditionalExpression(choice, deeper(depth));
    }

    private int deeper(int depth) {
      sum += 1 + depth;
      return depth + 1;
    }

    @Override
    public Void visitLambdaExpression(LambdaExpressionTree lambda, Integer depth) {
      return super.visitLambdaExpression(lambda, depth + 1);
    }

    @Override
    public Void visitBreak(BreakTree jump, Integer depth) {
      sum += jump.getLabel() == null ? 0 : 1;
      return null;
    }

    @Override
    public Void visitContinue(ContinueTree jump, Integer depth) {
      sum += jump.getLabel() == null ? 0 : 1;
      return null;
    }

    @Override
    public Void visitBinary(BinaryTree condition, Integer depth) {
      Tree.Kind kind = condition.getKind();
      Tree left = condition.getLeftOperand();
      while (left instanceof ParenthesizedTree inner) {
        left = inner.getExpression();
      }
      boolean logical = kind == Tree.Kind.CONDITIONAL_AND || kind == Tree.Kind.CONDITIONAL_OR;
      sum += logical && left.getKind() != kind ? 1 : 0;
      return super.visitBinary(condition, depth);
    }

    /** An anonymous class has methods of its own. */
    @Override
    public Void visitClass(ClassTree type, Integer depth) {
      return null;
    }
  }
}
