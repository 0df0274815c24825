package io.tony.executor.rpc;

import io.tony.model.TaskUsage;

/**
 * What a program used lately.
 *
 * @param memoryMiB resident memory of its processes now
 * @param peakMiB the most since its start
 * @param executorMiB resident memory of the executor itself
 * @param cores how many it kept busy since the sample before
 * @param spanMs how long ago that was
 * @param gpus null where the task has none, or their use is not known
 */
public record UsageSample(
    long memoryMiB,
    long peakMiB,
    long executorMiB,
    double cores,
    long spanMs,
    TaskUsage.GpuUsage gpus) {}
