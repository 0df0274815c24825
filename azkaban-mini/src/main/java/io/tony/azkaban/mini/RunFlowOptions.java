package io.tony.azkaban.mini;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** The parsed command line of {@link RunFlow}, with all problems in it, not only the first. */
record RunFlowOptions(boolean help, Optional<FlowRequest> request, List<String> problems) {

  static final String USAGE =
      """
      usage: RunFlow --flow DIR --work DIR [--plugins DIR] [options]
        --flow DIR           the flow's .job and .properties files; only read
        --work DIR           where executions/<id> is made, with the jobs' files and logs
        --plugins DIR        the folder with one folder per job type (tony/private.properties, ...)
        --flow-name NAME     which flow, when DIR holds several; a flow is named after its last job
        --property KEY=VALUE a flow parameter; may be given several times
        --execution-id N     default: the next free number in the work folder
      exit status: 0 the flow succeeded, 1 it did not, 2 bad arguments, 130 or 143 interrupted
      """;

  static RunFlowOptions parse(List<String> arguments, FlowListener listener) {
    Parser parser = new Parser();
    parser.read(arguments.iterator());
    if (parser.help) {
      return new RunFlowOptions(true, Optional.empty(), List.of());
    }
    Optional<FlowRequest> request = parser.request(listener);
    request.ifPresent(parsed -> parser.problems.addAll(parsed.problems()));
    return new RunFlowOptions(false, request, List.copyOf(parser.problems));
  }

  private static final class Parser {
    private final List<String> problems = new ArrayList<>();
    private final Map<String, String> values = new LinkedHashMap<>();
    private final Map<String, String> properties = new LinkedHashMap<>();
    private boolean help;

    void read(Iterator<String> arguments) {
      while (arguments.hasNext()) {
        String option = arguments.next();
        switch (option) {
          case "--help", "-h" -> help = true;
          case "--property" -> value(option, arguments).ifPresent(this::property);
          case "--flow", "--work", "--plugins", "--flow-name", "--execution-id" ->
              value(option, arguments).ifPresent(value -> single(option, value));
          default -> problems.add("unknown argument '" + option + "'");
        }
      }
    }

    private Optional<String> value(String option, Iterator<String> arguments) {
      String value = arguments.hasNext() ? arguments.next() : "";
      if (value.isEmpty()) {
        problems.add(option + " needs a value");
        return Optional.empty();
      }
      return Optional.of(value);
    }

    private void single(String option, String value) {
      if (values.put(option, value) != null) {
        problems.add(option + " is given twice");
      }
    }

    private void property(String pair) {
      int equals = pair.indexOf('=');
      if (equals < 1) {
        problems.add("--property '" + pair + "' is not of the form KEY=VALUE");
      } else {
        properties.put(pair.substring(0, equals), pair.substring(equals + 1));
      }
    }

    /**
     * Returns the request; empty if a required folder is missing. Adds all problems to the list of
     * problems.
     */
    Optional<FlowRequest> request(FlowListener listener) {
      Optional<Path> flow = required("--flow");
      Optional<Path> work = required("--work");
      OptionalInt id = executionId();
      Optional<Path> plugins = Optional.ofNullable(values.get("--plugins")).map(Path::of);
      if (flow.isEmpty() || work.isEmpty()) {
        flow.flatMap(FlowRequest::flowFolderProblem).ifPresent(problems::add);
        plugins.flatMap(FlowRequest::pluginsProblem).ifPresent(problems::add);
        return Optional.empty();
      }
      FlowRequest.Builder builder =
          FlowRequest.builder(flow.get(), work.get()).properties(properties).listener(listener);
      id.ifPresent(builder::executionId);
      Optional.ofNullable(values.get("--flow-name")).ifPresent(builder::flowName);
      plugins.ifPresent(builder::plugins);
      return Optional.of(builder.build());
    }

    private Optional<Path> required(String option) {
      String value = values.get(option);
      if (value == null
          && problems.stream().noneMatch(problem -> problem.startsWith(option + " needs"))) {
        problems.add(option + " DIR is missing");
      }
      return Optional.ofNullable(value).map(Path::of);
    }

    private OptionalInt executionId() {
      String value = values.get("--execution-id");
      if (value == null) {
        return OptionalInt.empty();
      }
      try {
        return OptionalInt.of(Integer.parseInt(value));
      } catch (NumberFormatException e) {
        problems.add("--execution-id '" + value + "' is not a number");
        return OptionalInt.empty();
      }
    }
  }
}
