import { randomBytes } from 'node:crypto'

/**
 * Creates the queue id of a submission: milliseconds and 4 random bytes as 19 hex digits. Sorts by
 * time until 2527.
 */
export function newQueueId(now: number): string {
  return now.toString(16).padStart(11, '0') + randomBytes(4).toString('hex')
}
