package io.tony.executor.rpc;

import io.tony.model.TaskUsage;

/**
 * Resources that a program used recently.
 *
 * @param memoryMiB resident memory of the program's processes now
 * @param peakMiB maximum of {@code memoryMiB} since the program's start
 * @param executorMiB resident memory of the executor itself
 * @param cores average number of busy cores since the previous sample
 * @param spanMs time since the previous sample, in milliseconds
 * @param gpus null if the task has no GPUs or their use is unknown
 */
public record UsageSample(
    long memoryMiB,
    long peakMiB,
    long executorMiB,
    double cores,
    long spanMs,
    TaskUsage.GpuUsage gpus) {}
