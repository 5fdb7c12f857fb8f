import { type Static, Type } from 'typebox'
import { Int, OneOf, Text, Time } from './primitives.ts'

/** Levels of findings (conditions of the installation), the most urgent level first. */
export const findingLevels = ['error', 'warning', 'info'] as const

/** Condition of the installation that an operator should know or change. */
export const Finding = Type.Object({
  id: Text(
    'Kind of the finding, such as `serviceUrlUnset`. Findings about one webhook target, queue or mail proxy have its address or name after a colon. Unique among the findings, and unchanged as long as the condition lasts.',
  ),
  level: OneOf(findingLevels, {
    description:
      'Urgency of the finding. `error`: work fails or stands still; `warning`: work is degraded or will fail; `info`: a state that may be intended.',
  }),
  title: Text('Condition in one line.'),
  detail: Text('Description of the condition and of its effect.'),
  remedy: Text('Action that ends the condition.'),
  count: Type.Optional(
    Int(
      'Number of affected entries, such as failed deliveries. Counting stops at 10,000. Absent if the finding is not about a number of entries.',
    ),
  ),
  since: Type.Optional(
    Time(
      'Time of the oldest affected entry, or of the start of the condition (ISO 8601). Absent if unknown.',
    ),
  ),
})
export type Finding = Static<typeof Finding>
