import { expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import { assertConnected, toUnavailable } from './availability.ts'

const session = { state: 'connected' } as const

test.each(['AppNotFound', 'InvalidBaseScopes'])(
  'toUnavailable: %s, internal with its code, so that the caller gets 500',
  (code) => {
    const error = new AppError('unreachable', 'The application was not found', { code })
    expect(toUnavailable(session, error)).toMatchObject({
      kind: 'internal',
      code,
      message: 'The application was not found',
    })
  },
)

test.each(['unreachable', 'unauthorized'] as const)(
  'toUnavailable: another %s error, unavailable with the state',
  (kind) => {
    const error = new AppError(kind, 'refused', { code: 'ECONNREFUSED' })
    expect(toUnavailable(session, error)).toMatchObject({
      kind: 'unavailable',
      code: 'IMAPUnavailable',
      extras: { state: 'connected' },
    })
  },
)

test.each([
  ['connecting', 'init'],
  ['syncing', 'init'],
  ['disconnected', 'other'],
  ['paused', 'other'],
] as const)(
  'toUnavailable: an account that is %s has the state %s of the interface',
  (...states) => {
    const [state, shown] = states
    const error = new AppError('unreachable', 'lost', { code: 'ECONNRESET' })
    expect(toUnavailable({ state }, error)).toMatchObject({ extras: { state: shown } })
  },
)

test.each([
  ['connecting', 'NotYetConnected', /retry when its state is connected$/],
  ['disconnected', 'NoAvailable', /retry later$/],
  ['paused', 'NoAvailable', /set paused to false/],
  ['unset', 'NotSyncing', /set new credentials or reconnect the account$/],
  ['authenticationError', 'AuthenticationFails', /set new credentials$/],
  ['connectError', 'ConnectionError', /retry later$/],
] as const)('assertConnected: an account that is %s, %s with a remedy', (state, code, message) => {
  const availability = { state, lastError: null, loggedIn: false, wasSynced: false }
  expect(() => assertConnected(availability)).toThrow(
    expect.objectContaining({ code, message: expect.stringMatching(message) }),
  )
})
