/**
 * Reason for the end of a call without a response.
 *
 * - `not-started`: its worker could not be started
 * - `timeout`, `memory`: the call exceeded a limit of the pool
 * - `crash`: the handler threw, or the worker ended for another reason
 * - `disposed`: the pool was disposed
 */
export type WorkerFailure = 'not-started' | 'timeout' | 'memory' | 'crash' | 'disposed'

/** End of a worker, or of its pool, before a call had its response. */
export class WorkerError extends Error {
  override name = 'WorkerError'
  readonly failure: WorkerFailure

  constructor(failure: WorkerFailure, cause?: Error) {
    super(`worker ended: ${failure}`, { cause })
    this.failure = failure
  }
}
