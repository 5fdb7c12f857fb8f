import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import type { ImapBackend, MailSession } from '@posthorn/backends'
import { AppError } from '@posthorn/errors'
import { createLogger } from '@posthorn/telemetry'
import type { ImapAccount } from '../../../store/accounts.ts'
import { type ConnectDeps, createConnector } from './connect.ts'
import { createLoginLimiter } from './login-limiter.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const connectTimeoutMs = 30_000
const session = { closed: new Promise<undefined>(() => undefined) } as unknown as MailSession
const closed = new AppError('unreachable', 'refused', { code: 'ECONNREFUSED' })
const rejected = new AppError('unauthorized', 'no', { code: 'AUTHENTICATIONFAILED' })
const limited = new AppError('unreachable', 'too many', { code: 'LIMIT' })

/**
 * Fake IMAP backend whose outcome of a connection attempt depends on the host. `silent.example`
 * sends nothing until the attempt is aborted.
 */
const backend: ImapBackend = {
  async connect({ host, signal }) {
    if (host === 'mail.example') return session
    if (host === 'silent.example')
      await new Promise((_resolve, reject) =>
        signal?.addEventListener('abort', () =>
          reject(new AppError('unreachable', 'timed out', { code: 'ETIMEDOUT' })),
        ),
      )
    throw { 'closed.example': closed, 'rejecting.example': rejected }[host] ?? limited
  },
}

function connector() {
  const limits = { perHost: 1, perSecond: 1_000, concurrent: 1 }
  const logins = createLoginLimiter(limits, {
    findAddress: () => Promise.resolve(undefined),
  })
  const deps: ConnectDeps = {
    backend,
    settings: { get: () => Promise.resolve({}) },
    credentials: {
      whenAvailable: () => Promise.resolve(),
      request: () => Promise.resolve({ user: 'u', pass: 'p' }),
    },
    getServerOptions: ({ host, port, secure = false }) =>
      Promise.resolve({ host, port, secure, rejectUnauthorized: true }),
    logins,
    connections: { add: () => () => undefined } as unknown as ConnectDeps['connections'],
    transcripts: { forConnection: () => () => undefined },
    log: createLogger('test', 'silent'),
    config: { connectTimeoutMs },
  }
  return createConnector(deps)
}

type Seen = { atMs: number; outcome: unknown }[]

/**
 * Connects to a mail server. Returns the outcome, and the time of the fake clock at which the
 * outcome is reported.
 */
function report(
  connect: ReturnType<typeof connector>,
  host: string,
  { isTenantsServer = true, signal = new AbortController().signal } = {},
): Seen {
  const startedAt = Date.now()
  const seen: Seen = []
  const imap = { host, port: 993, secure: true }
  const account = { account: 'a', imap, isTenantsServer, proxy: null } as unknown as ImapAccount
  const add = (outcome: unknown) => void seen.push({ atMs: Date.now() - startedAt, outcome })
  const faults = {} as Parameters<typeof connect>[2]['faults']
  void connect(account, signal, { faults, loginFor: 'sync' }).then(add, add)
  return seen
}

test('createConnector: a closed and a silent port of a tenant fail after the same time', async () => {
  const reports = [report(connector(), 'closed.example'), report(connector(), 'silent.example')]
  await jest.advanceTimersByTimeAsync(connectTimeoutMs + 999)
  expect(reports).toEqual([[], []])
  await jest.advanceTimersByTimeAsync(1)
  expect(reports).toMatchObject([
    [{ atMs: 31_000, outcome: { code: 'ECONNREFUSED' } }],
    [{ atMs: 31_000, outcome: { code: 'ETIMEDOUT' } }],
  ])
})

test('createConnector: logins and replies to logins are reported immediately', async () => {
  const operators = report(connector(), 'closed.example', { isTenantsServer: false })
  const reports = ['mail.example', 'rejecting.example', 'limited.example'].map((host) =>
    report(connector(), host),
  )
  await jest.advanceTimersByTimeAsync(0)
  expect(operators).toEqual([{ atMs: 0, outcome: closed }])
  expect(reports).toEqual([
    [{ atMs: 0, outcome: session }],
    [{ atMs: 0, outcome: rejected }],
    [{ atMs: 0, outcome: limited }],
  ])
})

test('createConnector: a failure that waits holds no login permit', async () => {
  const connect = connector()
  const failing = report(connect, 'closed.example')
  const others = [report(connect, 'mail.example'), report(connect, 'rejecting.example')]
  await jest.advanceTimersByTimeAsync(10)
  expect(failing).toEqual([])
  expect(others.map(([first]) => first?.outcome)).toEqual([session, rejected])
})

test('createConnector: an abort ends the wait with the error of aborted connections', async () => {
  const stop = new AbortController()
  const seen = report(connector(), 'closed.example', { signal: stop.signal })
  await jest.advanceTimersByTimeAsync(5)
  stop.abort()
  await jest.advanceTimersByTimeAsync(0)
  expect(seen).toMatchObject([{ outcome: { kind: 'unreachable', code: 'ECANCELED' } }])
})
