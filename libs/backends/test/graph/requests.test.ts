import { describe, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { faultResponse } from '@posthorn/testkit/graph-fake'
import { DeliveryGate, providerFaults } from '@posthorn/testkit/providers'
import { mail, signal } from '../mail-api/environment.ts'
import { ProviderLimiter } from '../../src/provider-limits/provider-limiter.ts'
import { defaultProviderLimits } from '../../src/provider-limits/provider-limits.ts'
import { lendsAlways, startGraph } from './environment.ts'

const raw = (subject: string) => Buffer.from(mail(subject))
const html = `From: ann@mail.example\r\nTo: bob@mail.example\r\nSubject: h\r\nMIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n<p>text</p>\r\n`

describe('graph requests', () => {
  test('counts: new message with text 2, flags 1, labels 2, move 1, sent message 3 at most', async () => {
    await using setup = await startGraph()
    const { fake, api } = setup
    const { mailbox } = fake
    const id = mailbox.folder('inbox').id
    const feed = { id, folderId: id }
    let { cursor } = await api.changes(feed, { limit: 500 }, signal)
    const count = async (work: () => Promise<unknown>) => {
      const before = fake.server.log.length
      await work()
      return fake.server.log.length - before
    }
    const message = mailbox.deliver({ raw: Buffer.from(html) })
    const arrival = await count(async () => {
      const page = await api.changes(feed, { cursor, limit: 500 }, signal)
      const options = { headers: true, attachments: true, maxTextBytes: 1_000 }
      const [read] = await api.getMessages([page.changed[0]?.id ?? ''], options, signal)
      expect(read?.texts).toEqual({ plain: 'text', html: expect.stringContaining('<p>text</p>') })
      ;({ cursor } = page)
    })
    expect(arrival).toBe(2)
    expect(await count(() => api.updateMessages([message.id], { unseen: false }, signal))).toBe(1)
    expect(await count(() => api.updateMessages([message.id], { addLabels: ['x'] }, signal))).toBe(
      2,
    )
    const to = mailbox.folder('drafts').id
    expect(await count(() => api.moveMessages([message.id], { to }, signal))).toBe(1)
    const sent = await count(async () => {
      const draft = await api.depositDraft(raw('a'), {}, signal)
      await api.releaseDraft(draft.id, signal)
      expect(await api.findSent(draft, signal)).toMatchObject({ id: draft.id })
    })
    expect(sent).toBe(3)
  })

  test('headers: every request and part of a batch asks for immutable ids and has an own id', async () => {
    await using setup = await startGraph()
    const { fake, api } = setup
    const ids = ['a', 'b', 'c', 'd'].map((each) => fake.mailbox.deliver({ raw: raw(each) }).id)
    await api.folders(signal)
    await api.getMessages(ids, { attachments: true }, signal)
    await api.updateMessages(ids, { flagged: true }, signal)
    await api.listIds({ search: { subject: 'a' } }, { limit: 1 }, signal)
    await api.watch('secret', signal)
    const source = await api.downloadSource(ids[0] ?? '', signal)
    await Array.fromAsync(source.content)
    for (const { headers, operation } of fake.server.log)
      expect([operation, headers['prefer']]).toEqual([
        operation,
        expect.stringContaining('IdType="ImmutableId"'),
      ])
    const own = fake.server.log.map(({ headers }) => headers['client-request-id']).filter(Boolean)
    expect(new Set(own).size).toBe(own.length)
    for (const { path } of fake.server.log)
      expect(path).toMatch(/^\/v1\.0\/(?:users\/ann(?:@|%40)mail\.example\/|subscriptions|\$batch)/)
  })

  test('batches: at most 4 parts, never more than 4 requests at a time with those of the sender', async () => {
    await using setup = await startGraph()
    const { fake, api } = setup
    const limits = {
      limits: defaultProviderLimits,
      service: 'sender' as const,
      replicas: () => 1,
      source: lendsAlways,
    }
    const sender = setup.create({ deps: { limiter: new ProviderLimiter(limits) } })
    const ids = Array.from({ length: 20 }, (_, n) => fake.mailbox.deliver({ raw: raw(`m${n}`) }).id)
    const [one, two, three] = [ids.slice(0, 7), ids.slice(7, 14), ids.slice(14)]
    const gate = new DeliveryGate()
    fake.server.on('POST /messages', providerFaults.holds(gate))
    const held = sender.depositDraft(raw('draft'), {}, signal)
    await eventually(async () => expect(gate.waiting).toBe(1))
    await api.updateMessages(one, { flagged: true }, signal)
    gate.open()
    await held
    await Promise.all([
      api.updateMessages(one, { flagged: true }, signal),
      api.getMessages(two, {}, signal),
      api.updateMessages(three, { unseen: false }, signal),
      ...ids.map(() => sender.depositDraft(raw('draft'), {}, signal)),
      ...ids.map((id) => api.getMessage(id, {}, signal)),
    ])
    const batches = fake.server.requests('POST /$batch')
    const sizes = batches.map(({ body }) => (body as { requests: unknown[] }).requests.length)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(4)
    expect(fake.concurrency.most.get(fake.mailbox.address)).toBe(4)
    expect(fake.server.log.filter(({ status }) => status === 429)).toEqual([])
  })

  test('ErrorTooManyObjectsOpened: requests are single for 60 s, then batches again', async () => {
    await using setup = await startGraph()
    const { fake } = setup
    let now = 0
    const limits = { limits: defaultProviderLimits, service: 'sync-worker' as const }
    const limiter = new ProviderLimiter({ ...limits, replicas: () => 1, clock: () => now })
    limiter.pause = () => undefined
    const api = setup.create({ deps: { limiter } })
    const ids = Array.from({ length: 9 }, (_, n) => fake.mailbox.deliver({ raw: raw(`m${n}`) }).id)
    const move = () => api.moveMessages(ids, { to: fake.mailbox.folder('junkemail').id }, signal)
    const tooMany = faultResponse(429, 'ErrorTooManyObjectsOpened')
    const fault = providerFaults.times(1, providerFaults.replies(tooMany))
    fake.server.on('POST /messages/{message-id}/move', fault)
    const sizes = () => {
      const sent = fake.server.log.splice(0)
      const bodies = sent.flatMap(({ operation, body }) =>
        operation === 'POST /$batch' ? [(body as { requests: unknown[] }).requests.length] : [],
      )
      return bodies
    }
    await move()
    expect(sizes()).toEqual([3, 1])
    now += 59_999
    await Promise.all([move(), api.updateMessages(ids, { flagged: true }, signal)])
    expect(sizes()).toEqual([])
    now += 1
    await move()
    expect(sizes()).toEqual([3, 3, 3])
    expect(fake.mailbox.list(fake.mailbox.folder('junkemail').id)).toHaveLength(9)
  })

  test('batches: a batch waits until as many requests may run as it has parts', async () => {
    await using setup = await startGraph()
    const { fake, api } = setup
    const ids = ['a', 'b', 'c'].map((each) => fake.mailbox.deliver({ raw: raw(each) }).id)
    const limits = {
      limits: defaultProviderLimits,
      service: 'sender' as const,
      replicas: () => 1,
      source: lendsAlways,
    }
    const sender = setup.create({ deps: { limiter: new ProviderLimiter(limits) } })
    const gate = new DeliveryGate()
    fake.server.on('GET /messages/{message-id}', providerFaults.holds(gate))
    const read = api.getMessage(ids[0] ?? '', {}, signal)
    await eventually(async () => expect(gate.waiting).toBe(1))
    const update = api.updateMessages(ids, { flagged: true }, signal)
    // The Graph requests of another process take long enough for the batch to arrive, if the batch
    // were sent.
    for (let count = 0; count < 5; count++) await sender.depositDraft(raw('draft'), {}, signal)
    expect(fake.server.requests('POST /$batch')).toEqual([])
    gate.open()
    await Promise.all([read, update])
    expect(fake.server.requests('POST /$batch')).toHaveLength(1)
  })

  test('changeLabels: changed in between by another client, both changes remain', async () => {
    await using setup = await startGraph()
    const { fake, api } = setup
    const message = fake.mailbox.deliver({ raw: raw('a') })
    let isFirst = true
    fake.server.on('PATCH /messages/{message-id}', () => {
      if (isFirst) {
        message.categories = ['other']
        fake.mailbox.touch(message, ['categories'])
      }
      isFirst = false
      return undefined
    })
    await api.updateMessages([message.id], { addLabels: ['own'], unseen: false }, signal)
    expect(message).toMatchObject({ categories: ['other', 'own'], isRead: true })
  })

  test('ids of the other kind do not exist', async () => {
    await using setup = await startGraph()
    const { fake, api } = setup
    const { restId } = fake.mailbox.deliver({ raw: raw('a') })
    await expect(api.getMessage(restId, {}, signal)).rejects.toMatchObject({
      failure: 'message-missing',
    })
    await expect(api.getMessage('..', {}, signal)).rejects.toMatchObject({
      failure: 'message-missing',
    })
    expect(fake.server.log).toHaveLength(1)
  })

  test('mailbox of the token: every request, part of a batch and subscription uses /me', async () => {
    await using setup = await startGraph()
    const { fake } = setup
    // The name of the mailbox's user in the Microsoft directory may differ from the email address
    // of the login.
    const login = async () => ({ user: 'alias@mail.example', accessToken: 'token', own: true })
    const api = setup.create({ access: { login } })
    const ids = ['a', 'b'].map((each) => fake.mailbox.deliver({ raw: raw(each) }).id)
    expect(await api.profile(signal)).toEqual({ address: 'alias@mail.example' })
    await api.folders(signal)
    await api.updateMessages(ids, { flagged: true }, signal)
    const inbox = fake.mailbox.folder('inbox').id
    await api.changes({ id: inbox, folderId: inbox }, { limit: 1 }, signal)
    await api.watch('secret', signal)
    expect([...fake.subscriptions.values()]).toMatchObject([{ resource: '/me/messages' }])
    for (const { path } of fake.server.log)
      expect(path).toMatch(/^\/v1\.0\/(?:me\/|subscriptions$|\$batch$)/)
  })

  test('shared mailbox: requests go to its address', async () => {
    await using setup = await startGraph({ mailboxes: ['ann@mail.example', 'team@mail.example'] })
    const team = setup.fake.mailboxes[1]
    const { id = '' } = team?.deliver({ raw: raw('shared') }) ?? {}
    setup.fake.faults.appOnly = true
    const login = async () => ({ user: 'team@mail.example', accessToken: 'token' })
    const api = setup.create({ access: { login } })
    expect(await api.getMessage(id, {}, signal)).toMatchObject({ envelope: { subject: 'shared' } })
    await expect(setup.api.getMessage(id, {}, signal)).rejects.toMatchObject({
      failure: 'message-missing',
    })
  })

  test('502 with HTML and a reset connection are repeated, a cut page too', async () => {
    await using setup = await startGraph()
    const { fake, api } = setup
    const { id } = fake.mailbox.deliver({ raw: raw('a') })
    const page = {
      status: 502,
      headers: { 'content-type': 'text/html' },
      body: '<h1>Bad gateway</h1>',
    }
    for (const fault of [
      providerFaults.deviates(page),
      providerFaults.resets(),
      providerFaults.truncatesAfter(20),
    ]) {
      fake.server.on('*', providerFaults.times(1, fault))
      expect(await api.getMessage(id, {}, signal)).toMatchObject({ id })
    }
  })
})
