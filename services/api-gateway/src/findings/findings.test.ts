import { describe, expect, test } from '@jest/globals'
import type { Finding } from '@posthorn/contracts/schemas/finding'
import { accountFindings } from './account-findings.ts'
import { exportFindings } from './export-findings.ts'
import { mailProxyFindings, type MailProxyState } from './mail-proxy-findings.ts'
import { queueFindings, type QueueState } from './queue-findings.ts'
import { type ConfigurationState, settingsFindings } from './settings-findings.ts'
import { systemFindings, type SystemState } from './system-findings.ts'
import { pausedTargetFindings, targetFindings } from './target-findings.ts'
import { workerFindings } from './worker-findings.ts'

const at = new Date('2026-03-01T12:00:00.000Z')
const since = at.toISOString()
const summary = (findings: readonly Finding[]) => findings.map(({ id, level }) => `${level} ${id}`)

describe('settingsFindings', () => {
  const complete: ConfigurationState = {
    settings: {
      serviceUrl: 'https://mail.example.com',
      webhooksEnabled: true,
      webhooks: 'https://hooks.example.com',
      webhookEvents: ['*'],
    },
    requireApiAuth: true,
    otherTargets: { routes: false, accounts: false },
  }
  const reported = (
    { settings, ...rest }: Partial<ConfigurationState>,
    otherTargets: Partial<ConfigurationState['otherTargets']> = {},
  ) =>
    summary(
      settingsFindings({
        ...complete,
        ...rest,
        settings: { ...complete.settings, ...settings },
        otherTargets: { ...complete.otherTargets, ...otherTargets },
      }),
    )

  test('complete settings: nothing', () => {
    expect(reported({})).toEqual([])
  })

  test('reports a missing serviceUrl, and requests without a token', () => {
    expect(reported({ settings: { serviceUrl: '' } })).toEqual(['warning serviceUrlUnset'])
    expect(reported({ requireApiAuth: false })).toEqual(['warning tokensNotRequired'])
  })

  test('reports enabled webhooks without any target', () => {
    const settings = { webhooks: '' }
    expect(reported({ settings })).toEqual(['warning webhooksWithoutTarget'])
    expect(reported({ settings }, { routes: true })).toEqual([])
    expect(reported({ settings }, { accounts: true })).toEqual([])
  })

  test('reports missing events only for targets that the setting applies to', () => {
    expect(reported({ settings: { webhookEvents: [] } })).toEqual(['warning webhooksWithoutEvents'])
    const onlyRoutes = { settings: { webhooks: '', webhookEvents: [] } }
    expect(reported(onlyRoutes, { routes: true })).toEqual([])
    expect(reported(onlyRoutes, { accounts: true })).toEqual(['warning webhooksWithoutEvents'])
  })

  test('reports disabled webhooks only if targets exist', () => {
    expect(reported({ settings: { webhooksEnabled: false } })).toEqual(['info webhooksDisabled'])
    expect(reported({ settings: { webhooksEnabled: false, webhooks: '' } })).toEqual([])
  })
})

describe('workerFindings', () => {
  const worker = { alive: true, refusing: false, shards: [0, 1], accounts: 5 }

  test('all shards held: nothing', () => {
    expect(workerFindings([worker])).toEqual([])
  })

  test('counts the accounts of dead workers, and of shards without a worker', () => {
    const dead = { ...worker, alive: false, shards: [2], accounts: 3 }
    const free = { ...dead, shards: [3, 4], accounts: 0 }
    expect(workerFindings([worker, dead, free])).toMatchObject([
      { id: 'unheldShards', level: 'error', count: 3, detail: expect.stringContaining('3 of 256') },
    ])
    expect(summary(workerFindings([worker, free]))).toEqual(['warning unheldShards'])
  })

  test('names missing memory as the reason if all live workers refuse accounts', () => {
    const free = { ...worker, alive: false, shards: [3], accounts: 1 }
    const remedy = (refusing: boolean) => workerFindings([{ ...worker, refusing }, free])[0]?.remedy
    expect(remedy(true)).toContain('memory')
    expect(remedy(false)).not.toContain('memory')
  })

  test('no live worker: one error with all accounts', () => {
    const dead = { ...worker, alive: false }
    expect(workerFindings([dead])).toMatchObject([{ id: 'noLiveWorker', count: 5 }])
    expect(workerFindings([])).toMatchObject([{ id: 'noLiveWorker', count: 0 }])
  })
})

describe('queueFindings', () => {
  const none = { count: 0, oldestAt: null }
  const empty: QueueState = { paused: [], late: { notify: none, submit: none } }
  const late = { notify: { count: 7, oldestAt: at }, submit: none }

  test('reports late work with its oldest entry', () => {
    expect(queueFindings(empty)).toEqual([])
    expect(queueFindings({ ...empty, late })).toMatchObject([
      { id: 'queueLate:notify', level: 'warning', count: 7, since },
    ])
  })

  test('a paused queue is reported as paused, not as late', () => {
    const paused = [{ queue: 'notify', pausedAt: at }]
    const findings = queueFindings({ paused, late })
    expect(findings).toMatchObject([{ id: 'queuePaused:notify', level: 'warning', since }])
    expect(summary(queueFindings({ ...empty, paused }))).toEqual(['info queuePaused:notify'])
  })
})

test('targetFindings: one finding per target, an error from 10 failures', () => {
  const target = { lane: 'https://a.example/', oldestAt: at, lastOutcome: 'http-5xx' }
  const other = { ...target, lane: 'https://b.example/', lastOutcome: null }
  const findings = targetFindings([
    { ...target, failed: 10 },
    { ...other, failed: 9 },
  ])
  expect(findings).toMatchObject([
    { id: 'webhookTargetFailing:https://a.example/', level: 'error', count: 10, since },
    { id: 'webhookTargetFailing:https://b.example/', level: 'warning', count: 9 },
  ])
  expect(findings[0]?.detail).toContain('http-5xx')
})

test('pausedTargetFindings: a warning if a delivery has waited for an hour', () => {
  const now = at.getTime() + 3_600_000
  const paused = { address: 'https://a.example/', due: 4, oldestDueAt: at }
  expect(pausedTargetFindings([paused], now)).toMatchObject([
    { id: 'webhookTargetPaused:https://a.example/', level: 'warning', count: 4, since },
  ])
  expect(summary(pausedTargetFindings([paused], now - 1))).toEqual([
    'info webhookTargetPaused:https://a.example/',
  ])
  const empty = pausedTargetFindings([{ ...paused, due: 0, oldestDueAt: null }], now)
  expect(empty).toEqual([expect.not.objectContaining({ since: expect.anything() })])
})

test.each([
  [{}, []],
  [{ connected: 90, authenticationError: 10 }, []],
  [{ connected: 89, authenticationError: 6, connectError: 5 }, ['warning accountsFailing']],
  [{ connected: 49, connectError: 51 }, ['error accountsFailing']],
])('accountFindings: %j', (states, expected) => {
  expect(summary(accountFindings(new Map(Object.entries(states))))).toEqual(expected)
})

test('accountFindings: the remedy follows the more frequent state', () => {
  const remedy = (states: Record<string, number>) =>
    accountFindings(new Map(Object.entries(states)))[0]?.remedy
  expect(remedy({ authenticationError: 2, connectError: 1 })).toContain('credentials')
  expect(remedy({ authenticationError: 1, connectError: 2 })).toContain('network path')
})

test('exportFindings: reports failed exports', () => {
  expect(exportFindings({ count: 0, oldestAt: null })).toEqual([])
  expect(exportFindings({ count: 2, oldestAt: at })).toMatchObject([
    { id: 'exportsFailed', count: 2, since },
  ])
})

describe('systemFindings', () => {
  const state: SystemState = {
    schema: { missing: [], newer: [] },
    clock: { startedAt: 10_000, postgresAt: 10_001, endedAt: 10_002 },
    rabbitmq: true,
  }
  const clock = (startedAt: number, postgresAt: number, endedAt: number) =>
    systemFindings({ ...state, clock: { startedAt, postgresAt, endedAt } })

  test('reports an older or newer schema, and names up to five migrations', () => {
    expect(systemFindings(state)).toEqual([])
    const missing = ['1', '2', '3', '4', '5', '6', '7']
    const findings = systemFindings({ ...state, schema: { missing, newer: ['9'] } })
    expect(summary(findings)).toEqual(['error schemaBehind', 'info schemaAhead'])
    expect(findings[0]?.detail).toContain('1, 2, 3, 4, 5, 2 more.')
  })

  test('reports clocks that differ by more than 2 s beyond the duration of the query', () => {
    expect(clock(10_000, 12_500, 10_600)).toEqual([])
    expect(clock(10_000, 19_000, 20_000)).toEqual([])
    expect(clock(10_000, 13_001, 11_000)[0]?.detail).toContain('2 s ahead of')
    expect(clock(10_000, 6_900, 11_000)[0]?.detail).toContain('3 s behind')
  })

  test('reports a missing connection to RabbitMQ', () => {
    expect(summary(systemFindings({ ...state, rabbitmq: false }))).toEqual(['error rabbitmqDown'])
  })
})

describe('mailProxyFindings', () => {
  const day = 86_400_000
  const replica: MailProxyState['replicas'][number] = {
    service: 'imap-proxy',
    hostName: 'a',
    listener: 'listening',
    error: null,
    certificateNames: ['mail.example.com', '192.0.2.1'],
    certificateExpiresAt: at,
  }
  const off = { imapProxyServerEnabled: false, smtpServerEnabled: false }
  const reported = (daysLeft: number, replicas: MailProxyState['replicas'] = [replica]) =>
    mailProxyFindings({ replicas, settings: off, now: at.getTime() - daysLeft * day })

  test('certificate: a warning from 14 days before its expiry, then an error', () => {
    expect(reported(14.01)).toEqual([])
    const [soon] = reported(14)
    expect(soon).toMatchObject({ id: 'mailProxyCertificate:imap-proxy', level: 'warning' })
    expect(soon?.detail).toContain(
      'for mail.example.com, 192.0.2.1 on host a expires at 2026-03-01',
    )
    expect(soon).not.toHaveProperty('since')
    expect(reported(0)).toMatchObject([{ level: 'error', count: 1, since }])
  })

  test('certificate: one finding per mail proxy, about the first to expire', () => {
    const later = new Date(at.getTime() + day)
    const other = { ...replica, hostName: 'b', certificateExpiresAt: later }
    const none = { ...replica, certificateNames: null, certificateExpiresAt: null }
    const findings = reported(1, [other, replica, none, { ...other, service: 'smtp-proxy' }])
    expect(findings).toMatchObject([
      { id: 'mailProxyCertificate:imap-proxy', count: 2 },
      { id: 'mailProxyCertificate:smtp-proxy', count: 1 },
    ])
    expect(findings[0]?.detail).toContain('host a')
  })

  test('listener: reports the replicas that do not listen, with the reason', () => {
    const failed = { ...replica, listener: 'failed' as const, error: 'EADDRINUSE' }
    const [finding] = reported(30, [replica, failed, { ...replica, listener: 'off' }])
    expect(finding).toMatchObject({ id: 'mailProxyNotListening:imap-proxy', level: 'error' })
    expect(finding?.detail).toMatch(/1 of 3\. Reason on host a: EADDRINUSE/)
  })

  test('reports a mail proxy that is enabled and does not run', () => {
    const missing = (settings: MailProxyState['settings'], replicas: MailProxyState['replicas']) =>
      summary(mailProxyFindings({ replicas, settings, now: at.getTime() - 30 * day }))
    const on = { imapProxyServerEnabled: true, smtpServerEnabled: true }
    expect(missing(off, [])).toEqual([])
    expect(missing(on, [replica])).toEqual(['warning mailProxyMissing:smtp-proxy'])
    expect(missing(on, [replica, { ...replica, service: 'smtp-proxy' }])).toEqual([])
  })
})
