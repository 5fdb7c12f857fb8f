/**
 * Rejection of a call that would exceed the maximum number of waiting calls (`maxWaiting`) of its
 * queue. Nothing was queued.
 */
export class QueueFullError extends Error {
  override name = 'QueueFullError'

  constructor(maxWaiting: number) {
    super(`queue is full (limit ${maxWaiting})`)
  }
}
