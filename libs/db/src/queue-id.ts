import { randomBytes } from 'node:crypto'

/**
 * Creates the queue id of a submission: 19 hex digits, which encode a time in milliseconds and 4
 * random bytes. The ids sort by time until the year 2527.
 */
export function newQueueId(now: number): string {
  return now.toString(16).padStart(11, '0') + randomBytes(4).toString('hex')
}
