package io.tony.config.job;

import io.tony.config.declared.AmOptions;
import io.tony.config.declared.PlacementOptions;
import io.tony.config.declared.RoleOptions;
import io.tony.config.option.ConfigOption;
import io.tony.model.DockerSpec;
import io.tony.model.MemoryGrowth;
import io.tony.model.Placement;
import io.tony.model.ResourceSpec;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a role requests for its containers: resources, placement and Docker image. Reports
 * invalid settings, but does not check whether the cluster has the resources and labels, or accepts
 * the placement constraint.
 */
final class RoleContainers {
  private static final Pattern AMOUNT = Pattern.compile("\\d{1,18}");
  private static final Pattern TAG = Pattern.compile("[A-Za-z0-9._-]+");

  /** Docker image: {@code [HOST[:PORT]/]NAME[:TAG][@DIGEST]}. */
  private static final Pattern IMAGE =
      Pattern.compile(
          "([A-Za-z0-9.-]+(:\\d+)?/)?[a-z0-9_./-]+(:[A-Za-z0-9_.-]+)?(@sha256:[a-z0-9]{12,64})?");

  /**
   * Docker mount without characters that a shell interprets, because YARN writes mounts into a
   * shell script in double quotes.
   */
  private static final Pattern MOUNT =
      Pattern.compile(
          "[^:\"'$`\\\\\\p{Cntrl}]+:/[^:\"'$`\\\\\\p{Cntrl}]*"
              + "(:(r[ow]|(r[ow][+])?(r?shared|r?slave|r?private)))?");

  /**
   * Resource types that {@code resource-types} must not contain, because another option sets them,
   * each with the last part of that option's key.
   */
  private static final Map<String, String> OWN_KEYS =
      Map.of("memory-mb", "memory", "memory", "memory", "vcores", "vcores");

  /**
   * Maximum factor of {@link MemoryGrowth}; a greater factor is probably a mistake, such as a
   * percentage.
   */
  private static final double MAX_GROWTH_FACTOR = 10;

  private final CheckedValues values;
  private final Problems problems;

  RoleContainers(CheckedValues values, Problems problems) {
    this.values = values;
    this.problems = problems;
  }

  /**
   * Returns the resources that are configured for the ApplicationMaster. A preprocessing or
   * single-node program, which LinkedIn's TonY runs in the ApplicationMaster's container, gets a
   * container of this size.
   */
  ResourceSpec masterResource() {
    SortedMap<String, Long> others = new TreeMap<>();
    long gpus = values.get(AmOptions.GPUS);
    if (gpus > 0) {
      others.put(ResourceSpec.GPU, gpus);
    }
    return new ResourceSpec(values.get(AmOptions.MEMORY), values.get(AmOptions.VCORES), others);
  }

  ResourceSpec resource(String role) {
    SortedMap<String, Long> others = new TreeMap<>();
    ConfigOption<Map<String, String>> option = RoleOptions.RESOURCE_TYPES.at(role);
    values.get(option).forEach((name, amount) -> addType(role, option, name, amount, others));
    long gpus = values.get(RoleOptions.GPUS.at(role));
    if (gpus > 0) {
      Long same = others.put(ResourceSpec.GPU, gpus);
      if (same != null && same != gpus) {
        problems.addError(
            values.config().describe(option.key())
                + " asks for another number of "
                + ResourceSpec.GPU
                + " than "
                + RoleOptions.GPUS.at(role).key()
                + "="
                + gpus
                + ": set one of the two");
      }
    }
    return new ResourceSpec(
        values.get(RoleOptions.MEMORY.at(role)), values.get(RoleOptions.VCORES.at(role)), others);
  }

  /**
   * Returns how the memory of the role's containers grows after one of them exceeded its memory.
   * Reports invalid settings.
   */
  MemoryGrowth growth(String role) {
    ConfigOption<Double> option = RoleOptions.MEMORY_GROWTH.at(role);
    ConfigOption<Long> limit = RoleOptions.MAX_MEMORY.at(role);
    double factor = values.get(option);
    long memory = values.get(RoleOptions.MEMORY.at(role));
    long maxMiB = values.find(limit).orElse(0L);
    if (factor > MAX_GROWTH_FACTOR) {
      problems.addError(
          values.config().describe(option.key())
              + " is more than "
              + (int) MAX_GROWTH_FACTOR
              + ": write how many times as large the next container is, such as 1.5");
    }
    if (maxMiB > 0 && maxMiB < memory) {
      problems.addError(
          values.config().describe(limit.key())
              + " is less than the "
              + memory
              + " MiB of "
              + RoleOptions.MEMORY.at(role).key()
              + ", which may grow up to it: raise it");
    }
    return new MemoryGrowth(factor, maxMiB);
  }

  private void addType(
      String role,
      ConfigOption<?> option,
      String name,
      String amount,
      SortedMap<String, Long> others) {
    String plain = amount.strip();
    if (OWN_KEYS.containsKey(name)) {
      problems.addError(
          values.config().describe(option.key())
              + " holds "
              + name
              + ": set tony."
              + role
              + "."
              + OWN_KEYS.get(name)
              + " instead");
    } else if (!AMOUNT.matcher(plain).matches()) {
      problems.addError(
          values.config().describe(option.key())
              + " asks for '"
              + plain
              + "' of "
              + name
              + ": write a whole number of YARN's unit for it, such as "
              + name
              + "=1");
    } else if (!plain.matches("0+")) {
      others.put(name, Long.valueOf(plain));
    }
  }

  Placement placement(String role) {
    String label =
        values
            .find(RoleOptions.NODE_LABEL.at(role))
            .or(() -> values.find(PlacementOptions.NODE_LABEL))
            .orElse("");
    Optional<String> own =
        values
            .find(RoleOptions.PLACEMENT_SPEC.at(role))
            .or(() -> values.find(PlacementOptions.PLACEMENT_SPEC))
            .map(String::strip);
    Optional<String> ofAll = values.find(PlacementOptions.APPLICATION_PLACEMENT_SPEC);
    // Combine the two constraints by "and", as YARN itself would do if the constraint for the whole
    // application were sent when the ApplicationMaster registers. It is not sent then: if YARN
    // rejected it, the ApplicationMaster could not register, and so could not report why the job
    // fails.
    String constraint =
        own.isPresent() && ofAll.isPresent()
            ? "and(" + ofAll.get() + ":" + own.get() + ")"
            : own.or(() -> ofAll).orElse("");
    return new Placement(label, constraint, tags(role));
  }

  private Set<String> tags(String role) {
    ConfigOption<List<String>> own = RoleOptions.ALLOCATION_TAGS.at(role);
    ConfigOption<List<String>> option =
        values.find(own).filter(tags -> !tags.isEmpty()).isPresent()
            ? own
            : PlacementOptions.ALLOCATION_TAGS;
    Set<String> tags = new LinkedHashSet<>(values.find(option).orElse(List.of()));
    tags.removeIf(
        tag -> {
          boolean odd = !TAG.matcher(tag).matches();
          if (odd) {
            problems.addError(
                values.config().describe(option.key())
                    + " holds the tag '"
                    + tag
                    + "': write letters, digits, '.', '_' and '-' only");
          }
          return odd;
        });
    return tags;
  }

  /**
   * Returns the Docker container in which the role's tasks run; null if they run without Docker.
   * Reports invalid settings.
   *
   * @param instances number of the role's tasks; passed because no key sets the number for an
   *     undeclared role, such as the preprocessing
   */
  @Nullable DockerSpec docker(String role, int instances) {
    if (!values.get(PlacementOptions.DOCKER_ENABLED)) {
      return null;
    }
    ConfigOption<String> own = RoleOptions.DOCKER_IMAGE.at(role);
    ConfigOption<String> option =
        values.find(own).isPresent() ? own : PlacementOptions.DOCKER_IMAGE;
    Optional<String> image = values.find(option);
    if (image.isEmpty()) {
      if (instances > 0) {
        problems.addError(
            values.config().describe(PlacementOptions.DOCKER_ENABLED.key())
                + ", and role "
                + role
                + " has no image: set "
                + own.key()
                + " or "
                + PlacementOptions.DOCKER_IMAGE.key());
      }
      return null;
    }
    if (!IMAGE.matcher(image.get()).matches()) {
      problems.addError(
          values.config().describe(option.key())
              + " is not the name of an image: write [HOST[:PORT]/]NAME[:TAG], such as"
              + " registry.example.com/ml/pytorch:2.3");
    }
    return new DockerSpec(image.get(), mounts());
  }

  private List<String> mounts() {
    List<String> mounts = values.get(PlacementOptions.DOCKER_MOUNTS);
    for (String mount : mounts) {
      if (!MOUNT.matcher(mount).matches()) {
        problems.addError(
            values.config().describe(PlacementOptions.DOCKER_MOUNTS.key())
                + " holds '"
                + mount
                + "': write SOURCE:/DESTINATION:ro or SOURCE:/DESTINATION:rw, without quotes, $, `"
                + " and \\");
      }
    }
    return mounts;
  }
}
