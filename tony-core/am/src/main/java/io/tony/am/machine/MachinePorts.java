package io.tony.am.machine;

/** The components that perform {@link Action.PortAction}s. */
public record MachinePorts(
    ContainerPort containers,
    LaunchPort launcher,
    TaskPort tasks,
    PagePort page,
    AddressPort address,
    CheckpointPort checkpoints) {}
