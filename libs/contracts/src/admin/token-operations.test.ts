import { expect, test } from '@jest/globals'
import { operations } from '../operations/index.ts'
import { mayCallOperation } from '../token-rights.ts'
import { listTokenOperations } from './token-operations.ts'

const listed = listTokenOperations()

test('listTokenOperations: has the documented operations of the scope api', () => {
  const ids = listed.map(({ id }) => id)
  expect(ids).toEqual(expect.arrayContaining(['getMessage', 'submitMessage', 'createToken']))
  expect(ids).not.toContain('listFindings')
  expect(ids).not.toContain('listTokensAlias')
})

test('listTokenOperations: each entry, read from JSON, permits the same tokens as its operation', () => {
  const rows = JSON.parse(JSON.stringify(listed)) as typeof listed
  const records = [null, { actions: ['read'] }, { actions: ['read', 'send'], groups: ['submit'] }]
  const tokens = [null, 'anna'].flatMap((account) =>
    records.map((permissions) => ({ scopes: ['api'], account, permissions })),
  )
  for (const row of rows) {
    const operation = operations[row.id as keyof typeof operations]
    expect({ id: row.id, permitted: tokens.map((token) => mayCallOperation(token, row)) }).toEqual({
      id: row.id,
      permitted: tokens.map((token) => mayCallOperation(token, operation)),
    })
  }
})
