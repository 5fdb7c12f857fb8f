import { totalmem } from 'node:os'
import { getHeapStatistics } from 'node:v8'
import type { Logger } from '@posthorn/telemetry'

/** Memory in bytes that a process needs besides its heap: for code, stacks and small buffers. */
const outsideHeapBytes = 64 * 1024 * 1024

export interface MemoryLimits {
  /** Maximum size of this Node process's heap in bytes, including the young generation. */
  heapBytes: number
  /**
   * Memory limit of the container in bytes. There is no limit if this is 0 or larger than the
   * memory of the machine.
   */
  containerBytes: number
}

/**
 * Logs a warning if the heap of the Node process may grow beyond the memory limit of the container.
 */
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
