package io.tony.config.job;

import io.tony.config.declared.JobOptions;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * The TensorBoard that runs beside a job if {@code tony.application.tensorboard-log-dir} names a
 * folder to show. It is the role {@code tensorboard}, which the job need not declare. A job that
 * sets the role's instances determines their number; 0 turns TensorBoard off.
 */
final class SidecarTensorBoard {
  /** Environment variable with the folder, for every program. */
  static final String FOLDER_VARIABLE = "TB_LOG_DIR";

  private SidecarTensorBoard() {}

  /** Returns the folder to show, exactly as written; empty if none is set. */
  static Optional<String> folder(CheckedValues values) {
    return values.find(JobOptions.TENSORBOARD_LOG_DIR);
  }

  /** Returns true if the role shows the folder. */
  static boolean showsFolder(String role, CheckedValues values) {
    return role.equals(JobSpec.TENSORBOARD) && folder(values).isPresent();
  }

  /** Returns true if the role shows the folder and the job does not declare it. */
  static boolean isImplied(String role, CheckedValues values) {
    return showsFolder(role, values) && !values.config().roles().contains(role);
  }

  /**
   * Returns the roles with the implied TensorBoard role, if any. A job without other roles gets
   * none.
   *
   * @param role creates the TensorBoard role with the given number of instances
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

  /** Warns of a folder that is not shared by all nodes. */
  static void check(CheckedValues values, Problems problems) {
    folder(values)
        .filter(folder -> !folder.startsWith("/") && !folder.contains(":/"))
        .ifPresent(
            folder ->
                problems.addWarning(
                    values.config().describe(JobOptions.TENSORBOARD_LOG_DIR.key())
                        + " lies in each task's own working directory, so that TensorBoard does not"
                        + " see what the other tasks write: name a folder that all nodes see"));
  }
}
