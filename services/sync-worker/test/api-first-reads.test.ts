import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import {
  deleteMessage,
  moveMessage,
  updateMessage,
  updateMessages,
} from '@posthorn/contracts/commands/message-changes'
import {
  getAttachment,
  getMessage,
  getMessageSource,
  getText,
  listMessages,
  searchMessages,
} from '@posthorn/contracts/commands/messages'
import type { Command, CommandRequest } from '@posthorn/contracts/define'
import { shardOf } from '@posthorn/contracts/shards'
import { encodeApiTextId } from '@posthorn/message-id'
import { eventually } from '@posthorn/testkit'
import { faultResponse, startGraphFake } from '@posthorn/testkit/graph-fake'
import {
  type ProviderRequest,
  type ProviderResponse,
  VirtualClock,
} from '@posthorn/testkit/providers'
import { gmailError, startGmailFake } from '@posthorn/testkit/providers/gmail'
import { mime } from './api-world.ts'
import { testWorld } from './world.ts'

// Each API command for a new message of an account at a mail API. The command is sent after
// `messageNew`, while the provider still responds to some requests as if the message did not exist
// or were incomplete.

const user = 'jane@mail.example'
const world = await testWorld()
const clock = new VirtualClock(new Date())
const gmail = await startGmailFake({ clock })
const graph = await startGraphFake({ mailboxes: [user], clock, handshakes: false })
const gmailMailbox = gmail.addMailbox(user)
const ends: (() => void)[] = []

beforeAll(async () => {
  const providerOrigins = { ...graph.origins, 'https://gmail.googleapis.com': gmail.origin }
  await world.startWorker({ providerOrigins, oauthEgressPolicy: 'off', apiPollMs: 200 })
})
afterEach(() => {
  for (const end of ends.splice(0)) end()
})
afterAll(async () => {
  // The worker ends before the fakes of the providers, because it uses the fakes.
  await world.reset()
  await world.close()
  await gmail[Symbol.asyncDispose]()
  await graph[Symbol.asyncDispose]()
})

const content = Buffer.from('attached content')
const letter = (subject: string) =>
  mime(subject, [
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="b"',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    `text of ${subject}`,
    '--b',
    'Content-Type: application/pdf; name="a.pdf"',
    'Content-Disposition: attachment; filename="a.pdf"',
    'Content-Transfer-Encoding: base64',
    '',
    content.toString('base64'),
    '--b--',
    '',
  ])

interface Message {
  account: string
  id: string
  subject: string
  attachment: string
}

const envelope = ({ id, subject }: Message) => ({
  id,
  subject,
  from: { address: 'ann@example.com' },
})
const page = { path: 'INBOX', page: 0, pageSize: 5 }

async function contentOf<C extends Command>(
  { account }: Message,
  command: C,
  request: Omit<CommandRequest<C>, 'account'>,
): Promise<string> {
  const full = { account, ...request } as CommandRequest<C>
  const options = { key: `shard.${shardOf(account)}`, timeoutMs: 30_000 }
  const { body } = await world.bus.requestStream(command, full, options)
  return Buffer.concat(await Array.fromAsync(body)).toString()
}

/**
 * API commands by name. Each entry sends the command and checks that the response is complete, or
 * that the change took effect.
 */
const steps: Record<string, (message: Message, settle: () => void) => Promise<void>> = {
  async getMessage(message) {
    const { account, id, subject } = message
    const read = await world.ask(getMessage, account, { message: id, textType: '*' })
    expect(read).toMatchObject({ ...envelope(message), attachments: [{ filename: 'a.pdf' }] })
    expect(read.text?.plain).toContain(`text of ${subject}`)
  },
  async 'getMessage with markAsSeen'(message) {
    const { account, id } = message
    const read = await world.ask(getMessage, account, { message: id, markAsSeen: true })
    expect(read).toMatchObject({ ...envelope(message), flags: ['\\Seen'] })
  },
  async getText({ account, id, subject }) {
    const text = encodeApiTextId(id)
    const { plain } = await world.ask(getText, account, { text, textType: '*' })
    expect(plain).toContain(`text of ${subject}`)
  },
  async getMessageSource(message) {
    const source = await contentOf(message, getMessageSource, { message: message.id })
    expect(source).toContain(`Subject: ${message.subject}`)
  },
  async getAttachment(message) {
    const { attachment } = message
    expect(await contentOf(message, getAttachment, { attachment })).toBe(String(content))
  },
  async listMessages(message) {
    const { messages } = await world.ask(listMessages, message.account, page)
    expect(messages[0]).toMatchObject(envelope(message))
  },
  async searchMessages(message) {
    const search = { subject: message.subject }
    const { messages } = await world.ask(searchMessages, message.account, { ...page, search })
    expect(messages).toMatchObject([envelope(message)])
  },
  async updateMessage({ account, id }, settle) {
    const update = { flags: { add: ['\\Flagged'] } }
    await world.ask(updateMessage, account, { message: id, update })
    settle()
    const { flags } = await world.ask(getMessage, account, { message: id })
    expect(flags).toContain('\\Flagged')
  },
  async moveMessage({ account, id }, settle) {
    const moved = await world.ask(moveMessage, account, { message: id, path: '\\Junk' })
    settle()
    const read = await world.ask(getMessage, account, { message: moved.id ?? '' })
    expect(read).toMatchObject({ messageSpecialUse: '\\Junk' })
  },
  async deleteMessage({ account, id }, settle) {
    const result = await world.ask(deleteMessage, account, { message: id, force: false })
    expect(result.deleted).toBe(false)
    settle()
    const read = await world.ask(getMessage, account, { message: result.moved?.message ?? '' })
    expect(read).toMatchObject({ messageSpecialUse: '\\Trash' })
  },
}

interface Fault {
  missing: ProviderResponse
  /**
   * Response of the provider in which content of a message is missing, for a list or for another
   * request.
   */
  partial: (id: string, isList: boolean) => ProviderResponse
  server: {
    on: (operation: string, fault: (request: ProviderRequest) => ReturnType<Decide>) => () => void
  }
  deliver: (source: string) => { id: string }
  /**
   * Provider operation that changes flags, and the response of this operation that shows a message
   * without the change.
   */
  changing: string
  unchanged: (id: string) => object
  isList: (operation: string) => boolean
}

type Decide = (
  request: ProviderRequest,
) => { kind: 'reply'; response: ProviderResponse; unchecked: true } | undefined

const providers: Record<'gmail' | 'graph', Fault> = {
  gmail: {
    missing: gmailError(404, 'notFound', 'Requested entity was not found.'),
    partial: (id, isList) => ({ body: isList ? { messages: [{}] } : { id } }),
    server: gmail.fake,
    deliver: (source) => gmailMailbox.deliver(source),
    changing: 'gmail.users.messages.modify',
    unchanged: (id) => ({ id, threadId: id, labelIds: ['INBOX', 'UNREAD'] }),
    isList: (operation) => operation === 'gmail.users.messages.list',
  },
  graph: {
    missing: faultResponse(404, 'ErrorItemNotFound'),
    partial: (id, isList) => ({ body: isList ? { value: [{ id }] } : {} }),
    server: graph.server,
    deliver: (source) => graph.mailbox.deliver({ raw: Buffer.from(source) }),
    changing: 'PATCH /messages/{message-id}',
    unchanged: (id) => ({ id, isRead: false, flag: { flagStatus: 'notFlagged' }, categories: [] }),
    isList: (operation) => /^GET \/mailFolders\/[^/]+\/messages$/.test(operation),
  },
}

/**
 * Makes the fake provider respond to the next requests about a message with a fault. Returns the
 * number of faults that are left (`state`) and the function that ends the faults.
 */
function disturb(
  provider: 'gmail' | 'graph',
  { id, kind, count }: { id: string; kind: 'missing' | 'partial'; count: number },
) {
  const { server, missing, partial, isList } = providers[provider]
  const state = { left: count }
  const end = server.on('*', ({ operation, params }) => {
    const lists = kind === 'partial' && isList(operation)
    if (state.left === 0 || (!lists && !Object.values(params).includes(id))) return undefined
    state.left--
    const isSource = operation.endsWith('/$value')
    const response = isSource && kind === 'partial' ? { body: '' } : partial(id, lists)
    return { kind: 'reply', response: kind === 'missing' ? missing : response, unchecked: true }
  })
  ends.push(end)
  return { state, end }
}

describe.each(['gmail', 'graph'] as const)('%s', (provider) => {
  let account = ''
  beforeAll(async () => {
    const accessToken = provider === 'gmail' ? gmail.grant(user) : 'token'
    account = await world.registerApi(provider, { user, accessToken })
    await world.connected(account)
    await world.expectEvents(account, ['accountInitialized'], 1)
  })

  /** Delivers a message and waits for the event of the message. */
  async function deliver(): Promise<Message> {
    const subject = `m ${randomUUID()}`
    const { id } = providers[provider].deliver(letter(subject))
    await eventually(async () => {
      const events = await world.events(account, 'messageNew')
      expect(events.map(({ data }) => data['id'])).toContain(id)
    })
    const { attachments = [] } = await world.ask(getMessage, account, { message: id })
    return { account, id, subject, attachment: attachments[0]?.id ?? '' }
  }

  const isListing = (name: string) => ['listMessages', 'searchMessages'].includes(name)

  /**
   * Sends each command for a separate new message. Commands that list messages run alone, because
   * a faulty response to a list would reach other lists as well. The remaining commands run
   * concurrently.
   */
  async function sendAll(send: (name: string, message: Message) => Promise<void>): Promise<void> {
    const names = Object.keys(steps)
    const others = names.filter((name) => !isListing(name))
    for (const group of [...names.filter(isListing).map((name) => [name]), others]) {
      const messages = await Promise.all(
        group.map(async (name) => [name, await deliver()] as const),
      )
      const sendings = messages.map(([name, message]) =>
        send(name, message).catch((cause: unknown) => {
          throw new Error(`${name}: ${String(cause)}`, { cause })
        }),
      )
      await Promise.all(sendings)
      for (const end of ends.splice(0)) end()
    }
  }

  // Graph returns whole messages in one listing request, so a listed message cannot be missing.
  const isWhole = (name: string) => provider === 'graph' && isListing(name)

  test('commands of a message that is missing at first, are complete', () =>
    sendAll(async (name, message) => {
      const { state, end } = disturb(provider, { id: message.id, kind: 'missing', count: 2 })
      await steps[name]?.(message, end)
      expect(state.left).toBe(isWhole(name) ? 2 : 0)
    }))

  test('commands of a message with parts missing at first, are complete', () =>
    sendAll(async (name, message) => {
      const { state, end } = disturb(provider, { id: message.id, kind: 'partial', count: 2 })
      await steps[name]?.(message, end)
      expect(state.left).toBe(0)
    }))

  /**
   * Makes the fake provider ignore the next changes of a message and respond with the unchanged
   * message.
   */
  function ignoreChanges({ id }: Message, count: number) {
    const { server, changing, unchanged } = providers[provider]
    let left = count
    const end = server.on(changing, ({ params }) => {
      if (left === 0 || !Object.values(params).includes(id)) return undefined
      left--
      return { kind: 'reply', response: { body: unchanged(id) }, unchecked: true }
    })
    ends.push(end)
  }

  const update = { flags: { add: ['\\Flagged'] } }

  test('updateMessage: change without effect at first, is made and reported', async () => {
    const message = await deliver()
    ignoreChanges(message, 2)
    const request = { message: message.id, update }
    expect(await world.ask(updateMessage, account, request)).toMatchObject({
      flags: { add: true, result: ['\\Flagged'] },
    })
  })

  test('updateMessage: change without effect, reports the state of the message', async () => {
    const message = await deliver()
    ignoreChanges(message, Infinity)
    const request = { message: message.id, update }
    expect(await world.ask(updateMessage, account, request)).toMatchObject({
      flags: { add: false, result: [] },
    })
  })

  test('updateMessages: messages without the change, are not reported as changed', async () => {
    const message = await deliver()
    ignoreChanges(message, Infinity)
    const request = { path: 'INBOX', search: { subject: message.subject }, update }
    expect(await world.ask(updateMessages, account, request)).toEqual({
      flags: { add: false },
      emailIds: [],
    })
  })

  // A response of Graph to a move names the new message.
  const moves = provider === 'gmail' ? test : test.skip

  moves('moveMessage, deleteMessage: move without effect, is no success', async () => {
    const message = await deliver()
    ignoreChanges(message, Infinity)
    const moving = { message: message.id, path: '\\Junk' }
    const failure = { kind: 'unavailable' }
    await expect(world.ask(moveMessage, account, moving)).rejects.toMatchObject(failure)
    const deleting = { message: message.id, force: false }
    await expect(world.ask(deleteMessage, account, deleting)).rejects.toMatchObject(failure)
  })

  // The last test, because syncs pause after a message that stays incomplete.
  test('commands of a message that stays incomplete, are no success', () =>
    sendAll(async (name, message) => {
      disturb(provider, { id: message.id, kind: 'partial', count: Infinity })
      await expect(steps[name]?.(message, () => undefined)).rejects.toMatchObject({
        kind: expect.stringMatching(/^(unavailable|not-found)$/),
      })
    }))
})
