package io.tony.client;

import java.io.IOException;
import java.io.Reader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * Stands in for TonY's client in the tests of the job type: it keeps to the same contract, and does
 * what the job's {@value #STEPS} say, one step in each line.
 */
public final class TonyCli {

  public static final String STEPS = "tony.standin.steps";

  /** What those do that follow an application. */
  public static final String FOLLOW = "tony.standin.follow";

  private final Map<String, Path> files = new TreeMap<>();
  private final Properties status = new Properties();

  private TonyCli(String[] args, int first) {
    for (int i = first; i + 1 < args.length; i += 2) {
      files.put(args[i], Path.of(args[i + 1]));
    }
  }

  public static void main(String[] args) throws Exception {
    if (args[0].equals("kill")) {
      System.out.println("killed " + args[1]);
      System.out.println("it was on " + System.getenv("HADOOP_CONF_DIR"));
      Files.createFile(Path.of(System.getenv("TONY_JOB_FOLDER"), "killed-" + args[1]));
    } else if (args[0].equals("follow")) {
      System.out.println("following " + args[1]);
      new TonyCli(args, 2).run(FOLLOW);
    } else {
      new TonyCli(args, 1).run(STEPS);
    }
  }

  private void run(String steps) throws Exception {
    Properties job = new Properties();
    try (Reader reader = Files.newBufferedReader(files.get("-job_file"), StandardCharsets.UTF_8)) {
      job.load(reader);
    }
    for (String line : job.getProperty(steps, "").lines().toList()) {
      String[] step = line.split(" ", 2);
      run(step[0], step.length > 1 ? step[1] : "");
    }
  }

  private void run(String step, String argument) throws Exception {
    switch (step) {
      case "" -> {}
      case "say" -> System.out.println(argument);
      case "warn" -> System.err.println(argument);
      case "status" -> {
        String[] pair = argument.split("=", 2);
        status.setProperty(pair[0], pair[1]);
        writeStatus();
      }
      case "output" -> Files.writeString(files.get("-output_file"), argument);
      case "keep-job-file" -> Files.copy(files.get("-job_file"), Path.of(argument));
      case "environment" -> System.out.println(argument + "=" + System.getenv(argument));
      case "content-of" -> {
        Path file = Path.of(System.getenv(argument));
        System.out.println(Files.readString(file) + Files.getPosixFilePermissions(file));
      }
      case "permissions" -> {
        Path job = files.get("-job_file");
        System.out.println(
            Files.getPosixFilePermissions(job)
                + " "
                + Files.getPosixFilePermissions(job.getParent()));
      }
      case "arguments" ->
          System.out.println(ManagementFactory.getRuntimeMXBean().getInputArguments());
      case "directory" -> System.out.println(Path.of("").toAbsolutePath());
      case "on-term" -> Runtime.getRuntime().addShutdownHook(new Thread(() -> obey(argument)));
      case "hang" -> new CountDownLatch(1).await();
      case "crash" -> Runtime.getRuntime().halt(Integer.parseInt(argument));
      case "exit" -> System.exit(Integer.parseInt(argument));
      default -> throw new IllegalArgumentException(step);
    }
  }

  /** A shutdown hook that never returns is how a JVM is deaf to SIGTERM. */
  private static void obey(String argument) {
    switch (argument) {
      case "crash" -> Runtime.getRuntime().halt(134);
      case "when" -> {
        System.out.println("asked");
        while (!Files.exists(Path.of(System.getenv("TONY_JOB_FOLDER"), "may-end"))) {
          LockSupport.parkNanos(5_000_000); // a file has no event that a hook could wait for
        }
      }
      case "never" -> {
        try {
          new CountDownLatch(1).await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
      default -> System.out.println(argument);
    }
  }

  private void writeStatus() throws IOException {
    Path file = files.get("-status_file");
    Path next = file.resolveSibling("status.tmp");
    try (var writer = Files.newBufferedWriter(next, StandardCharsets.UTF_8)) {
      status.store(writer, null);
    }
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
