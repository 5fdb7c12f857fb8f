import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { createMailbox } from '@posthorn/contracts/commands/mailboxes'
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
import { sleep } from '@posthorn/flow'
import { decodeMessageId, encodeAttachmentId, encodeTextId } from '@posthorn/message-id'
import {
  eventually,
  faultSize,
  isFullFaultRun,
  isSwitchedOff,
  startImapScript,
  testCyrus,
} from '@posthorn/testkit'
import { mail } from './imap-client.ts'
import { type MailUser, testWorld, type World } from './world.ts'

// Sends each API command for a new message, immediately after the messageNew is recorded or up to
// `maxDelayMs` later. The connections selected the mailbox before the message arrived. The
// variables are described in services/sync-worker/src/drivers/imap/README.md.

/**
 * Number of rounds for each mail server and each number of connections. Each command is tested in
 * at least one round.
 */
const rounds = Number(process.env['TEST_FIRST_READ_ROUNDS'] ?? faultSize({ small: 13, full: 20 }))
/**
 * Maximum delay in ms from the `messageNew` event to the command. The delays of the rounds are
 * spread up to this maximum.
 */
const maxDelayMs = 1_000 * Number(process.env['TEST_FIRST_READ_MAX_DELAY'] ?? 0)
/** Number of accounts whose rounds run concurrently. Rounds with a delay mostly wait. */
const accounts = maxDelayMs > 0 ? 25 : 1

let world: World
let cyrus: Awaited<ReturnType<typeof testCyrus>>
const servers: AsyncDisposable[] = []
beforeAll(async () => {
  world = await testWorld()
  if (!isSwitchedOff('TEST_CYRUS')) cyrus = await testCyrus()
})
afterEach(async () => {
  await world.reset()
  for (const server of servers.splice(0)) await server[Symbol.asyncDispose]()
})
afterAll(async () => {
  await world.close()
  if (!isSwitchedOff('TEST_CYRUS')) await cyrus.drop()
})

/** Mailbox of a server, and the function that delivers a message to the mailbox. */
interface Mailbox {
  user: MailUser
  deliver: (message: string) => Promise<unknown>
}

async function onDovecot(): Promise<Mailbox> {
  const user = world.dovecot.freshUser()
  return { user, deliver: (message) => world.dovecot.deliver(user.user, message) }
}

async function onCyrus(): Promise<Mailbox> {
  const user = cyrus.freshUser()
  return {
    user,
    deliver: (message) => cyrus.deliver(user.user, message),
  }
}

function onScript(lag: number | 'noop' | 'select') {
  return async (): Promise<Mailbox> => {
    const trash = { attributes: ['\\Trash'] }
    const server = await startImapScript({ lag, mailboxes: { Trash: trash } })
    servers.push(server)
    const { host, port: imapPort } = server
    return {
      user: { host, imapPort, user: 'jane', pass: 'secret' },
      deliver: async (message) => server.mailbox('INBOX').append(message),
    }
  }
}

const attached = Buffer.from('attached content')
function letter(subject: string): string {
  const body = [
    '--b',
    'Content-Type: text/plain',
    '',
    `text of ${subject}`,
    '--b',
    'Content-Type: application/pdf; name="a.pdf"',
    'Content-Disposition: attachment',
    'Content-Transfer-Encoding: base64',
    '',
    attached.toString('base64'),
    '--b--',
  ].join('\r\n')
  const headers = ['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=b']
  return mail({ subject, headers, body })
}

/** Account whose mailbox has new messages, and the mailbox to which a test moves messages. */
interface Scene {
  account: string
  archive: string
}

interface NewMessage {
  subject: string
  id: string
}

async function contentOf<C extends Command>(
  { account }: Scene,
  command: C,
  request: Omit<CommandRequest<C>, 'account'>,
): Promise<string> {
  const full = { account, ...request } as CommandRequest<C>
  const options = { key: `shard.${shardOf(account)}`, timeoutMs: 30_000 }
  const { body } = await world.bus.requestStream(command, full, options)
  return Buffer.concat(await Array.fromAsync(body)).toString()
}

const complete = ({ subject }: NewMessage) => ({
  subject,
  from: { address: 'ann@example.com' },
  to: [{ address: 'bob@example.com' }],
  attachments: [{ filename: 'a.pdf' }],
})
const page = { path: 'INBOX', page: 0, pageSize: 10 }

type Step = (scene: Scene, message: NewMessage) => Promise<void>

/**
 * Commands that read a new message. All connections of the account execute a read command at the
 * same time.
 */
const reads: Record<string, Step> = {
  async getMessage({ account }, message) {
    const read = await world.ask(getMessage, account, { message: message.id, textType: '*' })
    expect(read).toMatchObject(complete(message))
    expect(read).not.toHaveProperty('incomplete')
    expect(read.text?.plain).toContain(`text of ${message.subject}`)
  },
  async 'getMessage for a reply'({ account }, message) {
    const read = await world.ask(getMessage, account, {
      message: message.id,
      webSafeHtml: true,
      embedAttachedImages: false,
    })
    expect(read).toMatchObject(complete(message))
    expect(read.text?.html).toContain(`text of ${message.subject}`)
  },
  async 'getMessage and getAttachment for a forward'(scene, message) {
    const read = await world.ask(getMessage, scene.account, { message: message.id })
    expect(read).toMatchObject(complete(message))
    const attachment = read.attachments?.[0]?.id ?? ''
    expect(await contentOf(scene, getAttachment, { attachment })).toBe(String(attached))
  },
  async getText({ account }, { subject, id }) {
    const text = encodeTextId({ ...decodeMessageId(id), plain: ['1'], html: [] })
    const read = await world.ask(getText, account, { text, textType: '*' })
    expect(read.plain).toContain(`text of ${subject}`)
  },
  async getMessageSource(scene, { subject, id }) {
    const source = await contentOf(scene, getMessageSource, { message: id })
    expect(source).toContain(`Subject: ${subject}`)
    expect(source).toContain('--b--')
  },
  async getAttachment(scene, { id }) {
    const attachment = encodeAttachmentId({ ...decodeMessageId(id), part: '2' })
    expect(await contentOf(scene, getAttachment, { attachment })).toBe(String(attached))
  },
  async listMessages({ account }, message) {
    const { messages } = await world.ask(listMessages, account, page)
    expect(messages[0]).toMatchObject({ id: message.id, ...complete(message) })
  },
  async searchMessages({ account }, message) {
    const search = { subject: message.subject }
    const { messages } = await world.ask(searchMessages, account, { ...page, search })
    expect(messages).toMatchObject([{ id: message.id, ...complete(message) }])
  },
}

/**
 * Commands that change a new message, each on one connection that has selected the mailbox for
 * writing.
 */
const changes: Record<string, Step> = {
  async 'getMessage with markAsSeen'({ account }, message) {
    const read = await world.ask(getMessage, account, { message: message.id, markAsSeen: true })
    expect(read).toMatchObject({ ...complete(message), flags: ['\\Seen'] })
  },
  async updateMessage({ account }, { id }) {
    const update = { flags: { add: ['\\Flagged'] } }
    await world.ask(updateMessage, account, { message: id, update })
    const { flags } = await world.ask(getMessage, account, { message: id })
    expect(flags).toEqual(['\\Flagged'])
  },
  async updateMessages({ account }, { id, subject }) {
    const update = { flags: { add: ['\\Answered'] } }
    const request = { path: 'INBOX', search: { subject }, update }
    await world.ask(updateMessages, account, request)
    const { flags } = await world.ask(getMessage, account, { message: id })
    expect(flags).toEqual(['\\Answered'])
  },
  async moveMessage({ account, archive }, message) {
    const request = { message: message.id, path: archive }
    const { id = '' } = await world.ask(moveMessage, account, request)
    expect(await world.ask(getMessage, account, { message: id })).toMatchObject({
      ...complete(message),
      path: archive,
    })
  },
  async deleteMessage({ account }, message) {
    const request = { message: message.id, force: false }
    const { moved } = await world.ask(deleteMessage, account, request)
    const read = await world.ask(getMessage, account, { message: moved?.message ?? '' })
    expect(read).toMatchObject({ ...complete(message), path: moved?.destination })
  },
}

const selectToRead = ({ account }: Scene) => world.ask(listMessages, account, page)
const selectToWrite = ({ account }: Scene) =>
  world.ask(updateMessages, account, {
    path: 'INBOX',
    search: { subject: 'no message has it' },
    update: { flags: { add: ['\\Flagged'] } },
  })

const steps = { ...reads, ...changes }
const names = Object.keys(steps)

/** Yields the rounds of one account: every `accounts`-th of all rounds, from round `first` on. */
function* roundsOf(first: number) {
  for (let round = first; round < Math.max(rounds, names.length); round += accounts) {
    // The delays of the rounds are multiples of the golden ratio, which are spread evenly and
    // independent of the order of commands.
    const delayMs = maxDelayMs * ((round * 0.618_034) % 1)
    yield { round, name: names[round % names.length] ?? '', delayMs }
  }
}

/** Delivers a message to an account whose connections are warm, and sends one command. */
async function runRound(
  { account, archive, deliver }: Scene & Pick<Mailbox, 'deliver'>,
  { round, name, delayMs }: { round: number; name: string; delayMs: number },
  connections: number,
): Promise<void> {
  const scene = { account, archive }
  const all = Array.from({ length: connections })
  const warm = name in reads ? selectToRead : selectToWrite
  await Promise.all(all.map(() => warm(scene)))
  const subject = `round ${round} ${name}`
  await deliver(letter(subject))
  const id = await eventually(async () => {
    const events = await world.events(account, 'messageNew')
    const event = events.find(({ data }) => data['subject'] === subject)
    if (!event) throw new Error(`no event of ${subject}`)
    return String(event.data['id'])
  })
  if (delayMs > 0) await sleep(delayMs, new AbortController().signal)
  const readers = name in reads ? all : [0]
  await Promise.all(readers.map(async () => await steps[name]?.(scene, { subject, id })))
}

/** Numbers of warm connections in a full run, and in a smaller run with the last servers. */
const both = [1, 4]
const one = isFullFaultRun ? both : [1]
const four = isFullFaultRun ? both : [4]

describe.each([
  ['Dovecot', both, onDovecot],
  ['Cyrus', four, onCyrus],
  ['scripted server', one, onScript(0)],
  ['server that shows messages after NOOP', both, onScript('noop')],
  ['server that shows messages three commands later', four, onScript(3)],
  ['server that shows messages when selected again', one, onScript('select')],
] as const)('%s', (server, counts, start) => {
  const testHere = server === 'Cyrus' && isSwitchedOff('TEST_CYRUS') ? test.skip : test

  testHere.each(counts)(
    'commands of a new message with %d warm connections, are complete',
    async (connections) => {
      await world.startWorker({ commandConnections: connections })
      const failures: string[] = []
      let completed = 0
      const setUp = async () => {
        const { user, deliver } = await start()
        const account = await world.register(user)
        await world.connected(account)
        const { path: archive } = await world.ask(createMailbox, account, { path: ['Filed'] })
        return { account, archive, deliver }
      }
      // Accounts log in one after the other: logins wait for permits, and the first command waits
      // for the login.
      const scenes: Awaited<ReturnType<typeof setUp>>[] = []
      while (scenes.length < accounts) scenes.push(await setUp())
      const run = async (scene: (typeof scenes)[0], first: number) => {
        for (const round of roundsOf(first)) {
          await runRound(scene, round, connections).then(
            () => completed++,
            (error: unknown) => failures.push(`${JSON.stringify(round)}: ${String(error)}`),
          )
        }
      }
      await Promise.all(scenes.map(run))
      expect(failures).toEqual([])
      expect(completed).toBe(Math.max(rounds, names.length))
    },
    // Timeout of the test, longer than any run with many rounds.
    3_600_000,
  )
})
