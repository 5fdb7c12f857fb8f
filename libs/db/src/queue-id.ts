import { randomBytes } from 'node:crypto'

/** A new id in the outbox: milliseconds and four random bytes as 19 hex digits. Sorts by time until the year 2527. */
export function newQueueId(now: number): string {
  return now.toString(16).padStart(11, '0') + randomBytes(4).toString('hex')
}
