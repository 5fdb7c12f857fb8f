import { expect } from '@jest/globals'
import { isPermanent } from '@posthorn/errors'
import { isMailApiError, type MailApiFailure } from '../../src/mail-api/index.ts'
import { type CreateEnvironment, type DefineCase, mail, signal } from './environment.ts'

const failures: [MailApiFailure, members: object, permanent: boolean][] = [
  ['rate-limited', { kind: 'rate-limited', retryAfterMs: 7_000, extras: { ttl: 7 } }, false],
  ['token-rejected', { kind: 'forbidden', code: 'OAuthTokenRejected' }, true],
  ['access-denied', { kind: 'forbidden', code: 'AccessDenied' }, true],
  ['mailbox-disabled', { kind: 'forbidden', code: 'MailboxNotEnabled' }, true],
  ['unavailable', { kind: 'unreachable', code: 'ConnectionError' }, false],
]

/** Failures that API clients see as the mail provider's HTTP status (Gmail). */
const passed: readonly MailApiFailure[] = ['access-denied', 'mailbox-disabled', 'unavailable']

export function failingCases(create: CreateEnvironment, test: DefineCase): void {
  for (const [failure, members, permanent] of failures)
    test(`calls: ${failure}, reported with kind and code`, async () => {
      await using environment = await create()
      const { api, passesStatus } = environment
      const isPassed = passesStatus && passed.includes(failure)
      const expected = isPassed ? { kind: 'provider', code: undefined } : members
      const id = await environment.deliver(mail('a'))
      const [feed = { id: '' }] = api.feeds(await api.folders(signal))
      for (const call of [
        () => api.profile(signal),
        () => api.getMessage(id, {}, signal),
        () => api.listIds({}, { limit: 10 }, signal),
        () => api.changes(feed, { limit: 10 }, signal),
      ]) {
        environment.failNext(failure, failure === 'rate-limited' ? 7_000 : undefined)
        const error: unknown = await call().then(
          () => undefined,
          (reason: unknown) => reason,
        )
        expect(error).toMatchObject({ failure, ...expected })
        expect(isMailApiError(error, failure)).toBe(true)
        expect(isPermanent(error)).toBe(permanent)
        await call()
      }
    })

  test('calls: aborted signal, reject with its reason and without an effect', async () => {
    await using environment = await create()
    const { api } = environment
    const id = await environment.deliver(mail('a'))
    const reason = new Error('over')
    const aborted = AbortSignal.abort(reason)
    const content = Buffer.from(mail('b'))
    for (const call of [
      () => api.folders(aborted),
      () => api.getMessage(id, {}, aborted),
      () => api.updateMessages([id], { flagged: true }, aborted),
      () => api.sendMessage(content, {}, aborted),
      () => api.watch('secret', aborted),
    ])
      await expect(call()).rejects.toBe(reason)
    expect(await api.getMessage(id, {}, signal)).toMatchObject({ flagged: false })
    expect(environment.sent()).toEqual([])
    const source = await api.downloadSource(id, signal)
    for await (const chunk of source.content) {
      expect(chunk.length).toBeGreaterThan(0)
      break
    }
  })
}
