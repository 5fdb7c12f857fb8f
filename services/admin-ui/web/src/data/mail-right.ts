import type { Session } from './admin-types.ts'

/** State of a person's right to read mail: not permitted, not activated, or active. */
export type MailRight = 'never' | 'inactive' | 'active'

/** State of the right to read mail in a session at a time. */
export function mailRightOf(
  { person, mailReading: { until } }: Pick<Session, 'person' | 'mailReading'>,
  now: Date,
): MailRight {
  if (!person.mayReadMail) return 'never'
  return until !== undefined && new Date(until) > now ? 'active' : 'inactive'
}
