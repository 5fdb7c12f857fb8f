import { expect, test } from '@jest/globals'
import { readBearerToken } from './bearer-token.ts'

test.each([
  ['Bearer abc', undefined, 'abc'],
  ['bearer   abc  ', undefined, 'abc'],
  [undefined, 'abc', 'abc'],
  ['Bearer abc', 'def', 'abc'],
  ['Basic abc', undefined, undefined],
  ['Bearer', undefined, undefined],
  ['Bearer a b', undefined, undefined],
  [undefined, ['a', 'b'], undefined],
  [undefined, '', undefined],
])(
  'readBearerToken: Authorization %j and access_token %j, %j',
  (authorization, parameter, expected) => {
    expect(readBearerToken(authorization === undefined ? {} : { authorization }, parameter)).toBe(
      expected,
    )
  },
)
