package io.tony.am.page;

import io.tony.am.serve.Alarms;
import io.tony.am.serve.HttpConversation;
import io.tony.fact.TaskFact;
import io.tony.logs.ContainerLog;
import io.tony.logs.LocalLog;
import io.tony.logs.LogAnswer;
import io.tony.logs.LogRequest;
import io.tony.logs.NodePage;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What tasks write, for the page: their nodes are asked for it, by threads that nobody else waits
 * for and that end when nobody asks any more. Used by the page's thread alone.
 */
final class RunningLogs {
  private static final Logger LOG = LoggerFactory.getLogger(RunningLogs.class);

  /** Each who waits also keeps a thread of YARN's proxy from others. */
  static final int MOST_ASKED = 6;

  private static final int THREADS = 2;
  private static final Duration NODE_LIMIT = Duration.ofSeconds(10);

  /** Milliseconds after which a page looks again. */
  private static final int PAUSE = 2_000;

  /** Containers that are looked at again and again. */
  private static final int MOST_KNOWN = 100;

  private final String application;
  private final Events events;
  private final Map<String, TaskFact.Allocated> known = new ConcurrentHashMap<>();
  private final Readers readers;
  private final Set<HttpConversation> asking = new HashSet<>();

  RunningLogs(String application, Events events, Alarms page) {
    this.application = application;
    this.events = events;
    readers = new Readers("log-reader", THREADS, page);
  }

  /** Asks the node, and answers when it has; a caller who goes away gives his place to another. */
  void ask(LogRequest request, HttpConversation asker) {
    if (asking.size() == MOST_ASKED) {
      asker.answer(200, JobPage.JSON, LogAnswer.later(PAUSE));
      return;
    }
    asker.caller().settle();
    asking.add(asker);
    Runnable drop =
        readers.read(
            () -> read(request),
            answer -> tell(asker, answer),
            defect -> tell(asker, LogAnswer.none("It cannot be read: " + defect.getMessage())));
    asker
        .caller()
        .onClose(
            () -> {
              asking.remove(asker);
              drop.run();
            });
  }

  private void tell(HttpConversation asker, String answer) {
    asking.remove(asker); // whether he has read it all or not
    asker.answer(200, JobPage.JSON, answer);
  }

  private String read(LogRequest request) {
    String file = request.file().fileName();
    Optional<TaskFact.Allocated> found = Optional.empty();
    try {
      found = allocation(request);
      if (found.isEmpty()) {
        return LogAnswer.none("This job has no such container.");
      }
      TaskFact.Allocated allocated = found.get();
      return LogAnswer.growing(log(allocated, file).piece(request.from()), PAUSE);
    } catch (AccessControlException e) {
      return LogAnswer.none(
          "Its node shows logs to those only who log in there, which this page cannot do. This"
              + " command shows it: tony logs "
              + application
              + " "
              + found.map(one -> one.task().toString()).orElse(""));
    } catch (FileNotFoundException e) {
      return LogAnswer.notYet("Its node has no " + file + " of it now.", PAUSE);
    } catch (IOException | RuntimeException e) {
      LOG.info("{} of {} cannot be shown: {}", file, request.container(), e.toString());
      return LogAnswer.notYet("Its node does not give " + file + " now: " + e.getMessage(), PAUSE);
    }
  }

  /** Where this job's own log says that it is. */
  private static ContainerLog log(TaskFact.Allocated allocated, String file) throws IOException {
    if (allocated.log().startsWith("file:")) {
      return new LocalLog(Path.of(URI.create(allocated.log())).resolve(file));
    }
    NodePage node =
        NodePage.of(allocated.log())
            .orElseThrow(() -> new IOException(allocated.log() + " is no page of a node"));
    return node.log(ContainerId.fromString(allocated.container()), file, NODE_LIMIT);
  }

  private Optional<TaskFact.Allocated> allocation(LogRequest request) throws IOException {
    TaskFact.Allocated before = known.get(request.container());
    if (before != null) {
      return Optional.of(before);
    }
    Events.Excerpt excerpt = events.excerpt(request.event());
    if (excerpt.first() != request.event() || excerpt.lines().isEmpty()) {
      return Optional.empty();
    }
    Optional<TaskFact.Allocated> found = request.allocation(excerpt.lines().get(0), application);
    if (known.size() >= MOST_KNOWN) {
      known.clear();
    }
    found.ifPresent(allocated -> known.put(allocated.container(), allocated));
    return found;
  }
}
