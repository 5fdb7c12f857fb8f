import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import { Strict } from '../schemas/primitives.ts'
import { Stats } from '../schemas/stats.ts'

/** `seconds` is the window of the counters, to the minute. */
export const getStats = defineOperation({
  id: 'getStats',
  method: 'get',
  path: '/v1/stats',
  tag: 'Stats',
  summary: 'Read how the instance is doing',
  scope: 'api',
  permission: { action: 'read', group: 'diagnostics' },
  query: Strict({
    seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        default: 3600,
        description: 'What the counters look back on; whole minutes',
      }),
    ),
  }),
  response: Stats,
})
