import { expect, test } from '@jest/globals'
import { functionPayload } from './decide.ts'

test.each(['{}', '{"event":"messageNew"}', '{"data":{"a":"}"}}', '{ }\n'])(
  'functionPayload: adds event id and route to %j',
  (body) => {
    expect(JSON.parse(functionPayload(body, 'e"1', 'r1'))).toEqual({
      ...(JSON.parse(body) as object),
      eventId: 'e"1',
      _route: { id: 'r1' },
    })
  },
)
