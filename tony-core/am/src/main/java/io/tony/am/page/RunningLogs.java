package io.tony.am.page;

import io.tony.am.http.DeadlineQueue;
import io.tony.am.http.HttpExchange;
import io.tony.event.TaskFact;
import io.tony.logs.ContainerLog;
import io.tony.logs.LocalLog;
import io.tony.logs.LogPieceJson;
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
 * Output of running tasks, for the job's page. Reads it from the tasks' nodes on its own threads,
 * which end when there are no requests. Used only on the page's thread.
 */
final class RunningLogs {
  private static final Logger LOG = LoggerFactory.getLogger(RunningLogs.class);

  /** Maximum number of requests at the same time. Each also occupies a thread of YARN's proxy. */
  static final int MAX_REQUESTS = 6;

  private static final int MAX_THREADS = 2;
  private static final Duration NODE_TIMEOUT = Duration.ofSeconds(10);

  /** Milliseconds after which the page should request further output. */
  private static final int POLL_PAUSE_MS = 2_000;

  /** Maximum number of containers whose addresses are cached. */
  private static final int MAX_CACHED_CONTAINERS = 100;

  private final String application;
  private final EventSource events;
  private final Map<String, TaskFact.Allocated> cachedAllocations = new ConcurrentHashMap<>();
  private final ReaderPool readerPool;
  private final Set<HttpExchange> activeRequests = new HashSet<>();

  RunningLogs(String application, EventSource events, DeadlineQueue pageThread) {
    this.application = application;
    this.events = events;
    readerPool = new ReaderPool("log-reader", MAX_THREADS, pageThread);
  }

  /**
   * Reads the requested part of the log file from the task's node and then answers. If the
   * connection closes early, the request does not count towards {@link #MAX_REQUESTS} any more.
   */
  void answer(LogRequest request, HttpExchange exchange) {
    if (activeRequests.size() == MAX_REQUESTS) {
      exchange.answer(200, JobPage.JSON_HEADERS, LogPieceJson.busy(POLL_PAUSE_MS));
      return;
    }
    exchange.connection().park();
    activeRequests.add(exchange);
    Runnable cancel =
        readerPool.read(
            () -> read(request),
            answer -> finish(exchange, answer),
            defect ->
                finish(exchange, LogPieceJson.none("It cannot be read: " + defect.getMessage())));
    exchange
        .connection()
        .onClose(
            () -> {
              activeRequests.remove(exchange);
              cancel.run();
            });
  }

  private void finish(HttpExchange exchange, String answer) {
    // The request is done, even if the browser has not received the answer yet or never receives
    // it.
    activeRequests.remove(exchange);
    exchange.answer(200, JobPage.JSON_HEADERS, answer);
  }

  private String read(LogRequest request) {
    String file = request.file().fileName();
    Optional<TaskFact.Allocated> found = Optional.empty();
    try {
      found = allocation(request);
      if (found.isEmpty()) {
        return LogPieceJson.none("This job has no such container.");
      }
      TaskFact.Allocated allocated = found.get();
      return LogPieceJson.growing(log(allocated, file).piece(request.from()), POLL_PAUSE_MS);
    } catch (AccessControlException e) {
      return LogPieceJson.none(
          "Its node shows logs to those only who log in there, which this page cannot do. This"
              + " command shows it: tony logs "
              + application
              + " "
              + found.map(allocation -> allocation.task().toString()).orElse(""));
    } catch (FileNotFoundException e) {
      return LogPieceJson.notYet("Its node has no " + file + " of it now.", POLL_PAUSE_MS);
    } catch (IOException | RuntimeException e) {
      LOG.info("{} of {} cannot be shown: {}", file, request.container(), e.toString());
      return LogPieceJson.notYet(
          "Its node does not give " + file + " now: " + e.getMessage(), POLL_PAUSE_MS);
    }
  }

  /** Returns the container's log file, at the address that the job's event log contains. */
  private static ContainerLog log(TaskFact.Allocated allocated, String file) throws IOException {
    if (allocated.logUrl().startsWith("file:")) {
      return new LocalLog(Path.of(URI.create(allocated.logUrl())).resolve(file));
    }
    NodePage node =
        NodePage.of(allocated.logUrl())
            .orElseThrow(() -> new IOException(allocated.logUrl() + " is no page of a node"));
    return node.log(ContainerId.fromString(allocated.container()), file, NODE_TIMEOUT);
  }

  private Optional<TaskFact.Allocated> allocation(LogRequest request) throws IOException {
    TaskFact.Allocated cached = cachedAllocations.get(request.container());
    if (cached != null) {
      return Optional.of(cached);
    }
    EventSource.Excerpt excerpt = events.excerpt(request.event());
    if (excerpt.first() != request.event() || excerpt.lines().isEmpty()) {
      return Optional.empty();
    }
    Optional<TaskFact.Allocated> found = request.allocation(excerpt.lines().get(0), application);
    if (cachedAllocations.size() >= MAX_CACHED_CONTAINERS) {
      cachedAllocations.clear();
    }
    found.ifPresent(allocated -> cachedAllocations.put(allocated.container(), allocated));
    return found;
  }
}
