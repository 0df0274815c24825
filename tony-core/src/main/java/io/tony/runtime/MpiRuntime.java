package io.tony.runtime;

import io.tony.model.TaskId;
import java.util.Map;

/**
 * MPI without mpirun and without ssh: every tracked task is one rank, in a container of its own. An
 * MPICH library, or one derived from it (Intel MPI, MVAPICH), reads {@code PMI_PORT} and {@code
 * PMI_ID} in {@code MPI_Init} and asks the ApplicationMaster for the rest. The ApplicationMaster
 * implements the Process Management Interface (MPICH's {@code src/pmi/src/pmi_v1.c}; Flux's RFC 13,
 * "Simple Process Manager Interface v1", to which MPICH's page on PMI refers; Intel MPI's
 * reference, "Hydra environment variables"). Open MPI needs a PMIx server instead and is not
 * supported.
 */
public final class MpiRuntime extends RankedRuntime {
  @Override
  public String name() {
    return "mpi";
  }

  @Override
  public StoreProtocol store() {
    return StoreProtocol.PMI;
  }

  @Override
  Map<String, String> environment(Gang gang, TaskId task, int rank) {
    return Map.of(
        "PMI_PORT", gang.storeAddress().endpoint().toString(), "PMI_ID", Integer.toString(rank));
  }
}
