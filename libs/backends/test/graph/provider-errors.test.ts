import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { providerFaults } from '@posthorn/testkit/providers'
import type { MailApi, MailApiError } from '../../src/mail-api/index.ts'
import { mail, signal } from '../mail-api/environment.ts'
import { startGraph } from './environment.ts'

interface Entry {
  name: string
  request: string
  status: number
  headers: Record<string, string>
  body: object | string
  /**
   * `state` is the state of an account whose sync keeps getting this Graph error response; default:
   * `connected`.
   */
  expect: { kind: string; code?: string; retryAfterSeconds?: number; then: string; state?: string }
}

// Error responses of Microsoft Graph, and the failures that API clients see for them.
const entries = JSON.parse(
  readFileSync(join(import.meta.dirname, 'provider-errors.json'), 'utf8'),
) as Entry[]
const named = (name: string) => entries.find((each) => each.name === name) as Entry

const setup = await startGraph()
afterAll(async () => setup[Symbol.asyncDispose]())
const { fake } = setup
let remove: (() => void)[] = []
beforeEach(() => {
  for (const each of remove) each()
  remove = []
})

/** Makes the Graph fake send an error response to the next `count` requests. */
function reply({ status, headers, body }: Entry, count = Infinity): void {
  const response = { status, headers, body }
  const fault = providerFaults.deviates(response)
  remove.push(fake.server.on('*', providerFaults.times(count, fault)))
}

const content = Buffer.from(mail('a'))
const folder = { id: 'F=', folderId: 'F=' }
const isListed = /\/messages(?:\?|$)/

/** Calls of the mail API that send the Graph request of an error table's entry. */
const calls: [request: RegExp, call: (api: MailApi, entry: Entry) => Promise<unknown>][] = [
  [
    /^GET .*\/messages\/delta/,
    (api) => api.changes(folder, { cursor: cursorOf(), limit: 10 }, signal),
  ],
  [/^POST \/v1.0\/subscriptions/, (api) => api.watch('secret', signal)],
  [/^PATCH \/v1.0\/subscriptions/, (api) => api.renewWatch('s', signal)],
  [/^POST .*\/send$/, (api) => api.releaseDraft('D=', signal)],
  [/^POST .*\/sendMail/, (api) => api.sendMessage(content, {}, signal)],
  [/^POST .*\/move/, (api, { name }) => moveOf(api, name)],
  [/^POST .*\/messages/, (api) => api.depositDraft(content, {}, signal)],
  [/^POST .*\/mailFolders/, (api) => api.createFolder({ name: 'x' }, signal)],
  [/^PATCH /, (api) => api.updateMessages(['A='], { flagged: true }, signal)],
  [/^GET .*mailFolders(?:\/inbox)?$/, (api) => api.profile(signal)],
  [/^GET \/v1.0\/me$/, (api) => api.profile(signal)],
  [/^GET .*mailFolders.*messages/, (api) => api.listIds({ folderId: 'F=' }, { limit: 5 }, signal)],
  [isListed, (api) => api.listIds({}, { limit: 5 }, signal)],
  [/^GET /, (api) => api.getMessage('A=', {}, signal)],
]

function moveOf(api: MailApi, name: string): Promise<unknown> {
  return name === 'deleted-items-missing'
    ? api.trashMessages(['A='], signal)
    : api.moveMessages(['A='], { to: 'F=' }, signal)
}

function cursorOf(): string {
  return JSON.stringify({ kind: 'delta', query: '$deltatoken=x' })
}

async function failureOf(entry: Entry): Promise<MailApiError | undefined> {
  // A Graph client whose API caller has little time left reports long delays instead of waiting.
  const api = setup.create({ use: { priority: 'caller', timeoutMs: 2_900 } })
  const call = calls.find(([request]) => request.test(entry.request))?.[1]
  try {
    await call?.(api, entry)
  } catch (error) {
    return error as MailApiError
  }
  return undefined
}

/**
 * Error responses to Graph requests that the client never sends: such a request would be a fault of
 * the client.
 */
const neverMade = [
  'batch-too-large',
  'delta-whole-mailbox',
  'delta-with-expand',
  'property-unknown',
]
/** Error responses of Graph that have a test of their own. */
const others = [
  'mime-too-long-200',
  'batch-inner-429',
  'batch-dependency',
  'search-200-cut-json',
  'folder-distinguished',
  'subscription-get-fails',
  'subscription-too-long',
]
/**
 * Error kinds by which a Graph error without a code is reported, by the kind in the error table.
 */
const kinds: Record<string, string> = { timeout: 'unreachable', invalid: 'rejected' }

const isPlain = ({ name, expect: { then } }: Entry) =>
  !neverMade.includes(name) &&
  !others.includes(name) &&
  !['renew-token', 'resync-folder'].includes(then)

describe('graph: error responses', () => {
  test.each(entries.filter(isPlain).map((entry) => [entry.name, entry] as const))(
    '%s is reported as the interface describes it',
    async (_name, entry) => {
      reply(entry)
      const error = await failureOf(entry)
      const { kind, code, retryAfterSeconds, then } = entry.expect
      // The mail API has a failure of its own for a missing watch (registration for notifications).
      if (then === 'recreate') return expect(error).toMatchObject({ failure: 'watch-missing' })
      expect(error).toMatchObject({
        name: 'MailApiError',
        kind: code === undefined ? (kinds[kind] ?? kind) : kind,
      })
      if (code !== undefined) expect(error?.code).toBe(code)
      if (retryAfterSeconds !== undefined)
        expect(error?.retryAfterMs).toBe(retryAfterSeconds * 1_000)
      // If the error of a Graph subscription contains an error of the mailbox, the error of the
      // mailbox decides.
      const failure = kind === 'unreachable' ? 'unavailable' : 'watch-refused'
      if (entry.request.includes('subscriptions')) expect(error?.failure).toBe(failure)
      return undefined
    },
  )

  test.each(
    entries.filter(({ expect: { state } }) => state).map((each) => [each.name, each] as const),
  )(
    '%s: the account is in the described state, and only a rejected token is an authentication failure',
    async (_name, entry) => {
      reply(entry)
      const error = await failureOf(entry)
      const isToken = entry.expect.state === 'authenticationError'
      expect(error?.failure === 'token-rejected').toBe(isToken)
      expect(['forbidden', 'rate-limited', 'rejected', 'unreachable']).toContain(error?.kind)
    },
  )

  test('part of a new mailbox is missing: the profile is temporarily unavailable', async () => {
    reply(named('item-not-found'))
    await expect(setup.api.profile(signal)).rejects.toMatchObject({ failure: 'unavailable' })
  })

  test.each(
    entries
      .filter((each) => each.expect.then === 'resync-folder')
      .map((each) => [each.name, each] as const),
  )('%s restarts the folder', async (_name, entry) => {
    reply(entry)
    expect(await failureOf(entry)).toMatchObject({
      failure: 'stale-cursor',
      warning: 'syncStateNotFound',
    })
  })

  test.each(
    entries
      .filter((each) => each.expect.then === 'renew-token')
      .map((each) => [each.name, each] as const),
  )('%s renews the token once', async (_name, entry) => {
    fake.mailbox.deliver({ raw: content, id: 'A=' })
    reply(entry, 1)
    const fresh: boolean[] = []
    const api = setup.create({
      access: {
        async login(options) {
          fresh.push(options.fresh)
          return { user: fake.mailbox.address, accessToken: 'token' }
        },
      },
    })
    await api.getMessage('A=', {}, signal)
    expect(fresh).toEqual([false, true])
    reply(entry)
    await expect(api.getMessage('A=', {}, signal)).rejects.toMatchObject({
      failure: 'token-rejected',
      code: 'OAuthTokenRejected',
    })
  })

  test('mime-too-long-200: the message is created in the structured format', async () => {
    reply(named('mime-too-long-200'), 1)
    const draft = await setup.api.depositDraft(content, {}, signal)
    expect(fake.mailbox.message(draft.id, true).content).toMatchObject({
      subject: 'a',
      internetMessageId: '<a@mail.example>',
    })
    expect(fake.server.requests('POST /messages').at(-1)?.body).toMatchObject({ subject: 'a' })
  })

  test('batch parts that failed temporarily or were not executed are sent again', async () => {
    const ids = ['B1=', 'B2=', 'B3=']
    for (const id of ids) fake.mailbox.deliver({ raw: content, id })
    const limited = {
      status: 429,
      headers: { 'retry-after': '0.5' },
      body: { error: { code: 'x', message: '' } },
    }
    remove.push(
      fake.server.on(
        'PATCH /messages/{message-id}',
        providerFaults.times(1, providerFaults.replies(limited)),
      ),
    )
    const notRun = { status: 424, body: { error: { code: 'FailedDependency', message: '' } } }
    remove.push(
      fake.server.on(
        'PATCH /messages/{message-id}',
        providerFaults.times(1, providerFaults.replies(notRun)),
      ),
    )
    const before = fake.server.log.length
    setup.pauses.length = 0
    // The client of another Graph account sends these requests, because the error entries slowed
    // down the first account.
    const api = setup.create({ access: { account: 'b' } })
    await api.updateMessages(ids, { flagged: true }, signal)
    expect(ids.map((id) => fake.mailbox.message(id, true).flagStatus)).toEqual(
      Array(3).fill('flagged'),
    )
    const sent = fake.server.log.slice(before).map(({ operation }) => operation)
    expect(sent.filter((each) => each === 'PATCH /messages/{message-id}')).toHaveLength(5)
    expect(setup.pauses).toEqual([500])
  })

  test('search-200-cut-json: the list is requested again', async () => {
    reply(named('search-200-cut-json'), 1)
    const page = await setup.api.listIds(
      { search: { body: 'hello' }, indexed: true },
      { limit: 5 },
      signal,
    )
    expect(page.entries).not.toEqual([])
  })

  test('folder-distinguished: special folders are refused', async () => {
    const inbox = fake.mailbox.folder('inbox').id
    await expect(setup.api.deleteFolder(inbox, signal)).rejects.toMatchObject({
      failure: 'refused',
    })
    reply(named('folder-distinguished'))
    await expect(setup.api.deleteFolder('F=', signal)).rejects.toMatchObject({
      failure: 'refused',
      status: 400,
    })
  })

  test('subscription-too-long: a shorter time is requested once', async () => {
    reply(named('subscription-too-long'), 1)
    const { expiresAt } = await setup.api.watch('secret', signal)
    expect(expiresAt.getTime()).toBe(fake.clock.now + 10_060 * 60_000)
    reply(named('subscription-too-long'))
    await expect(setup.api.watch('secret', signal)).rejects.toMatchObject({
      failure: 'watch-refused',
    })
  })

  test.each([
    [401, 'ServiceUnavailable', 'unavailable'],
    [403, 'TooManyRequests', 'unavailable'],
    [404, 'GatewayTimeout', 'unavailable'],
    [400, 'InternalServerError', 'unavailable'],
    [500, 'BadGateway', 'unavailable'],
    [401, 'Unauthorized', 'watch-refused'],
    [500, 'Forbidden', 'watch-refused'],
    [400, 'ServiceUnavailableForPlan', 'watch-refused'],
  ])(
    'ExtensionError with %i around %s: %s, and the token is not renewed',
    async (status, wrapped, failure) => {
      const text = `Operation: Create; Exception: [Status Code: ${wrapped}; Reason: x]`
      const body = { error: { code: 'ExtensionError', message: text } }
      reply({ ...named('subscription-backend'), status, body })
      const before = fake.server.log.length
      await expect(setup.api.watch('secret', signal)).rejects.toMatchObject({ failure })
      expect(fake.server.log).toHaveLength(before + 1)
    },
  )

  test.each([
    'POST /v1.0/me/messages/{draft}/send',
    'POST /v1.0/me/sendMail',
    'POST /v1.0/subscriptions',
    'GET /v1.0/me/mailFolders/{id}/messages/delta',
    'GET /v1.0/me/messages/{id}',
  ])('%s that is redirected: temporary failure, and the effect is unknown', async (request) => {
    const body = { error: { code: 'ErrorItemNotFound', message: 'Object moved' } }
    for (const status of [302, 307, 308])
      for (const each of ['', body]) {
        const headers = { location: 'https://login.example/' }
        const entry = { ...named('transient'), request, status, headers, body: each }
        reply(entry)
        expect(await failureOf(entry)).toMatchObject({ failure: 'unavailable', status })
        remove.pop()?.()
      }
  })

  test('subscription-get-fails: subscriptions are read from the list', async () => {
    const watch = await setup.api.watch('secret', signal)
    const listed = await setup.api.listWatches(signal)
    expect(listed?.map(({ id }) => id)).toContain(watch.id)
    expect(fake.server.requests('GET /subscriptions/{subscription-id}')).toEqual([])
  })
})
