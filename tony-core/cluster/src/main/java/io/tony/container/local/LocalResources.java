package io.tony.container.local;

import io.tony.model.ResourceSpec;
import io.tony.process.Spawner;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Resources of this machine. Memory and GPUs limit which containers can run at the same time;
 * vcores do not, as in YARN's default scheduler configuration.
 *
 * @param memoryMiB memory in MiB
 * @param gpus names of the GPUs as CUDA knows them
 */
public record LocalResources(long memoryMiB, int vcores, List<String> gpus) {
  static final String MEMORY = "TONY_LOCAL_MEMORY_MIB";
  static final String GPUS = "TONY_LOCAL_GPUS";

  /** CUDA's environment variable that lists the GPUs a program may use. */
  public static final String VISIBLE_DEVICES = "CUDA_VISIBLE_DEVICES";

  private static final long NVIDIA_SMI_SECONDS = 10;

  public LocalResources {
    gpus = List.copyOf(gpus);
  }

  /**
   * Detects the resources that jobs of this machine may use: all memory, and the GPUs that {@link
   * #VISIBLE_DEVICES} lists, or all GPUs if the variable is not set.
   *
   * @param environment environment of the client
   */
  public static LocalResources detect(Map<String, String> environment) {
    String visible = environment.get(VISIBLE_DEVICES);
    return new LocalResources(
        memory(),
        Runtime.getRuntime().availableProcessors(),
        visible == null ? detectGpus() : parseNames(visible));
  }

  /**
   * Returns the resources that the client has passed on to the ApplicationMaster by {@link
   * #toEnvironment}.
   */
  public static LocalResources fromEnvironment(Map<String, String> environment) {
    return new LocalResources(
        Long.parseLong(environment.get(MEMORY)),
        Runtime.getRuntime().availableProcessors(),
        parseNames(Objects.requireNonNull(environment.get(GPUS))));
  }

  public Map<String, String> toEnvironment() {
    return Map.of(MEMORY, Long.toString(memoryMiB), GPUS, String.join(",", gpus));
  }

  /**
   * Returns these resources as a {@link ResourceSpec}, with the number of GPUs instead of their
   * names.
   */
  public ResourceSpec spec() {
    Map<String, Long> others =
        gpus.isEmpty() ? Map.of() : Map.of(ResourceSpec.GPU, (long) gpus.size());
    return new ResourceSpec(memoryMiB, vcores, new TreeMap<>(others));
  }

  private static List<String> parseNames(String list) {
    List<String> names = new ArrayList<>();
    for (String name : list.split(",", -1)) {
      if (!name.isBlank() && !name.strip().equals("-1")) {
        names.add(name.strip());
      }
    }
    return names;
  }

  private static long memory() {
    return ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class)
            .getTotalMemorySize()
        >> 20;
  }

  /**
   * Returns the indexes of the GPUs that {@code nvidia-smi} lists; empty if the command is missing
   * or does not answer in time.
   */
  private static List<String> detectGpus() {
    List<String> gpus = new ArrayList<>();
    try {
      Process nvidiaSmi =
          Spawner.SYSTEM.startProcess(
              new ProcessBuilder("nvidia-smi", "-L")
                  .redirectError(ProcessBuilder.Redirect.DISCARD));
      nvidiaSmi.getOutputStream().close();
      if (!nvidiaSmi.waitFor(NVIDIA_SMI_SECONDS, TimeUnit.SECONDS)) {
        nvidiaSmi.destroyForcibly();
        return List.of(); // the driver does not answer: the GPUs are unusable
      }
      try (var lines = nvidiaSmi.inputReader()) {
        lines
            .lines()
            .filter(line -> line.startsWith("GPU "))
            .forEach(line -> gpus.add(Integer.toString(gpus.size())));
      }
    } catch (IOException e) {
      return List.of(); // nvidia-smi is missing, so there is no usable GPU
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return gpus;
  }
}
