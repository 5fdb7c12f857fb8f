import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { MailApiError } from '@posthorn/backends/mail-api'
import { syncAccount } from '@posthorn/contracts/commands/maintenance'
import { deleteMessage } from '@posthorn/contracts/commands/message-changes'
import { getMessage, getText, listMessages } from '@posthorn/contracts/commands/messages'
import { AppError } from '@posthorn/errors'
import { encodeApiTextId } from '@posthorn/message-id'
import { eventually } from '@posthorn/testkit'
import { sql } from 'kysely'
import { type ApiMailbox, type ApiWorld, apiWorld, mime } from './api-world.ts'
import { allShards } from './world.ts'

let world: ApiWorld
beforeAll(async () => (world = await apiWorld()))
afterEach(() => world.reset())
afterAll(() => world.close())

const monthMs = 30 * 86_400_000
const messageEvents = ['messageNew', 'messageUpdated', 'messageDeleted', 'mailboxReset']

const stateIs = (account: string, state: string) =>
  eventually(async () => {
    expect((await world.state(account))?.state).toBe(state)
  })
const announced = async (account: string) =>
  (await world.events(account, 'messageNew')).map(({ data }) => String(data['id']))

describe.each(['labels', 'folder'] as const)('account with placement %s', (placement) => {
  test('initial sync lists old messages without getting them, then announces new ones', async () => {
    const { account, model } = await world.registerApi(placement, {
      fill: (mailbox) => {
        const receivedAt = new Date(Date.now() - monthMs)
        for (let at = 0; at < 700; at++) mailbox.deliver(mime(`old ${at}`), { receivedAt })
      },
    })
    await world.startApiWorker()
    await world.connected(account)
    expect(model.api.calls.get('getMessages')).toBeUndefined()
    expect(model.api.calls.get('getMessage')).toBeUndefined()
    expect(await world.state(account)).toMatchObject({ lastError: null })

    const { id } = model.deliver(mime('new'))
    const [event] = await world.expectEvents(account, ['messageNew'], 1)
    const names = (await world.events(account)).map((each) => each.event)
    expect([...new Set(names)]).toEqual([
      'authenticationSuccess',
      'mailboxNew',
      'accountInitialized',
      'messageNew',
    ])
    expect(event?.data).toMatchObject({
      id,
      emailId: id,
      subject: 'new',
      from: { name: 'Ann', address: 'ann@example.com' },
      flags: [],
      unseen: true,
      seemsLikeNew: true,
      messageSpecialUse: '\\Inbox',
      preview: 'Hello',
    })
    expect(event?.path).toBe(placement === 'labels' ? '\\All' : 'Posteingang')
  })

  test('changes of another client: messageUpdated and messageDeleted', async () => {
    await world.startApiWorker()
    const { account, model } = await world.registerApi(placement)
    await world.connected(account)
    const { id } = model.deliver(mime('m'))
    await world.expectEvents(account, messageEvents, 1)
    model.change(id, { unseen: false })
    await world.expectEvents(account, messageEvents, 2)
    model.remove(id)
    const events = await world.expectEvents(account, messageEvents, 3)
    expect(events.map(({ event, data }) => [event, data['id']])).toEqual([
      ['messageNew', id],
      ['messageUpdated', id],
      ['messageDeleted', id],
    ])
    expect(events[2]?.data).toMatchObject({ flags: ['\\Seen'] })
  })

  test('stale cursor: syncWarning and each difference once, no mailboxReset', async () => {
    await world.startApiWorker()
    const { account, model } = await world.registerApi(placement)
    const first = model.deliver(mime('1')).id
    await world.connected(account)
    await world.expectEvents(account, messageEvents, 1)
    const second = model.deliver(mime('2')).id
    model.store.expireHistory()
    await eventually(async () => expect(await announced(account)).toEqual([first, second]))
    const { rows } = await sql<{ type: string; key: string }>`
      select type, key from account_changes where account = ${account} and type = 'syncWarning'
    `.execute(world.db)
    expect(rows.length).toBeGreaterThan(0)
    expect(await world.events(account, 'mailboxReset')).toEqual([])
  })

  test('lost index: mailboxReset with syncStateLost, old messages are not announced', async () => {
    const worker = await world.startApiWorker()
    const { account, model } = await world.registerApi(placement)
    await world.connected(account)
    // The message is a minute old, because messages that arrive in the second of the index loss
    // count as later messages.
    model.deliver(mime('1'), { receivedAt: new Date(Date.now() - 60_000) })
    await world.expectEvents(account, ['messageNew'], 1)
    await world.stopWorker(worker)
    await sql`delete from api_mailboxes where account = ${account}`.execute(world.db)
    await world.startApiWorker()
    const [reset] = await world.expectEvents(account, ['mailboxReset'], 1)
    expect(reset?.data).toMatchObject({ reason: 'syncStateLost' })
    expect(reset?.data).not.toHaveProperty('prevUidValidity')
    const { id } = model.deliver(mime('2'))
    await eventually(async () => expect((await announced(account)).at(-1)).toBe(id))
    expect(await announced(account)).toHaveLength(2)
  })

  test('a crash at any request of the initial sync loses and repeats nothing', async () => {
    const { account, model } = await world.registerApi(placement, {
      feedFaults: { maxPage: 20 },
      fill: (mailbox) => {
        // The messages arrive later than the registration of the account, so that they are
        // announced.
        const receivedAt = new Date(Date.now() + 60_000)
        for (let at = 0; at < 90; at++) mailbox.deliver(mime(`m ${at}`), { receivedAt })
      },
    })
    let calls = 0
    model.onCall = ({ phase }) => {
      if (phase === 'after' && calls++ % 11 === 10) throw new Error('crash')
    }
    await world.startApiWorker()
    const expected = [...model.store.messages.keys()].sort()
    await eventually(async () => expect((await announced(account)).toSorted()).toEqual(expected))
  })

  test('transfer between two workers: each message is announced once', async () => {
    // World with all shards, of which a second worker gets half.
    await using stack = new AsyncDisposableStack()
    const all = stack.adopt(await apiWorld(allShards), (each) => each.close())
    const announcedIn = async (account: string) =>
      (await all.events(account, 'messageNew')).map(({ data }) => data['id'])
    const old = await all.startApiWorker()
    const mailboxes = await Promise.all(Array.from({ length: 6 }, () => all.registerApi(placement)))
    for (const { account } of mailboxes) await all.connected(account)
    const ids = mailboxes.map(() => [] as string[])
    const deliver = () =>
      mailboxes.forEach(({ model }, at) => ids[at]?.push(model.deliver(mime('m')).id))
    deliver()
    await all.startApiWorker()
    for (let round = 0; round < 5; round++) {
      deliver()
      await eventually(async () => {
        const [first] = mailboxes
        expect((await announcedIn(first?.account ?? '')).length).toBeGreaterThan(round)
      })
    }
    const stopping = all.stopWorker(old)
    deliver()
    await stopping
    deliver()
    for (const [at, { account }] of mailboxes.entries())
      await eventually(async () => expect(await announcedIn(account)).toEqual(ids[at]))
  })
})

describe('states', () => {
  test('rejected credentials: authenticationError, then authenticationSuccess', async () => {
    await world.startApiWorker()
    const { account } = await world.registerApi('labels')
    await world.connected(account)
    const code = 'TokenGenerationError'
    world.credentials.set(account, new AppError('rejected', 'invalid_grant', { code }))
    await world.touch(account)
    await stateIs(account, 'authenticationError')
    // The worker applies the new account state to commands shortly after the state was stored.
    await eventually(() =>
      expect(
        world.ask(listMessages, account, { path: 'INBOX', page: 0, pageSize: 1 }),
      ).rejects.toMatchObject({ kind: 'unavailable', code: 'AuthenticationFails' }),
    )
    world.setToken(account, 'token-1')
    await world.connected(account)
    const names = ['authenticationSuccess', 'authenticationError', 'connectError']
    expect((await world.events(account, ...names)).map(({ event }) => event)).toEqual([
      'authenticationSuccess',
      'authenticationError',
      'authenticationSuccess',
    ])
  })

  test('a token rejected after its renewal: authenticationError OAuthTokenRejected', async () => {
    await world.startApiWorker()
    const mailbox = await world.registerApi('folder')
    const { account } = mailbox
    await world.connected(account)
    mailbox.token = 'another'
    await stateIs(account, 'authenticationError')
    expect((await world.state(account))?.lastError).toMatchObject({
      serverResponseCode: 'OAuthTokenRejected',
      response: 'Invalid Credentials',
    })
    mailbox.token = 'token-1'
    await world.connected(account)
  })

  test.each(['unavailable', 'access-denied', 'mailbox-disabled', 'unlicensed', 'refused'] as const)(
    'the profile fails with %s: connectError, then connected',
    async (failure) => {
      await world.startApiWorker()
      const { account, model } = await world.registerApi('folder', {
        fill: (mailbox) => mailbox.failNext(failure, { status: 403 }),
      })
      await world.expectEvents(account, ['connectError'], 1)
      await world.connected(account)
      expect(model.api.calls.get('profile')).toBeGreaterThan(0)
    },
  )

  test('a rate limit of the provider delays passes and is no error of the account', async () => {
    await world.startApiWorker()
    const { account, model } = await world.registerApi('labels', {
      fill: (mailbox) => {
        mailbox.failNext('rate-limited', { retryAfterMs: 100 })
        mailbox.failNext('rate-limited', { retryAfterMs: 100 })
      },
    })
    await world.connected(account)
    model.failNext('rate-limited', { retryAfterMs: 100 })
    const { id } = model.deliver(mime('m'))
    await eventually(async () => expect(await announced(account)).toEqual([id]))
    expect(await world.events(account, 'connectError', 'authenticationError')).toEqual([])
  })
})

test('path of the account: INBOX is the localized inbox, an unknown one is the syncError', async () => {
  const path = ['INBOX', 'Nowhere']
  const { account, model } = await world.registerApi('folder', { path })
  await world.startApiWorker()
  await world.connected(account)
  const { id } = model.deliver(mime('new'))
  await world.expectEvents(account, ['messageNew'], 1)
  expect(await announced(account)).toEqual([id])
  expect(await world.state(account)).toMatchObject({
    state: 'connected',
    syncError: { path: 'Nowhere', error: 'The folder does not exist' },
  })
  model.store.addFolder({ id: 'own', path: ['Nowhere'], editable: true, assignable: true })
  await eventually(async () => {
    expect(await world.state(account)).toMatchObject({ syncError: null })
  })
})

describe('tokens and polls', () => {
  test('a token serves many requests; after its rejection, concurrent requests renew it once', async () => {
    await world.startApiWorker({ apiPollMs: 3_600_000 })
    const mailbox = await world.registerApi('labels')
    const { account } = mailbox
    await world.connected(account)
    const requestsOf = () =>
      world.credentialRequests.filter((request) => request.account === account)
    const list = () => world.ask(listMessages, account, { path: 'INBOX', page: 0, pageSize: 1 })
    await Promise.all(Array.from({ length: 20 }, list))
    expect(requestsOf()).toEqual([
      { account, protocol: 'api', entitlement: { worker: expect.anything() } },
    ])
    mailbox.token = 'token-2'
    world.setToken(account, 'token-2')
    await Promise.all(Array.from({ length: 20 }, list))
    expect(requestsOf().map(({ fresh }) => fresh)).toEqual([undefined, true])
  })

  test('a token is requested again shortly before its expiry', async () => {
    const { account } = await world.registerApi('labels')
    const expires = new Date(Date.now() - 1_000).toISOString()
    const login = { user: 'jane@mail.example', accessToken: 'token-1', application: 'app' }
    world.credentials.set(account, { ...login, expires })
    await world.startApiWorker({ apiPollMs: 3_600_000 })
    await world.connected(account)
    const before = world.credentialRequests.length
    await world.ask(listMessages, account, { path: 'INBOX', page: 0, pageSize: 1 })
    expect(world.credentialRequests.length).toBeGreaterThan(before)
  })

  test('syncAccount starts a pass before the next poll', async () => {
    await world.startApiWorker({ apiPollMs: 3_600_000 })
    const { account, model } = await world.registerApi('labels')
    await world.connected(account)
    const { id } = model.deliver(mime('m'))
    await world.ask(syncAccount, account, {})
    await eventually(async () => expect(await announced(account)).toEqual([id]))
  })

  test('two accounts of one application have nothing in common', async () => {
    await world.startApiWorker()
    const [one, other] = [await world.registerApi('labels'), await world.registerApi('labels')]
    const ids = [one, other].map(({ model }) => model.deliver(mime('secret')).id)
    for (const { account } of [one, other]) {
      await world.connected(account)
      await world.expectEvents(account, ['messageNew'], 1)
    }
    expect([await announced(one.account), await announced(other.account)]).toEqual([
      [ids[0]],
      [ids[1]],
    ])
    const listed = await world.ask(listMessages, other.account, {
      path: 'INBOX',
      page: 0,
      pageSize: 5,
    })
    expect(listed.messages.map(({ id }) => id)).toEqual([ids[1]])
    const [foreign = ''] = ids
    const requests = [
      () => world.ask(getMessage, other.account, { message: foreign }),
      () => world.ask(getText, other.account, { text: encodeApiTextId(foreign), textType: '*' }),
      () => world.ask(deleteMessage, other.account, { message: foreign, force: true }),
    ]
    for (const request of requests)
      await expect(request()).rejects.toMatchObject({ code: 'MessageNotFound' })
    expect(one.model.message(foreign)).toBeDefined()
  })
})

test('a new registration at another mailbox: commands do not use the folders of the earlier one', async () => {
  const own = { editable: true, assignable: true }
  const fill = ({ store }: ApiMailbox['model']) =>
    store.addFolder({ ...own, id: 'Label_5', path: ['Work'] })
  const { account, model } = await world.registerApi('labels', { fill })
  await world.startApiWorker()
  await world.connected(account)
  const list = async () => {
    const path = { path: 'Work', page: 0, pageSize: 5 }
    return (await world.ask(listMessages, account, path)).messages.map(({ id }) => id)
  }
  model.deliver(mime('one'), { folderId: 'Label_5' })
  expect(await list()).toHaveLength(1)
  // The other mailbox at the mail API has a different label with the same id.
  model.store.addFolder({ ...own, id: 'Label_5', path: ['Private'] })
  model.store.addFolder({ ...own, id: 'Label_6', path: ['Work'] })
  const { id } = model.deliver(mime('two'), { folderId: 'Label_6' })
  const logins = model.api.calls.get('profile') ?? 0
  await world.touch(account)
  await eventually(() => expect(model.api.calls.get('profile')).toBeGreaterThan(logins))
  expect(await list()).toEqual([id])
})

test('errors of the provider: unavailable is 503, a rate limit has a ttl', async () => {
  await world.startApiWorker()
  const { account, model } = await world.registerApi('labels')
  await world.connected(account)
  const failing = async (...error: ConstructorParameters<typeof MailApiError>) => {
    model.onCall = ({ method, phase }) => {
      if (method === 'listMessages' && phase === 'before') throw new MailApiError(...error)
    }
    return world.ask(listMessages, account, { path: 'INBOX', page: 0, pageSize: 1 })
  }
  // A test may read an account state from Postgres before the worker has the response to its
  // transaction.
  await eventually(() =>
    expect(failing('unavailable', 'down')).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'IMAPUnavailable',
      extras: { state: 'connected' },
    }),
  )
  await expect(failing('rate-limited', 'many', { retryAfterMs: 7_000 })).rejects.toMatchObject({
    kind: 'rate-limited',
    extras: { ttl: 7 },
  })
  await expect(
    failing('refused', 'exists', { status: 409, passesStatus: true }),
  ).rejects.toMatchObject({ kind: 'provider', status: 409 })
  await expect(failing('token-rejected', 'no')).rejects.toMatchObject({
    kind: 'forbidden',
    code: 'OAuthTokenRejected',
  })
})
