import { expect, test } from '@jest/globals'
import { shown } from './decide.ts'

test.each(['{}', '{"event":"messageNew"}', '{"data":{"a":"}"}}', '{ }\n'])(
  'functions are shown %j with its id and its route',
  (body) => {
    expect(JSON.parse(shown(body, 'e"1', 'r1'))).toEqual({
      ...(JSON.parse(body) as object),
      eventId: 'e"1',
      _route: { id: 'r1' },
    })
  },
)
