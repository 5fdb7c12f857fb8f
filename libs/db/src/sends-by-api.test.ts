import { expect, test } from '@jest/globals'
import { accountTypes, type Backend } from '@posthorn/contracts/account-types'
import { connect } from './connect.ts'
import { isSentByApi, sendsByApi } from './sends-by-api.ts'

const db = connect('postgres://nobody@127.0.0.1:1/nowhere', { name: 'test' })

test.each([
  ['imap', undefined, false],
  ['imap', 'relay', false],
  ['gmail', undefined, true],
  ['gmail', null, true],
  ['graph', { name: 'relay' }, false],
  ['a system of a newer release', undefined, true],
] as const)('sendsByApi: backend %s, gateway %j, returns %s', (backend, gateway, expected) => {
  expect(sendsByApi({ backend: backend as Backend }, gateway)).toBe(expected)
})

test('isSentByApi: names the backends that send by SMTP', () => {
  const { sql, parameters } = isSentByApi.compile(db)
  const listed = /accounts\.backend not in \(([^)]*)\)/.exec(sql)?.[1]?.split(', ')
  const bySmtp = Object.entries(accountTypes).filter(([, { sendsBy }]) => sendsBy === 'smtp')
  expect(listed).toEqual(bySmtp.map(([name]) => `'${name}'`))
  expect(parameters).toEqual([])
})
