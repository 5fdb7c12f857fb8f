import { describe, expect, test } from '@jest/globals'
import type { Credentials } from '@posthorn/contracts/commands/credentials'
import { AccountLogins } from './account-logins.ts'

interface LoginRequest {
  fresh: boolean
  answer: (credentials: Credentials) => void
}

/** Cache of a mail API login whose requests to auth-bridge the test answers. */
function openLogins() {
  const requests: LoginRequest[] = []
  const clock = { now: 0 }
  const credentials = {
    request: (_account: unknown, { fresh = false }: { fresh?: boolean }) => {
      const { promise, resolve: answer } = Promise.withResolvers<Credentials>()
      requests.push({ fresh, answer })
      return promise
    },
  }
  const options = { provider: 'gmail' as const, account: 'a', credentials, now: () => clock.now }
  return { logins: new AccountLogins(options), requests, clock }
}

const token = (accessToken: string, seconds = 3_600, application = 'app'): Credentials => ({
  user: 'u',
  accessToken,
  application,
  expires: new Date(seconds * 1_000).toISOString(),
})
const { signal } = new AbortController()
const fresh = { fresh: true, signal }
const cached = { fresh: false, signal }

describe('AccountLogins', () => {
  test('open: the same access until the application changes', async () => {
    const { logins, requests, clock } = openLogins()
    const opening = logins.open(signal)
    requests[0]?.answer(token('1'))
    const access = await opening
    expect(access).toMatchObject({ provider: 'gmail', account: 'a', application: 'app' })
    expect(await logins.open(signal)).toBe(access)
    clock.now = 3_600_000
    const next = logins.open(signal)
    requests[1]?.answer(token('2', 7_200, 'other'))
    expect(await next).toMatchObject({ application: 'other' })
  })

  test.each([
    [3_600, 3_360_000],
    [100, 50_000],
  ])('login: token for %i s, is cached for %i ms', async (seconds, end) => {
    const { logins, requests, clock } = openLogins()
    const opening = logins.open(signal)
    requests[0]?.answer(token('1', seconds))
    const { login } = await opening
    clock.now = end - 1
    expect(await login(cached)).toEqual({ user: 'u', accessToken: '1' })
    clock.now = end
    const renewed = login(cached)
    requests[1]?.answer(token('2'))
    expect(await renewed).toMatchObject({ accessToken: '2' })
    expect(requests.map((request) => request.fresh)).toEqual([false, false])
  })

  test('login: rejections of one token by concurrent requests renew it once', async () => {
    const { logins, requests, clock } = openLogins()
    const opening = logins.open(signal)
    requests[0]?.answer(token('1'))
    const { login } = await opening
    const renewals = [login(fresh), login(fresh)]
    requests[1]?.answer(token('2'))
    clock.now = 4_999
    // The provider rejects requests with the old access token again, after the token was renewed.
    renewals.push(login(fresh))
    for (const renewal of renewals) expect(await renewal).toMatchObject({ accessToken: '2' })
    expect(requests).toHaveLength(2)
    clock.now = 5_000
    void login(fresh)
    expect(requests).toHaveLength(3)
  })

  test('login: a slower request does not replace a later token', async () => {
    const { logins, requests, clock } = openLogins()
    const opening = logins.open(signal)
    clock.now = 1
    requests[0]?.answer(token('1', 0))
    const { login } = await opening
    const slow = login(cached)
    clock.now = 2
    const renewal = login(fresh)
    requests[2]?.answer(token('new'))
    await renewal
    requests[1]?.answer(token('old'))
    await slow
    expect(await login(cached)).toMatchObject({ accessToken: 'new' })
  })

  test('login: a password of the authentication server is unauthorized', async () => {
    const { logins, requests } = openLogins()
    const opening = logins.open(signal)
    requests[0]?.answer({ user: 'u', pass: 'p' })
    await expect(opening).rejects.toMatchObject({ kind: 'unauthorized' })
  })
})
