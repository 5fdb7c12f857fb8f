import { totalmem } from 'node:os'
import { getHeapStatistics } from 'node:v8'
import type { Logger } from '@posthorn/telemetry'

/** Memory of a process besides its heap: code, stacks and small buffers. */
const outsideHeapBytes = 64 * 1024 * 1024

export interface MemoryLimits {
  /** Maximum heap of this Node process, young generation included. */
  heapBytes: number
  /**
   * Memory limit of the container in bytes. 0, or more than the memory of the machine: no limit.
   */
  containerBytes: number
}

/** Logs a warning if the heap may grow beyond the memory limit of the container. */
export function checkHeapLimit(log: Logger, limits: MemoryLimits = readMemoryLimits()): void {
  const { heapBytes, containerBytes } = limits
  if (containerBytes === 0 || containerBytes >= totalmem()) return
  if (heapBytes + outsideHeapBytes <= containerBytes) return
  log.warn(
    { heapMb: toMegabytes(heapBytes), containerMb: toMegabytes(containerBytes) },
    'heap limit does not fit the memory limit, set --max-old-space-size in NODE_OPTIONS',
  )
}

function readMemoryLimits(): MemoryLimits {
  return {
    heapBytes: getHeapStatistics().heap_size_limit,
    containerBytes: process.constrainedMemory(),
  }
}

function toMegabytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024)
}
