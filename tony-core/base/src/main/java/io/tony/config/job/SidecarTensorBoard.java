package io.tony.config.job;

import io.tony.config.declared.JobOptions;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * Adds the role {@code tensorboard}, whose task is a TensorBoard beside the programs, if {@code
 * tony.application.tensorboard-log-dir} names a folder to show. The job need not declare the role;
 * if it sets the role's instances, this number applies, and 0 means no TensorBoard.
 */
final class SidecarTensorBoard {
  /**
   * Environment variable with the folder that TensorBoard shows. Every program of the job gets it.
   */
  static final String FOLDER_VARIABLE = "TB_LOG_DIR";

  private SidecarTensorBoard() {}

  /** Returns the folder that TensorBoard shows, as the user wrote it; empty if none is set. */
  static Optional<String> folder(CheckedValues values) {
    return values.find(JobOptions.TENSORBOARD_LOG_DIR);
  }

  /**
   * Returns true if {@code role} is the TensorBoard role and the job sets a folder for it to show.
   */
  static boolean showsFolder(String role, CheckedValues values) {
    return role.equals(JobSpec.TENSORBOARD) && folder(values).isPresent();
  }

  /**
   * Returns true if {@code role} is the TensorBoard role, a folder for TensorBoard is set, and the
   * job does not declare the role. {@link #addTo} then adds it, unless the job has no other roles.
   */
  static boolean isImplied(String role, CheckedValues values) {
    return showsFolder(role, values) && !values.config().roles().contains(role);
  }

  /**
   * Returns the roles, with the TensorBoard role added if a folder is set and the job does not
   * declare this role. A job without other roles gets no TensorBoard role.
   *
   * @param role returns a TensorBoard role with the given number of instances
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

  /**
   * Warns of a relative folder: it would be in each task's own working directory, so TensorBoard
   * would not see the files of the other tasks.
   */
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
