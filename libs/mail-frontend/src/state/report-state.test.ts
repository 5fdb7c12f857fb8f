import { expect, test } from '@jest/globals'
import type { MailProxyReport } from '@posthorn/db'
import { createLogger } from '@posthorn/telemetry'
import type { ListenerReport } from './listener-report.ts'
import { startStateReports } from './report-state.ts'

const off: ListenerReport = {
  listener: 'off',
  port: null,
  tls: null,
  tlsPort: null,
  error: null,
  certificateNames: null,
  certificateExpiresAt: null,
}
const listening: ListenerReport = { ...off, listener: 'listening', port: 2993, tls: false }

/**
 * Starts reports about a mail listener to a store that records its calls. The reports check the
 * listener every millisecond. Their clock is `world.now`, which the test sets.
 */
function startReports(listener: ListenerReport | undefined) {
  const world = {
    now: 0,
    listener,
    sessions: { size: 0 },
    isDown: false,
    reports: [] as MailProxyReport[],
    calls: [] as string[],
    warnings: [] as string[],
    /** Waits for a check of the mail listener that starts and ends after this call. */
    checked: async () => {
      for (let n = 0; n < 3; n += 1) await new Promise<void>((resolve) => waiting.push(resolve))
    },
  }
  const waiting: (() => void)[] = []
  const log = createLogger('test', 'silent')
  const reports = startStateReports({
    store: {
      async report(report) {
        world.calls.push('report')
        if (world.isDown) throw new Error('Postgres is down')
        world.reports.push(report)
      },
      removeLost: async () => void world.calls.push('removeLost'),
      remove: async (id) => void world.calls.push(`remove ${id}`),
    },
    log: Object.assign(Object.create(log) as typeof log, {
      warn: (_fields: object, message: string) => void world.warnings.push(message),
    }),
    service: 'imap-proxy',
    sessions: world.sessions,
    readListener() {
      for (const resolve of waiting.splice(0)) resolve()
      return world.listener
    },
    checkMs: 1,
    clock: () => world.now,
  })
  return { world, reports }
}

test('startStateReports: no report until the state of the listener is known', async () => {
  const { world, reports } = startReports(undefined)
  await using _reports = reports
  world.now = 60_000
  await world.checked()
  expect(world.calls).toEqual([])
})

test('startStateReports: reports a change at the next check, and otherwise every 10 s', async () => {
  const { world, reports } = startReports(off)
  await using _reports = reports
  await world.checked()
  world.sessions.size = 5
  await world.checked()
  world.now = 9_999
  await world.checked()
  expect(world.reports).toMatchObject([{ service: 'imap-proxy', listener: 'off', sessions: 0 }])
  world.now = 10_000
  await world.checked()
  expect(world.reports).toMatchObject([{ sessions: 0 }, { listener: 'off', sessions: 5 }])
  world.listener = listening
  await world.checked()
  expect(world.reports).toHaveLength(3)
  expect(world.reports[2]).toMatchObject({ listener: 'listening', port: 2993 })
  expect(new Set(world.reports.map(({ id }) => id)).size).toBe(1)
})

test('startStateReports: after a failure, warns once and reports at the next interval', async () => {
  const { world, reports } = startReports(off)
  await using _reports = reports
  await world.checked()
  world.isDown = true
  for (const now of [10_000, 20_000]) {
    world.now = now
    await world.checked()
    world.listener = now === 10_000 ? listening : off
    await world.checked()
  }
  expect(world.calls).toEqual(['report', 'removeLost', 'report', 'report'])
  expect(world.warnings).toEqual(['reporting the replica state failed, will retry'])
  world.isDown = false
  world.listener = listening
  await world.checked()
  expect(world.reports).toHaveLength(1)
  world.now = 30_000
  await world.checked()
  expect(world.reports).toMatchObject([{ listener: 'off' }, { listener: 'listening' }])
})

test('startStateReports: disposal removes the report, after which nothing is reported', async () => {
  const { world, reports } = startReports(off)
  await world.checked()
  world.listener = listening
  await reports[Symbol.asyncDispose]()
  expect(world.calls.at(-1)).toBe(`remove ${world.reports[0]?.id}`)
})

test('startStateReports: disposal ends although the store does not respond', async () => {
  const log = createLogger('test', 'silent')
  const never = () => new Promise<void>(() => undefined)
  const reports = startStateReports({
    store: { report: never, removeLost: never, remove: never },
    log,
    service: 'smtp-proxy',
    sessions: { size: 0 },
    readListener: () => off,
  })
  await expect(reports[Symbol.asyncDispose]()).resolves.toBeUndefined()
})
