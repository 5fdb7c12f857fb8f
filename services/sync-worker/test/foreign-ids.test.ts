import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  deleteMessage,
  moveMessage,
  updateMessage,
} from '@posthorn/contracts/commands/message-changes'
import {
  getAttachment,
  getMessage,
  getMessageSource,
  getText,
  listMessages,
} from '@posthorn/contracts/commands/messages'
import type { MessageEntry } from '@posthorn/contracts/schemas/message'
import { shardOf } from '@posthorn/contracts/shards'
import { decodeMessageId, encodeAttachmentId, encodeTextId } from '@posthorn/message-id'
import { eventually } from '@posthorn/testkit'
import { ImapClient, mail } from './imap-client.ts'
import { testWorld, type World } from './world.ts'

let world: World
let own: Mailbox
let other: Mailbox
beforeAll(async () => {
  world = await testWorld()
  await world.startWorker()
  own = await mailboxWithMessage()
  other = await mailboxWithMessage()
})
afterAll(() => world.close())

interface Mailbox {
  account: string
  id: string
}

const list = async (account: string): Promise<MessageEntry[]> =>
  (await world.ask(listMessages, account, { path: 'INBOX', page: 0, pageSize: 10 })).messages

/** Registers an account whose Inbox has one message. */
async function mailboxWithMessage(): Promise<Mailbox> {
  const user = world.dovecot.freshUser()
  await using client = await ImapClient.login(user)
  await client.append('INBOX', mail({ subject: user.user }))
  const account = await world.register(user)
  await world.connected(account)
  const id = await eventually(async () => (await list(account))[0]?.id ?? null)
  return { account, id }
}

/**
 * Sends all kinds of commands with the message id of another account, in the context of the own
 * account.
 */
async function requests(id: string): Promise<Record<string, Promise<unknown>>> {
  const { account } = own
  const at = decodeMessageId(id)
  const stream = { key: `shard.${shardOf(account)}`, timeoutMs: 30_000 }
  const attachment = encodeAttachmentId({ ...at, part: '1' })
  const text = encodeTextId({ ...at, plain: ['1'], html: [] })
  const update = { flags: { add: ['\\Flagged'] } }
  return {
    getMessage: world.ask(getMessage, account, { message: id }),
    getText: world.ask(getText, account, { text, textType: '*' }),
    getMessageSource: world.bus.requestStream(getMessageSource, { account, message: id }, stream),
    getAttachment: world.bus.requestStream(getAttachment, { account, attachment }, stream),
    updateMessage: world.ask(updateMessage, account, { message: id, update }),
    moveMessage: world.ask(moveMessage, account, { message: id, path: 'INBOX' }),
    deleteMessage: world.ask(deleteMessage, account, { message: id, force: true }),
  }
}

test('commands: ids of another account, name no message and change none', async () => {
  expect(decodeMessageId(own.id).uid).toBe(decodeMessageId(other.id).uid)
  const before = await list(own.account)
  const started = Object.entries(await requests(other.id))
  const results = await Promise.allSettled(started.map(([, request]) => request))
  const codes = results.map((result) =>
    result.status === 'rejected' ? (result.reason as { code: string }).code : result.status,
  )
  expect(codes).toEqual(started.map(() => 'MessageNotFound'))
  expect(await list(own.account)).toEqual(before)
  expect(await list(other.account)).toMatchObject([{ id: other.id }])
})

test('commands: ids of the own account, name its messages', async () => {
  const message = await world.ask(getMessage, own.account, { message: own.id })
  expect(message).toMatchObject({ id: own.id })
})
