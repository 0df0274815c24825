package io.tony.am.machine;

/** Where actions are done that concern others. */
public record MachinePorts(
    ContainerPort containers,
    LaunchPort launcher,
    TaskPort tasks,
    PagePort page,
    AddressPort address,
    CheckpointPort checkpoints) {}
