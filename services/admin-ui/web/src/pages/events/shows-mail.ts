import type { Session } from '../../data/admin-types.ts'

/** True if the right to read mail of the session is active at a time. */
export function showsMail(
  { person, mailReading: { until } }: Pick<Session, 'person' | 'mailReading'>,
  now: Date,
): boolean {
  return person.mayReadMail && until !== undefined && new Date(until) > now
}
