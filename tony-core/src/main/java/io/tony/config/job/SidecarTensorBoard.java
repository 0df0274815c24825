package io.tony.config.job;

import io.tony.config.declared.JobOptions;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * The TensorBoard that is run beside a job because {@code tony.application.tensorboard-log-dir}
 * names a folder to show: the role {@code tensorboard}, which the job need not declare. One that
 * sets the role's instances has said how many there are; 0 turns it off.
 */
final class SidecarTensorBoard {
  /** Where every program finds the folder. */
  static final String FOLDER_VARIABLE = "TB_LOG_DIR";

  private SidecarTensorBoard() {}

  /** The folder to show, exactly as written. */
  static Optional<String> folder(CheckedValues values) {
    return values.find(JobOptions.TENSORBOARD_LOG_DIR);
  }

  /** True for the role that shows the folder. */
  static boolean showsFolder(String role, CheckedValues values) {
    return role.equals(JobSpec.TENSORBOARD) && folder(values).isPresent();
  }

  /** True for that role in a job that does not declare it. */
  static boolean isImplied(String role, CheckedValues values) {
    return showsFolder(role, values) && !values.config().roles().contains(role);
  }

  /**
   * The roles with the one that is implied, where one is; a job without any other stays without.
   *
   * @param role makes that role, with so many instances
   */
  static List<RoleSpec> addTo(
      List<RoleSpec> roles, CheckedValues values, IntFunction<RoleSpec> role) {
    if (roles.isEmpty() || !isImplied(JobSpec.TENSORBOARD, values)) {
      return roles;
    }
    List<RoleSpec> all = new ArrayList<>(roles);
    all.add(role.apply(1));
    return all;
  }

  /** Warns of a folder that is not where the programs write. */
  static void check(CheckedValues values, Problems problems) {
    folder(values)
        .filter(folder -> !folder.startsWith("/") && !folder.contains(":/"))
        .ifPresent(
            folder ->
                problems.warning(
                    values.config().describe(JobOptions.TENSORBOARD_LOG_DIR.key())
                        + " lies in each task's own working directory, so that TensorBoard does not"
                        + " see what the other tasks write: name a folder that all nodes see"));
  }
}
