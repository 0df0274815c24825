package io.tony.client.check.project;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The condition under which Azkaban runs a job, parsed as Azkaban parses it at an upload: operands
 * between the operators {@code &&}, {@code ||}, {@code ==}, {@code !=}, {@code >} and {@code <}.
 * Azkaban ignores blanks and parentheses.
 */
final class Condition {
  private static final Pattern STATUS =
      Pattern.compile("(?i)all_success|all_failed|all_done|one_failed|one_success");

  private static final Pattern LITERAL = Pattern.compile("\\d+|'.*'|\".*\"");

  private static final Pattern OUTPUT = Pattern.compile("\\$\\{([^:{}]+):([^:{}]+)\\}");

  private static final Pattern OPERATOR = Pattern.compile("&&|\\|\\||==|!=|>|<");

  private final List<String> operands = new ArrayList<>();

  /**
   * Operator i stands between operands i and i + 1. Like Azkaban, this class ignores further
   * operators at the end.
   */
  private final List<String> operators = new ArrayList<>();

  Condition(String text) {
    String plain = text.replaceAll("[\\s()]", "");
    Matcher operator = OPERATOR.matcher(plain);
    int begin = 0;
    while (operator.find()) {
      operands.add(plain.substring(begin, operator.start()));
      operators.add(operator.group());
      begin = operator.end();
    }
    operands.add(plain.substring(begin));
    // If the condition ends with operators, remove the empty operands after them: Azkaban ignores
    // them.
    while (operands.size() > 1 && operands.get(operands.size() - 1).isEmpty()) {
      operands.remove(operands.size() - 1);
    }
  }

  /**
   * Returns the reasons for which Azkaban refuses the condition at an upload; empty if it accepts
   * the condition. Each reason is a clause that callers append to the condition's name: {@code
   * lacks a value beside an operator}.
   *
   * @param jobs names of the jobs in the flow, whose outputs the condition may reference
   * @param later names of the jobs that run after the job with this condition, whose outputs it may
   *     not reference
   */
  List<String> problems(Set<String> jobs, Set<String> later) {
    List<String> problems = new ArrayList<>();
    int statuses = 0;
    for (String operand : operands) {
      if (STATUS.matcher(operand).matches()) {
        statuses++;
        continue;
      }
      String value = operand.startsWith("!") ? operand.substring(1) : operand;
      Matcher output = OUTPUT.matcher(value);
      if (value.isEmpty()) {
        problems.add("lacks a value beside an operator");
      } else if (value.startsWith("=")) {
        problems.add("holds >= or <=, which Azkaban cannot read: use > or <");
      } else if (output.matches()) {
        checkReference(output.group(1), jobs, later, problems);
      } else if (!LITERAL.matcher(value).matches()) {
        problems.add(
            "holds "
                + value
                + ", which Azkaban cannot read: it takes whole numbers, 'text', \"text\","
                + " ${JOB:KEY}, and one of all_success, all_failed, all_done, one_success,"
                + " one_failed. Instead of a decimal, publish a whole number or a word"
                + " (docs/flows.md)");
      }
    }
    if (statuses > 1) {
      problems.add("holds more than one of all_success, all_done and the like: leave one");
    }
    return problems;
  }

  private static void checkReference(
      String job, Set<String> jobs, Set<String> later, List<String> problems) {
    if (!jobs.contains(job)) {
      problems.add("names the job " + job + ", which is not in the flow");
    } else if (later.contains(job)) {
      problems.add("names the job " + job + ", which runs only afterwards");
    }
  }

  /**
   * Returns true if an operand of {@code >} or {@code <} is a quoted text. Azkaban then compares
   * letter by letter, although the author probably means numbers.
   */
  boolean ordersTexts() {
    for (int i = 0; i + 1 < operands.size(); i++) {
      boolean ordered = operators.get(i).equals(">") || operators.get(i).equals("<");
      if (ordered && (isText(operands.get(i)) || isText(operands.get(i + 1)))) {
        return true;
      }
    }
    return false;
  }

  private static boolean isText(String operand) {
    return operand.startsWith("'") || operand.startsWith("\"");
  }
}
