import { randomBytes } from 'node:crypto'
import { afterAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { createApiApps, startProviderFakes } from '../provider-fakes.ts'
import { freshMessageId, plainMessage, startWorld, untilConnected, type Webhook } from '../world.ts'

// Accounts at Gmail and Microsoft Graph, from the registration of an application to sent messages.

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const graphMailbox = 'ann@contoso.example'
const gmailMailbox = 'jane@workspace.example'
const fakes = stack.use(await startProviderFakes({ mailboxes: [graphMailbox], handshakes: false }))
const world = stack.use(
  await startWorld({ replicas: { 'sync-worker': 2, sender: 2 }, env: fakes.env }),
)
const { posthorn } = world
const apps = await createApiApps(world)
const { gmail, graph } = fakes
const atGmail = gmail.addMailbox(gmailMailbox)
const source = (subject: string) => plainMessage({ messageId: freshMessageId(), subject })

/** Mailbox of each mail provider, with functions that act as another client of the provider. */
const mailboxes = {
  gmail: {
    address: gmailMailbox,
    deliver: (raw: string) => atGmail.deliver(raw).id,
    isUnread: (id: string) => atGmail.getMessage(id).labels.has('UNREAD'),
    sent: () => gmail.sent.map(({ raw }) => raw.toString()),
    sentThreads: (mark: string) =>
      atGmail.list
        .filter(({ labels, raw }) => labels.has('SENT') && raw.toString().includes(mark))
        .map(({ threadId }) => threadId),
  },
  graph: {
    address: graphMailbox,
    deliver: (raw: string) => graph.mailbox.deliver({ raw: Buffer.from(raw) }).id,
    isUnread: (id: string) => !graph.mailbox.message(id, true).isRead,
    sent: () => graph.mailbox.sent.map((raw) => raw.toString()),
    sentThreads: (mark: string) =>
      graph.mailbox
        .list(graph.mailbox.folder('sentitems').id)
        .filter(({ content }) => content.body.content.includes(mark))
        .map(({ conversationId }) => conversationId),
  },
}
type Provider = keyof typeof mailboxes

/** Registers the account of a mailbox. A mailbox can have only one account. */
const connect = once(async (provider) => {
  const account = `${provider}-${randomBytes(4).toString('hex')}`
  const auth = { user: mailboxes[provider].address }
  const body = { account, name: 'Jane', oauth2: { provider: apps[provider], auth } }
  await posthorn.createAccount({ body })
  await untilConnected(world, account)
  return account
})

function once(register: (provider: Provider) => Promise<string>) {
  const accounts = new Map<Provider, Promise<string>>()
  return (provider: Provider): Promise<string> => {
    const account = accounts.get(provider) ?? register(provider)
    accounts.set(provider, account)
    return account
  }
}

const event = (account: string, name: string, match: (data: Webhook['data']) => boolean) =>
  world.webhook((hook) => hook.account === account && hook.event === name && match(hook.data))

test.each<Provider>(['gmail', 'graph'])(
  'an account at %s: existing mail is listed, new mail announced, changed and answered',
  async (provider) => {
    const { deliver, isUnread, sent } = mailboxes[provider]
    const old = deliver(source('before the registration'))
    const account = await connect(provider)
    const listed = await posthorn.listMessages({ account, path: 'INBOX' })
    expect(listed).toMatchObject({ messages: [{ id: old }] })

    const arrived = deliver(source('hello'))
    const { data } = await event(account, 'messageNew', ({ id }) => id === arrived)
    expect(data).toMatchObject({ subject: 'hello', messageSpecialUse: '\\Inbox' })
    const message = { account, message: arrived }
    const read = await posthorn.getMessage({ ...message, textType: '*' })
    expect(read.text?.plain).toContain('It is on its way.')

    await posthorn.updateMessage({ ...message, body: { flags: { add: ['\\Seen'] } } })
    expect(isUnread(arrived)).toBe(false)
    const updated = await event(account, 'messageUpdated', ({ id }) => id === arrived)
    expect(updated.data.changes.flags.added).toEqual(['\\Seen'])

    const queued = await posthorn.submitMessage({
      account,
      body: { text: 'thanks', reference: { message: arrived, action: 'reply' } },
    })
    expect(queued.queueId).toEqual(expect.any(String))
    await event(account, 'messageSent', ({ queueId }) => queueId === queued.queueId)
    expect(sent().filter((raw) => raw.includes('thanks'))).toHaveLength(1)
    const early = world.webhooks().filter((hook) => hook.account === account)
    expect(early.filter(({ data }) => data.id === old)).toEqual([])
  },
)

test.each<Provider>(['gmail', 'graph'])(
  'an account at %s: a stored reply is sent itself, once and in its thread',
  async (provider) => {
    const { deliver, sent, sentThreads } = mailboxes[provider]
    const account = await connect(provider)
    const original = deliver(source('question'))
    await event(account, 'messageNew', ({ id }) => id === original)
    const mark = `answer ${randomBytes(4).toString('hex')}`
    const { id: message = '' } = await posthorn.uploadMessage({
      account,
      body: {
        path: '\\Drafts',
        flags: ['\\Draft'],
        text: mark,
        reference: { message: original, action: 'reply' },
      },
    })
    const draft = await posthorn.getMessage({ account, message })
    const queued = await posthorn.submitDraft({ account, message })
    expect(queued.queueId).toEqual(expect.any(String))
    const { data } = await event(
      account,
      'messageSent',
      ({ queueId }) => queueId === queued.queueId,
    )
    expect(data.originalMessageId).toBe(queued.messageId)
    expect(sent().filter((raw) => raw.includes(mark))).toHaveLength(1)
    expect(sentThreads(mark)).toEqual([draft.threadId])
    const drafts = await posthorn.listMessages({ account, path: '\\Drafts' })
    expect(drafts.messages).toEqual([])
  },
)

test('senders use units that sync-workers lend', async () => {
  const sumOf = async (services: readonly string[]) => {
    const texts = services.map(async (name) => {
      const response = await fetch(`${world.services.urls[name]}/metrics`)
      return response.text()
    })
    const line = /^posthorn_provider_loans_total\{[^}]*result="granted"[^}]*\} (\d+)$/gm
    const counts = (await Promise.all(texts)).flatMap((text) => [...text.matchAll(line)])
    return counts.reduce((sum, [, count]) => sum + Number(count), 0)
  }
  expect(await sumOf(['sender', 'sender-2'])).toBeGreaterThan(0)
  expect(await sumOf(['sync-worker', 'sync-worker-2'])).toBeGreaterThan(0)
})

/** Process that is killed after the n-th message. One of the two sync-workers holds the account. */
const victims: Readonly<Record<number, string>> = {
  3: 'sync-worker',
  7: 'sender',
  11: 'sync-worker-2',
  15: 'sender-2',
}

/** Delivers and submits a message of an account. Returns the id and the subject of the messages. */
async function exchange(provider: Provider, at: number) {
  const mark = `${provider} ${at} end`
  const id = mailboxes[provider].deliver(source(mark))
  const body = { to: [{ address: 'bob@mail.test' }], subject: mark, text: mark }
  await posthorn.submitMessage({ account: await connect(provider), body })
  return { provider, id, mark }
}

test('accounts at gmail and graph: of killed workers and senders, nothing is lost or repeated', async () => {
  const providers = ['gmail', 'graph'] as const
  const exchanged: Awaited<ReturnType<typeof exchange>>[] = []
  for (let at = 0; at < 18; at++) {
    for (const provider of providers) exchanged.push(await exchange(provider, at))
    const victim = victims[at]
    if (victim === undefined) continue
    await world.services.kill(victim)
    await world.services.start(victim)
  }
  const countOf = (provider: Provider, mark: string) =>
    mailboxes[provider].sent().filter((raw) => raw.includes(`Subject: ${mark}`)).length
  const accounts = await Promise.all(providers.map((provider) => connect(provider)))
  const announced = () => accounts.flatMap((account) => newIds(account))
  await eventually(
    () => {
      expect(announced()).toEqual(expect.arrayContaining(exchanged.map(({ id }) => id)))
      const counts = exchanged.map(({ provider, mark }) => [mark, countOf(provider, mark)])
      expect(counts).toEqual(exchanged.map(({ mark }) => [mark, 1]))
    },
    { timeoutMs: 150_000 },
  )
  const delivered = new Set(exchanged.map(({ id }) => id))
  expect(announced().filter((id) => delivered.has(id))).toHaveLength(exchanged.length)
})

function newIds(account: string): string[] {
  return world
    .webhooks()
    .filter((hook) => hook.account === account && hook.event === 'messageNew')
    .map(({ data }) => String(data.id))
}
