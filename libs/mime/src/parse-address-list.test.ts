import { expect, test } from '@jest/globals'
import { parseAddressList } from './parse-address-list.ts'

test.each([
  ['Ann <ann@mail.example>', [{ name: 'Ann', address: 'ann@mail.example' }]],
  ['bob@mail.example', [{ address: 'bob@mail.example' }]],
  [
    '=?utf-8?q?M=C3=BCller=2C_Eva?= <eva@mail.example>, "Doe, Jane" <jane@mail.example>',
    [
      { name: 'Müller, Eva', address: 'eva@mail.example' },
      { name: 'Doe, Jane', address: 'jane@mail.example' },
    ],
  ],
  ['"Müller" <eva@mail.example>', [{ name: 'Müller', address: 'eva@mail.example' }]],
  [
    'Team: a@mail.example, b@mail.example;',
    [{ address: 'a@mail.example' }, { address: 'b@mail.example' }],
  ],
  ['undisclosed-recipients:;', []],
  ['', []],
])('parseAddressList: %s', (value, addresses) => {
  expect(parseAddressList(value)).toEqual(addresses)
})

test('parseAddressList: very long value, is read partially', () => {
  expect(parseAddressList('a@b.example,'.repeat(100_000)).length).toBeLessThanOrEqual(10_000)
})
