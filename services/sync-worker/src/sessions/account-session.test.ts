import { expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import { createLogger } from '@posthorn/telemetry'
import { eventually } from '@posthorn/testkit'
import type { AccountDriver, DriverContext } from '../drivers/account-driver.ts'
import { assertConnected } from '../drivers/availability.ts'
import type { AccountRow } from '../store/accounts.ts'
import { AccountSession, type AccountSessionDeps } from './account-session.ts'
import type { StatusUpdate } from './account-status.ts'
import { transition } from './status-transition.ts'

const row = {
  account: 'a',
  version: '1',
  imap: { host: 'mail.example', port: 993 },
  paused: false,
  flushedEpoch: '0',
  flushEpoch: '0',
  createdAt: new Date(0),
  tenantSet: [],
  state: 'new',
  stateEpoch: '1',
  initializedAt: null,
  lastError: null,
  errorCount: 0,
} as unknown as AccountRow

/**
 * Starts a session of an account whose driver runs one of the steps per connection, and then waits.
 */
function start(steps: ((context: DriverContext) => Promise<void>)[]) {
  const triggers: string[] = []
  const runs: string[] = []
  const createDriver = (context: DriverContext) =>
    ({
      async follow(signal: AbortSignal) {
        runs.push(context.account?.account ?? '')
        const step = steps.shift()
        if (step) return step(context)
        await new Promise((_resolve, reject) => signal.addEventListener('abort', reject))
      },
      [Symbol.asyncDispose]: async () => void runs.push('disposed'),
    }) as unknown as AccountDriver
  const deps: AccountSessionDeps = {
    createDriver,
    store: {
      db: undefined as never,
      settings: undefined as never,
      accounts: { load: async () => row, findVersion: async () => undefined },
    },
    async applyStatusUpdate({ from, trigger }: StatusUpdate) {
      triggers.push(trigger.kind)
      if (!from) throw new Error('unknown status')
      const { status } = transition(from, trigger, { now: new Date(), maxAuthFailureMs: 60_000 })
      return { status, changed: true }
    },
    changes: { broadcast: () => {} },
    metrics: { accountState: () => {} },
    config: {
      accountsSweepMs: 60_000,
      reconnectMinMs: 10,
      reconnectMaxMs: 10,
      transientStateMs: 60_000,
    },
    log: createLogger('test', 'silent'),
  }
  const lease = { account: 'a', shard: 1, owner: 'w', epoch: '1' }
  return { session: new AccountSession(deps, lease, '1'), triggers, runs }
}

async function connect(context: DriverContext): Promise<void> {
  await context.reportLogin('jane')
  await context.reportSync(undefined)
}

test('AccountSession: runs its driver, whose reports become the account status', async () => {
  const { session, triggers, runs } = start([])
  expect(() => assertConnected(session)).toThrow(
    expect.objectContaining({ code: 'NotYetConnected' }),
  )
  await eventually(() => expect(runs).toEqual(['a']))
  await connect(session)
  expect(session).toMatchObject({ state: 'connected', loggedIn: true, wasSynced: true })
  assertConnected(session)
  await session.stop()
  expect(triggers).toEqual(['starting', 'loggedIn', 'synced'])
  expect(runs).toEqual(['a', 'disposed'])
  expect(session.ended).toBe(false)
})

test('AccountSession: failures of a driver become states, and it runs again', async () => {
  const { session, triggers, runs } = start([
    () => Promise.reject(new AppError('unauthorized', 'rejected')),
    async (context) => {
      await connect(context)
      throw new AppError('unreachable', 'reset')
    },
  ])
  await eventually(() => expect(runs).toHaveLength(3))
  expect(triggers).toEqual(['starting', 'authFailed', 'loggedIn', 'synced', 'lost'])
  await session.stop()
})

test('AccountSession: a connection that has to be replaced leaves the account connected', async () => {
  const { session, triggers, runs } = start([connect])
  await eventually(() => expect(runs).toHaveLength(2))
  expect(triggers).toEqual(['starting', 'loggedIn', 'synced'])
  expect(session).toMatchObject({ state: 'connected', loggedIn: true })
  await session.stop()
})

test('AccountSession: a lost lease ends the session', async () => {
  const { session, triggers } = start([
    () => Promise.reject(new AppError('stale', 'The lease was lost')),
  ])
  await eventually(() => expect(session.ended).toBe(true))
  expect(triggers).toEqual(['starting'])
  await session.stop()
})
