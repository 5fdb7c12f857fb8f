import { expect, test } from '@jest/globals'
import type { AccountRecord } from '../../data/accounts.ts'
import { explainAccount } from './explain-account.ts'

const record = (more: Partial<AccountRecord>) =>
  ({
    account: 'anna',
    state: 'connected',
    stateDetail: 'connected',
    lastError: null,
    ...more,
  }) as AccountRecord

test('explainAccount: a failed login has a meaning, a next step and the response of the server', () => {
  const lastError = { response: 'Invalid credentials', serverResponseCode: 'AUTHENTICATIONFAILED' }
  const { meaning, action, details } = explainAccount(
    record({ state: 'authenticationError', stateDetail: 'authenticationError', lastError }),
  )
  expect(meaning).toMatch(/\w/)
  expect(action).toMatch(/\w/)
  expect(details).toContainEqual(['Last error', 'Invalid credentials'])
  expect(details).toContainEqual(['Error code', 'AUTHENTICATIONFAILED'])
})

test('explainAccount: a connected account needs no explanation', () => {
  const { meaning, details } = explainAccount(record({}))
  expect(meaning).toBeUndefined()
  expect(details.filter(([, text]) => text !== undefined)).toEqual([])
})
