package io.tony.runtime;

import io.tony.model.TaskId;
import java.util.Map;

/**
 * Runs MPI programs without mpirun and ssh. Every tracked task is one rank, in a container of its
 * own. In {@code MPI_Init}, the library of MPICH or of a derivative (Intel MPI, MVAPICH) reads
 * {@code PMI_PORT} and {@code PMI_ID}, connects to the ApplicationMaster and gets everything else
 * from it, by the Process Management Interface (MPICH's {@code src/pmi/src/pmi_v1.c}; Flux's RFC
 * 13, "Simple Process Manager Interface v1", to which MPICH's page on PMI refers; Intel MPI's
 * reference, "Hydra environment variables"). Open MPI is not supported, because it needs a PMIx
 * server.
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
