/**
 * Reason why a call to a pool of workers (threads or processes) got no response.
 *
 * - `not-started`: the worker could not be started
 * - `timeout`, `memory`: the call exceeded a limit of the pool
 * - `crash`: the handler threw, or the worker ended for another reason
 * - `disposed`: the pool was disposed
 */
export type WorkerFailure = 'not-started' | 'timeout' | 'memory' | 'crash' | 'disposed'

/**
 * Error of a call to a worker pool: the worker (thread or process) or the pool ended before the
 * call got its response.
 */
export class WorkerError extends Error {
  override name = 'WorkerError'
  readonly failure: WorkerFailure

  constructor(failure: WorkerFailure, cause?: Error) {
    super(`worker ended: ${failure}`, { cause })
    this.failure = failure
  }
}
