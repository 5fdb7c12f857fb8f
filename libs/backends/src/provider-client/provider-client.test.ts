import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import { ProviderError } from '@posthorn/net/provider-error'
import type { ProviderHttp, ProviderRequest } from '@posthorn/net/provider-http'
import type { LoginOptions, MailApiUse } from '../mail-api/access.ts'
import { MailApiError, type MailApiFailure } from '../mail-api/errors.ts'
import { ProviderLimiter } from '../provider-limits/provider-limiter.ts'
import { defaultProviderLimits } from '../provider-limits/provider-limits.ts'
import { type ClientRequest, ProviderClient } from './provider-client.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const { signal } = new AbortController()
const request: ClientRequest = { operation: 'x', url: '/a', repeatable: true, signal }
const statuses: Record<number, MailApiFailure> = {
  401: 'token-rejected',
  404: 'message-missing',
  429: 'rate-limited',
  503: 'unavailable',
}
const status = (code: number, retryAfterMs?: number) =>
  new ProviderError(`status ${code}`, { status: code, retryAfterMs })

/** Provider client whose HTTP requests fail with the given errors in order, then succeed. */
function create(
  errors: Error[],
  use: MailApiUse = { priority: 'sync' },
  respond?: (ready: ProviderRequest) => Promise<object>,
) {
  const sent: ProviderRequest[] = []
  const logins: LoginOptions[] = []
  const answer = async (ready: ProviderRequest) => {
    sent.push(ready)
    const error = errors.shift()
    if (error) throw error
    return { status: 200, headers: {}, json: { fine: true } }
  }
  const http = { json: respond ?? answer, upload: respond ?? answer } as unknown as ProviderHttp
  const limiter = new ProviderLimiter({
    limits: defaultProviderLimits,
    service: 'sync-worker',
    replicas: () => 1,
  })
  const client = new ProviderClient({
    http,
    limiter,
    use,
    access: {
      provider: 'graph',
      account: 'a',
      application: 'app',
      async login(options) {
        logins.push(options)
        return { user: 'ann@mail.example', accessToken: `token${logins.length}` }
      },
    },
    toError: (error) =>
      new MailApiError(statuses[error.status] ?? 'refused', error.message, {
        status: error.status,
        ...(error.retryAfterMs !== undefined && { retryAfterMs: error.retryAfterMs }),
      }),
    delayMs: () => 1_000,
  })
  return { client, sent, logins, limiter }
}

/**
 * Waits until the promise of a provider request settles while fake timers run, for at most the time
 * in milliseconds.
 */
async function within<T>(ms: number, promise: Promise<T>): Promise<T | 'pending'> {
  const settled = Promise.race([
    promise,
    new Promise<'pending'>((resolve) => setTimeout(resolve, ms, 'pending')),
  ])
  settled.catch(() => undefined)
  await jest.advanceTimersByTimeAsync(ms)
  return settled
}

test('ProviderClient: a rejected token is renewed once', async () => {
  const { client, sent, logins } = create([status(401)])
  await expect(client.json(request)).resolves.toMatchObject({ status: 200 })
  expect(logins.map(({ fresh }) => fresh)).toEqual([false, true])
  expect(sent.map(({ token }) => token)).toEqual(['token1', 'token2'])
  const again = create([status(401), status(401)])
  await expect(again.client.json(request)).rejects.toMatchObject({
    failure: 'token-rejected',
    code: 'OAuthTokenRejected',
    kind: 'forbidden',
  })
  expect(again.logins).toHaveLength(2)
})

test('ProviderClient: a rate limit pauses the mailbox for the requested time', async () => {
  const { client, sent } = create([status(429, 20_000)])
  const first = client.json(request)
  await jest.advanceTimersByTimeAsync(0)
  const second = client.json(request)
  await jest.advanceTimersByTimeAsync(19_900)
  expect(sent).toHaveLength(1)
  await jest.advanceTimersByTimeAsync(200)
  await Promise.all([first, second])
})

test('ProviderClient: requests without an idempotent effect are repeated after rate limits only', async () => {
  const limited = create([status(429)])
  expect(await within(2_000, limited.client.json({ ...request, repeatable: false }))).not.toBe(
    'pending',
  )
  const failed = create([status(503)])
  await expect(
    within(2_000, failed.client.json({ ...request, repeatable: false })),
  ).rejects.toMatchObject({ failure: 'unavailable' })
})

test('ProviderClient: temporary failures are repeated three times', async () => {
  const lost = () => new AppError('unreachable', 'no response', { code: 'ConnectionError' })
  const { client, sent } = create([lost(), status(503), lost()])
  expect(await within(4_000, client.json(request))).toMatchObject({ status: 200 })
  expect(sent).toHaveLength(4)
  const worse = create([lost(), lost(), lost(), lost()])
  await expect(within(4_000, worse.client.json(request))).rejects.toMatchObject({
    failure: 'unavailable',
  })
})

test('ProviderClient: a longer delay than a minute, the API request or `maxWaitMs`, is reported', async () => {
  for (const [use, retryAfterMs] of [
    [{ priority: 'sync' }, 60_001],
    [{ priority: 'caller', timeoutMs: 10_000 }, 11_000],
    [{ priority: 'initial-sync', maxWaitMs: 10_000 }, 11_000],
  ] as const) {
    const { client, sent } = create([status(429, retryAfterMs)], use)
    await expect(client.json(request)).rejects.toMatchObject({
      failure: 'rate-limited',
      retryAfterMs,
    })
    expect(sent).toHaveLength(1)
    if (use.priority === 'sync') continue
    // The provider's rate limit still delays requests, so the next request of an API caller is not
    // sent.
    await expect(client.json(request)).rejects.toMatchObject({ failure: 'rate-limited' })
    expect(sent).toHaveLength(1)
  }
})

test('ProviderClient: permanent failures, login errors and aborts are not repeated', async () => {
  const missing = create([status(404)])
  await expect(missing.client.json(request)).rejects.toMatchObject({ failure: 'message-missing' })
  expect(missing.sent).toHaveLength(1)
  const stop = AbortSignal.abort(new Error('stop'))
  const aborted = create([status(503)])
  await expect(aborted.client.json({ ...request, signal: stop })).rejects.toThrow('stop')
})

test('ProviderClient: uploads have no token, and are repeated like other requests', async () => {
  const { client, sent } = create([status(503)])
  const upload = client.upload({ ...request, url: 'https://uploads.example/x' })
  expect(await within(2_000, upload)).toMatchObject({ status: 200 })
  expect(sent).toHaveLength(2)
  for (const each of sent) expect(each).not.toHaveProperty('token')
})

test('ProviderClient: a permit is held until the response has been read', async () => {
  const responses: (() => void)[] = []
  const sent: ProviderRequest[] = []
  const wait = async (ready: ProviderRequest) => {
    sent.push(ready)
    await new Promise<void>((resolve) => responses.push(resolve))
    return { status: 200, headers: {}, json: undefined }
  }
  const { client } = create([], { priority: 'sync' }, wait)
  const all = [0, 1, 2].map(() => client.json(request))
  all.push(client.upload(request))
  await jest.advanceTimersByTimeAsync(0)
  expect(sent).toHaveLength(3)
  for (const respond of responses) respond()
  await jest.advanceTimersByTimeAsync(0)
  expect(sent).toHaveLength(4)
  for (const respond of responses) respond()
  await Promise.all(all)
})
