/**
 * Error of a call that was rejected because the queue already has the maximum number of waiting
 * calls (`maxWaiting`). The call was not added to the queue.
 */
export class QueueFullError extends Error {
  override name = 'QueueFullError'

  constructor(maxWaiting: number) {
    super(`queue is full (limit ${maxWaiting})`)
  }
}
