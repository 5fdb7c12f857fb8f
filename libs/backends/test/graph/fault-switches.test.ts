import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { describe, expect, test } from '@jest/globals'
import { faultResponse } from '@posthorn/testkit/graph-fake'
import { providerFaults } from '@posthorn/testkit/providers'
import { mail, signal } from '../mail-api/environment.ts'
import { startGraph } from './environment.ts'

// Tests of irregular behaviour of the Graph fake that no other test of the Graph client uses.

const raw = (subject: string) => Buffer.from(mail(subject))

interface ChangeNotification {
  changeType?: string
  lifecycleEvent?: string
  resourceData?: { id: string }
}

/** Graph fake with a subscription, and the change notifications that the fake sends. */
async function subscribed() {
  await using stack = new AsyncDisposableStack()
  const setup = stack.use(await startGraph({ handshakes: false }))
  const received: ChangeNotification[] = []
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      received.push(...(body as { value: ChangeNotification[] }).value)
      response.writeHead(202).end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  stack.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const findUrls = async () => ({ changes: url, lifecycle: url })
  const api = setup.create({ deps: { findUrls } })
  const watch = await api.watch('secret', signal)
  const owned = stack.move()
  return {
    ...setup,
    api,
    watch,
    received,
    ids: () => received.map(({ resourceData }) => resourceData?.id),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

describe('notifications of the Graph fake', () => {
  test('an arrival is created and updated; a fifth is lost, or all are sent twice', async () => {
    await using setup = await subscribed()
    const { fake, received, ids } = setup
    const deliver = () => fake.mailbox.deliver({ raw: raw('m') }).id
    const first = deliver()
    await fake.notifications.send()
    expect(received.map(({ changeType }) => changeType)).toEqual(['created', 'updated'])
    expect(new Set(ids())).toEqual(new Set([first]))
    received.length = 0
    fake.notifications.faults.losesFifth = true
    for (let count = 0; count < 5; count++) deliver()
    await fake.notifications.send()
    expect(received).toHaveLength(8)
    received.length = 0
    Object.assign(fake.notifications.faults, { losesFifth: false, duplicates: true })
    deliver()
    await fake.notifications.send()
    expect(received).toHaveLength(4)
  })

  test('a message is announced before it can be read', async () => {
    await using setup = await subscribed()
    setup.fake.notifications.faults.hiddenReads = 1
    const { id } = setup.fake.mailbox.deliver({ raw: raw('m') })
    await setup.fake.notifications.send()
    expect(setup.ids()).toContain(id)
    const read = () => setup.api.getMessage(id, {}, signal)
    await expect(read()).rejects.toMatchObject({ failure: 'message-missing' })
    expect(await read()).toMatchObject({ id })
  })

  test('more than 25 moves are one missed event; a storm of events; removal', async () => {
    await using setup = await subscribed()
    const { fake, api, received } = setup
    const ids = Array.from({ length: 26 }, () => fake.mailbox.deliver({ raw: raw('m') }).id)
    await fake.notifications.send()
    received.length = 0
    await api.moveMessages(ids, { to: fake.mailbox.folder('junkemail').id }, signal)
    await fake.notifications.send()
    expect(received).toMatchObject([{ lifecycleEvent: 'missed' }])
    received.length = 0
    await fake.notifications.lifecycle(fake.mailbox, 'reauthorizationRequired', 20)
    expect(received).toHaveLength(20)
    await fake.notifications.lifecycle(fake.mailbox, 'subscriptionRemoved')
    expect(received.at(-1)).toMatchObject({ lifecycleEvent: 'subscriptionRemoved' })
    expect(await api.listWatches(signal)).toEqual([])
  })
})

describe('subscriptions of the Graph fake', () => {
  test.each(['removed silently', 'expired'])('%s: cannot be renewed', async (how) => {
    await using setup = await subscribed()
    const { fake, api, watch } = setup
    if (how === 'expired') fake.clock.advance(3 * 86_400_000 + 1)
    else fake.subscriptions.clear()
    await expect(api.renewWatch(watch.id, signal)).rejects.toMatchObject({
      failure: 'watch-missing',
    })
    expect(await api.listWatches(signal)).toEqual([])
  })

  test('refused: SubscriptionSetupError', async () => {
    await using setup = await startGraph()
    setup.fake.faults.refusesSubscriptions = true
    await expect(setup.api.watch('secret', signal)).rejects.toMatchObject({
      failure: 'watch-refused',
      code: 'SubscriptionSetupError',
    })
  })
})

describe('responses of the Graph fake', () => {
  test('folder deleted during a round: its feed fails with folder-missing', async () => {
    await using setup = await startGraph()
    const { fake, api } = setup
    const { id } = fake.mailbox.addFolder({ name: 'short-lived' })
    for (let count = 0; count < 3; count++) fake.mailbox.deliver({ raw: raw('m'), folderId: id })
    fake.delta.faults.maxPage = 1
    const feed = { id, folderId: id }
    const { cursor } = await api.changes(feed, { limit: 1 }, signal)
    fake.mailbox.deleteFolder(fake.mailbox.folder(id))
    fake.mailbox.deleteFolder(fake.mailbox.folder(id))
    await expect(api.changes(feed, { cursor, limit: 1 }, signal)).rejects.toMatchObject({
      failure: 'folder-missing',
    })
  })

  test.each([
    ['0.5', 500],
    ['120', 120_000],
    ['a date', 30_000],
    [undefined, 0],
  ])('429 with Retry-After %s: the mailbox is paused for that time', async (header, pauseMs) => {
    await using setup = await startGraph()
    const { fake, pauses } = setup
    const { id } = fake.mailbox.deliver({ raw: raw('m') })
    const time = header === 'a date' ? new Date(Date.now() + 30_000).toUTCString() : header
    const headers = time === undefined ? {} : { 'retry-after': time }
    const response = { ...faultResponse(429, 'TooManyRequests'), headers }
    fake.server.on('*', providerFaults.times(1, providerFaults.replies(response)))
    // A Graph client whose API caller has little time left reports a long retry delay instead of
    // waiting.
    const api = setup.create({ use: { priority: 'caller', timeoutMs: 60_000 } })
    const read = await api.getMessage(id, {}, signal).catch((error: unknown) => error)
    if (pauseMs > 60_000) expect(read).toMatchObject({ failure: 'rate-limited' })
    else expect(read).toMatchObject({ id })
    expect(pauses).toHaveLength(1)
    // A date in Graph's header `Retry-After` has a precision of seconds.
    expect(Math.abs((pauses[0] ?? 0) - pauseMs)).toBeLessThanOrEqual(
      header === 'a date' ? 30_000 : 0,
    )
  })

  test('mailbox is full: QuotaExceeded; message above the limit of the mailbox: MessageTooLarge', async () => {
    await using setup = await startGraph()
    const { fake, api } = setup
    const draft = await api.depositDraft(raw('a'), {}, signal)
    fake.faults.maxSentBytes = 10
    await expect(api.releaseDraft(draft.id, signal)).rejects.toMatchObject({
      failure: 'too-large',
      code: 'MessageTooLarge',
    })
    fake.faults.full = true
    await expect(api.depositDraft(raw('b'), {}, signal)).rejects.toMatchObject({
      failure: 'mailbox-full',
      code: 'QuotaExceeded',
    })
  })

  test('token endpoint: tokens of any tenant, AADSTS errors; 401 once, then permanently', async () => {
    await using setup = await startGraph()
    const { fake } = setup
    fake.tokens.accepted = new Set()
    const request = async (tenant: string) => {
      const url = `${fake.server.origin}/${tenant}/oauth2/v2.0/token`
      const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'r' })
      const response = await fetch(url, { method: 'POST', body })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    }
    const { body } = await request('contoso.example')
    const tokens = { old: 'expired', new: String(body['access_token']) }
    const login = async ({ fresh }: { fresh: boolean }) => {
      const accessToken = fresh ? tokens.new : tokens.old
      return { user: fake.mailbox.address, accessToken }
    }
    const api = setup.create({ access: { login } })
    expect(await api.profile(signal)).toMatchObject({ address: fake.mailbox.address })
    tokens.new = 'revoked'
    await expect(api.profile(signal)).rejects.toMatchObject({ failure: 'token-rejected' })
    fake.tokens.failure = 700082
    expect(await request('common')).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant', error_codes: [700082] },
    })
  })
})
