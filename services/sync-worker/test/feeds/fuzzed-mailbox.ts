import { createGmailApi, gmailOrigin } from '@posthorn/backends/gmail'
import { createGraphApi } from '@posthorn/backends/graph'
import type { MailApi, MailApiUse } from '@posthorn/backends/mail-api'
import { createHttpCaller } from '@posthorn/net/http-caller'
import { startGraphFake } from '@posthorn/testkit/graph-fake'
import type { SeededRandom } from '@posthorn/testkit/mail-api-model'
import { type ProviderFake, VirtualClock } from '@posthorn/testkit/providers'
import { startGmailFake } from '@posthorn/testkit/providers/gmail'
import { createLimiter } from './provider-scene.ts'

const user = 'jane@mail.example'
/**
 * Number of messages above which changes are deletions and deliveries are rare. Keeps a mailbox
 * below the maximum number of messages of `getMessages`.
 */
const maxMessages = 40

/**
 * Message at the fake of a provider. `place` is the folder of the message, the same for all labels.
 */
export interface FakeState {
  id: string
  place: string
  subject: string
  flags: { unseen: boolean; flagged: boolean; draft: boolean }
  labels: string[]
}

/** Mailbox at the fake of a provider, whose responses are broken. */
export interface FuzzedMailbox extends AsyncDisposable {
  readonly provider: 'gmail' | 'graph'
  readonly server: ProviderFake
  readonly clock: VirtualClock
  /** Names of members that the provider sends as null. */
  readonly nullable: (name: string) => boolean
  /**
   * Creates the mail API client of a new worker process, which does not know the rate limits of
   * earlier processes.
   */
  createApi(use?: MailApiUse): MailApi
  /** True if the mailbox has so many messages that deliveries should be rare. */
  isFull(): boolean
  deliver(subject: string, random: SeededRandom, receivedAt?: number): string
  /**
   * Makes a random change of the fake mailbox. Returns the ids of messages that were moved or
   * deleted.
   */
  change(random: SeededRandom): string[]
  /** Makes all cursors (positions in lists of changes) invalid. */
  expire(): void
  states(): FakeState[]
  /** Ids of the messages in the inbox of the fake mailbox. */
  inbox(): string[]
  /** Names of folders, with `/` between levels. */
  paths(): string[]
}

const httpOptions = {
  // The egress policy is off, because redirects lead to private addresses like the address of the
  // fake provider.
  policy: 'off',
  timeoutMs: 60_000,
  maxResponseBytes: 1_000_000,
} as const
const delayMs = () => 1
const sourceOf = (subject: string) =>
  Buffer.from(
    `From: Ann <ann@example.com>\r\nTo: ${user}\r\nSubject: ${subject}\r\n` +
      `Message-ID: <${subject}@example.com>\r\n\r\nText of ${subject}\r\n`,
  )

export async function fuzzedGmail(start: Date): Promise<FuzzedMailbox> {
  const clock = new VirtualClock(start)
  const gmail = await startGmailFake({ clock })
  const mailbox = gmail.addMailbox(user)
  const mappedOrigins = { [gmailOrigin]: gmail.fake.origin }
  const caller = createHttpCaller({ ...httpOptions, origins: mappedOrigins })
  const own = () => [...mailbox.labels.values()].filter(({ type }) => type === 'user')
  let serial = 0
  return {
    provider: 'gmail',
    server: gmail.fake,
    clock,
    nullable: () => false,
    createApi(use = { priority: 'sync' }) {
      const findTopic = async () => undefined
      const options = { caller, limiter: createLimiter(), mappedOrigins, findTopic, delayMs }
      const login = async () => ({ user, accessToken: gmail.grant(user) })
      const access = { provider: 'gmail', account: 'a', application: 'app', login } as const
      return createGmailApi(options)(access, use)
    },
    isFull: () => mailbox.list.length > maxMessages,
    deliver(subject, random, receivedAt = clock.now) {
      const labels = ['INBOX', ...(random.happens(0.7) ? ['UNREAD'] : [])]
      return mailbox.deliver(sourceOf(subject), { labels, internalDate: receivedAt }).id
    },
    change(random) {
      const message = mailbox.list[random.below(mailbox.list.length)]
      const action = mailbox.list.length > maxMessages ? 2 : random.below(10)
      if (!message || action === 0) {
        const id = mailbox.newLabelId()
        mailbox.setLabel({ id, name: `label ${++serial}`, type: 'user' })
      } else if (action === 1 && own().length > 3) mailbox.deleteLabel(own()[0]?.id ?? '')
      else if (action < 4) {
        mailbox.remove(message)
        return [message.id]
      } else {
        const labels = ['UNREAD', 'STARRED', 'INBOX', 'TRASH', ...own().map(({ id }) => id)]
        const label = labels[random.below(labels.length)] as string
        const has = message.labels.has(label)
        mailbox.modify(message, has ? [] : [label], has ? [label] : [])
      }
      return []
    },
    expire: () => mailbox.expireHistory(),
    inbox: () =>
      mailbox.list.flatMap(({ id, labels }) =>
        labels.has('INBOX') && !labels.has('TRASH') ? [id] : [],
      ),
    states: () =>
      mailbox.list.map(({ id, labels, raw }) => ({
        id,
        place: '\\All',
        subject: /^Subject: (.*)\r$/m.exec(raw.toString())?.[1] ?? '',
        flags: {
          unseen: labels.has('UNREAD'),
          flagged: labels.has('STARRED'),
          draft: labels.has('DRAFT'),
        },
        labels: [...labels].filter((each) => each !== 'UNREAD' && each !== 'STARRED').sort(),
      })),
    paths: () =>
      [...mailbox.labels.values()].flatMap(({ id, name }) =>
        ['UNREAD', 'STARRED'].includes(id) || id.startsWith('CATEGORY_') ? [] : [name],
      ),
    async [Symbol.asyncDispose]() {
      caller[Symbol.dispose]()
      await gmail[Symbol.asyncDispose]()
    },
  }
}

/** Members that Graph always sends with a value. Graph sends null for any other member. */
const neverNull = new Set(['id', 'value', '@odata.nextLink', '@odata.deltaLink', '@removed'])

export async function fuzzedGraph(start: Date): Promise<FuzzedMailbox> {
  const clock = new VirtualClock(start)
  const limits = { concurrent: 1_000, requests: 1e9 }
  const graph = await startGraphFake({ clock, mailboxes: [user], limits })
  const { mailbox } = graph
  const caller = createHttpCaller({ ...httpOptions, origins: graph.origins })
  let serial = 0
  const folders = () =>
    [...mailbox.folders.values()].filter(({ wellKnown }) => wellKnown !== 'drafts')
  const pathOf = (id: string): string => {
    const folder = mailbox.folder(id)
    const parent = folder.parentId === undefined ? '' : `${pathOf(folder.parentId)}/`
    return parent + folder.name
  }
  const addFolder = () => {
    const own = folders().filter(({ wellKnown }) => wellKnown === undefined)
    if (own.length < 5) mailbox.addFolder({ name: `folder ${++serial}` })
  }
  const changeState = (message: ReturnType<typeof mailbox.deliver>, action: number) => {
    if (action < 8) message.isRead = !message.isRead
    else if (action === 8)
      message.flagStatus = message.flagStatus === 'flagged' ? 'notFlagged' : 'flagged'
    else message.categories = message.categories.length > 0 ? [] : ['red']
    mailbox.touch(message, [action < 8 ? 'isRead' : action === 8 ? 'flag' : 'categories'])
  }
  return {
    provider: 'graph',
    server: graph.server,
    clock,
    nullable: (name) => !neverNull.has(name),
    createApi(use = { priority: 'sync' }) {
      const findUrls = async () => undefined
      const mappedOrigins = graph.origins
      const options = { caller, limiter: createLimiter(), mappedOrigins, findUrls, delayMs }
      const login = async () => ({ user, accessToken: 'token' })
      const access = { provider: 'graph', account: 'a', application: 'app', login } as const
      return createGraphApi({ ...options, now: () => clock.now })(access, use)
    },
    isFull: () => mailbox.messages.size > maxMessages,
    deliver(subject, random, receivedAt = clock.now) {
      const folder = folders()[random.below(folders().length)]
      const placed = random.happens(0.6) || !folder ? {} : { folderId: folder.id }
      const unseen = random.happens(0.7)
      return mailbox.deliver({ raw: sourceOf(subject), unseen, receivedAt, ...placed }).id
    },
    change(random) {
      const messages = mailbox.list()
      const message = messages[random.below(messages.length)]
      const action = messages.length > maxMessages ? 2 : random.below(10)
      if (!message || action === 0) addFolder()
      else if (action < 3) {
        mailbox.remove(message)
        return [message.id]
      } else if (action < 6) {
        mailbox.move(message, folders()[random.below(folders().length)]?.id ?? '')
        return [message.id]
      } else changeState(message, action)
      return []
    },
    expire: () => graph.delta.expire(),
    inbox: () => mailbox.list(mailbox.folder('inbox').id).map(({ id }) => id),
    states: () =>
      mailbox.list().map((message) => ({
        id: message.id,
        place: pathOf(message.folderId),
        subject: message.content.subject ?? '',
        flags: {
          unseen: !message.isRead,
          flagged: message.flagStatus === 'flagged',
          draft: message.isDraft,
        },
        labels: [...message.categories].sort(),
      })),
    paths: () => [...mailbox.folders.keys()].map(pathOf),
    async [Symbol.asyncDispose]() {
      caller[Symbol.dispose]()
      await graph[Symbol.asyncDispose]()
    },
  }
}
