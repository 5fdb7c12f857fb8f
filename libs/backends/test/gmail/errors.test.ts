import { describe, expect, test } from '@jest/globals'
import { isPermanent } from '@posthorn/errors'
import { providerFaults, type ProviderResponse } from '@posthorn/testkit/providers'
import { isMailApiError, type MailApiFailure } from '../../src/mail-api/index.ts'
import { mail, signal } from '../mail-api/environment.ts'
import { readFixture } from './fixtures.ts'
import { type GmailSetup, startGmail } from './gmail-setup.ts'

interface ErrorCase {
  name: string
  request: string
  status: number
  headers: Record<string, string>
  body: object | string
  expect: {
    kind: string
    status: number | null
    code?: string
    retryAfterSeconds?: number
    then: string
  }
}

type Call = (setup: GmailSetup, then: string) => Promise<unknown>

const content = Buffer.from(mail('a'))
/**
 * Messages of two sizes: the client sends `medium` to Gmail as JSON, and as an upload after a
 * refusal; `large` is always an upload.
 */
const medium = Buffer.from(mail('a') + 'x'.repeat(1_000_000))
const large = Buffer.from(mail('a') + 'x'.repeat(4_000_000))

const messageId = ({ mailbox }: GmailSetup) => mailbox.deliver(mail('x')).id

const attachment: Call = async (setup) => {
  const type = 'Content-Type: application/zip; name=a.zip\r\n'
  const { id } = setup.mailbox.deliver(mail('x', type))
  const download = await setup.api.downloadAttachment({ id, partId: '' }, signal)
  return Array.fromAsync(download.content)
}

const afterHistory: Call = async ({ api }) => {
  const cursor = Buffer.from(JSON.stringify({ since: '1000' })).toString('base64url')
  return api.changes({ id: 'mailbox' }, { cursor, limit: 10 }, signal)
}

/**
 * Gmail requests of the error fixtures, each with its operation and the client call that sends it.
 */
const calls: [RegExp, operation: string, Call][] = [
  [/attachments/, 'messages.attachments.get', attachment],
  [
    /POST .*\/modify/,
    'messages.modify',
    async (setup) => setup.api.updateMessages([messageId(setup)], { flagged: true }, signal),
  ],
  [
    /GET .*\/messages\/.+/,
    'messages.get',
    async (setup) => setup.api.getMessage(messageId(setup), {}, signal),
  ],
  [/DELETE .*\/labels/, 'labels.delete', async ({ api }) => api.deleteFolder('Label_1', signal)],
  [/POST .*\/labels/, 'labels.create', async ({ api }) => api.createFolder({ name: 'x' }, signal)],
  [
    /GET .*\/messages/,
    'messages.list',
    async ({ api }) => api.listIds({}, { limit: 10, pageToken: '5' }, signal),
  ],
  [/history/, 'history.list', afterHistory],
  [/upload.*\/send/, 'messages.send#upload', async ({ api }) => api.sendMessage(large, {}, signal)],
  [
    /upload/,
    'messages.insert#upload',
    async ({ api }) => api.appendMessage(large, { folderId: 'INBOX' }, signal),
  ],
  [
    /messages\/send/,
    'messages.send',
    async ({ api }, then) => api.sendMessage(then === 'fail' ? content : medium, {}, signal),
  ],
  [/drafts\/send/, 'drafts.send', async ({ api }) => api.releaseDraft('r1', signal)],
  [
    /POST .*\/drafts/,
    'drafts.create',
    async (setup) => setup.api.depositDraft(content, { threadId: messageId(setup) }, signal),
  ],
  [/sendAs/, 'settings.sendAs.list', async ({ api }) => api.signatures?.(signal)],
  [/profile/, 'getProfile', async ({ api }) => api.profile(signal)],
  [/watch/, 'watch', async ({ api }) => api.watch('', signal)],
]

/**
 * Expected failures of Gmail requests for which no API caller waits, by the reaction in the error
 * fixtures.
 */
const failures: Partial<Record<string, MailApiFailure>> = {
  'retry-get': 'message-missing',
  'list-and-compare': 'stale-cursor',
  'poll-and-retry': 'watch-refused',
  'find-sent': 'message-missing',
  wait: 'rate-limited',
}

/** Reactions to a Gmail error by which a request that was refused once succeeds in another way. */
const repaired = new Set(['renew-token', 'use-upload', 'drop-thread', 'stop-and-watch'])

// A Gmail request of the client never has more than 1,000 ids, and parts of batches have tests of
// their own.
const cases = readFixture<ErrorCase[]>('errors').filter(
  ({ name }) => name !== 'too-many-ids' && name !== 'batch-inner-429',
)

async function run(each: ErrorCase, count: number): Promise<unknown> {
  await using setup = await startGmail({ priority: 'caller', timeoutMs: 10_000 })
  const [, operation = '', call] = calls.find(([pattern]) => pattern.test(each.request)) ?? []
  const { status, headers, body } = each
  const response: ProviderResponse = { status, headers, body }
  setup.gmail.on(operation, providerFaults.times(count, providerFaults.replies(response)))
  if (!call) throw new Error(`no call for ${each.request}`)
  return await call(setup, each.expect.then).catch((error: unknown) => error)
}

describe('error responses of Gmail', () => {
  test.each(cases.map((each) => [each.name, each] as const))('%s', async (_name, each) => {
    const { kind, status, code, retryAfterSeconds, then } = each.expect
    if (repaired.has(then)) {
      expect(await run(each, 1)).not.toBeInstanceOf(Error)
      return
    }
    const error = await run(each, Infinity)
    if (each.name === 'message-not-found-short') {
      expect(error).toMatchObject({ missing: [expect.any(String)] })
      return
    }
    if (!isMailApiError(error)) throw error
    if (failures[then]) expect(error.failure).toBe(failures[then])
    if (retryAfterSeconds !== undefined) expect(error.retryAfterMs).toBe(retryAfterSeconds * 1_000)
    if (status !== null) {
      expect(error).toMatchObject({ kind, ...(kind === 'provider' && { status }) })
      expect(error.code).toBe(code)
    }
    const isTemporary = ['wait', 'retry'].includes(then) && error.failure !== 'mailbox-disabled'
    expect(isPermanent(error)).toBe(!isTemporary)
  })
})

test('errors: sending refused for its recipients, is told from others by the reason', async () => {
  const failureOf = async (name: string) => {
    const each = cases.find((one) => one.name === name)
    const error = each && (await run(each, Infinity))
    return isMailApiError(error) ? error.failure : error
  }
  expect(await failureOf('no-recipients')).toBe('invalid-recipients')
  expect(await failureOf('to-header-invalid')).toBe('invalid-recipients')
  expect(await failureOf('raw-not-base64url')).toBe('refused')
  expect(await failureOf('too-large-upload')).toBe('too-large')
})

test.each(['drafts.send', 'messages.send'])(
  'errors: %s that is redirected: temporary failure, and the effect is unknown',
  async (operation) => {
    await using setup = await startGmail()
    const headers = { location: 'https://login.example/' }
    const body = { error: { code: 404, message: 'moved', errors: [{ reason: 'notFound' }] } }
    setup.gmail.on(operation, providerFaults.deviates({ status: 307, headers, body }))
    const { api } = setup
    const sending =
      operation === 'drafts.send'
        ? api.releaseDraft('r1', signal)
        : api.sendMessage(content, {}, signal)
    await expect(sending).rejects.toMatchObject({ failure: 'unavailable', status: 307 })
  },
)

test('errors: no text contains the token', async () => {
  await using setup = await startGmail()
  setup.setToken('ya29.secret-token-of-the-account')
  const error = await setup.api.profile(signal).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ failure: 'token-rejected' })
  expect(JSON.stringify([error, String(error)])).not.toContain('secret-token')
})
