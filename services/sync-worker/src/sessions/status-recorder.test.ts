import { expect, test } from '@jest/globals'
import { createLogger } from '@posthorn/telemetry'
import { assertConnected } from '../drivers/availability.ts'
import type { AccountStatus } from '../store/account-status.ts'
import type { StatusUpdate } from './account-status.ts'
import { StatusRecorder } from './status-recorder.ts'
import { transition } from './status-transition.ts'

const lastError = { response: 'not found', serverResponseCode: 'AppNotFound' }
const failed = {
  state: 'connectError',
  stateEpoch: '1',
  initializedAt: new Date(0),
  lastError,
  errorCount: 1,
  authFailingSince: null,
} as unknown as AccountStatus

test('StatusRecorder: while a status is stored, commands see the error of the one before', async () => {
  const stored = Promise.withResolvers<void>()
  const recorder = new StatusRecorder(
    {
      async applyStatusUpdate({ from, trigger }: StatusUpdate) {
        if (!from) throw new Error('unknown status')
        await stored.promise
        const { status } = transition(from, trigger, { now: new Date(), maxAuthFailureMs: 60_000 })
        return { status, changed: true }
      },
      changes: { broadcast: () => {} },
      metrics: { accountState: () => {} },
      config: { transientStateMs: 60_000 },
      log: createLogger('test', 'silent'),
    },
    { account: 'a', shard: 1, owner: 'w', epoch: '1' },
  )
  recorder.load(failed)
  recorder.state = 'connectError'
  const error = { ...lastError, response: 'not found again' }
  const storing = recorder.apply({ kind: 'connectFailed', error })
  const check = () => {
    const { state, wasSynced } = recorder
    assertConnected({ state, wasSynced, lastError: recorder.lastError, loggedIn: false })
  }
  expect(recorder.lastError).toEqual(lastError)
  expect(check).toThrow(expect.objectContaining({ kind: 'internal', code: 'AppNotFound' }))
  stored.resolve()
  await storing
  expect(recorder.lastError).toEqual(error)
})
