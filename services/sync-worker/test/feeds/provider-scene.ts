import { createGmailApi, gmailOrigin } from '@posthorn/backends/gmail'
import { createGraphApi } from '@posthorn/backends/graph'
import type { MailApi, MailApiAccess, MailApiError } from '@posthorn/backends/mail-api'
import { ProviderLimiter } from '@posthorn/backends/provider-limiter'
import { defaultProviderLimits, forProviders } from '@posthorn/backends/provider-limits'
import type { Settings } from '@posthorn/contracts/settings/settings'
import { readInline } from '@posthorn/message-reader'
import { createHttpCaller } from '@posthorn/net/http-caller'
import { startGraphFake } from '@posthorn/testkit/graph-fake'
import { VirtualClock } from '@posthorn/testkit/providers'
import { startGmailFake } from '@posthorn/testkit/providers/gmail'
import { createMessageDrafter } from '../../src/drivers/api/messages/message-drafter.ts'
import { MailboxFeeds } from '../../src/drivers/api/feeds/mailbox-feeds.ts'
import type { Refusal } from '../../src/drivers/api/messages/refusals.ts'
import { account, MemoryFeedStore, MemoryTables } from './memory-feed-store.ts'

const user = 'jane@mail.example'

/** Creates the request limiter of a new process, with more quota units than any test uses. */
export const createLimiter = () =>
  new ProviderLimiter({
    limits: forProviders((provider) => ({
      ...defaultProviderLimits[provider],
      accountUnits: 1e9,
      applicationUnits: 1e9,
    })),
    service: 'sync-worker',
    replicas: () => 1,
  })

function accessOf(provider: 'gmail' | 'graph', accessToken: string): MailApiAccess {
  const login = async () => ({ user, accessToken })
  return { provider, account: 'a', application: 'app', login }
}

/**
 * Sync of one account through the client of a fake provider, without delays before repeated
 * requests.
 */
export class ProviderScene {
  readonly tables = new MemoryTables()
  readonly refusals: Refusal[] = []
  readonly lostCursors: MailApiError[] = []
  /** Number of damaged entries that the client skipped in pages of changes. */
  unreadable = 0
  readonly api: MailApi
  settings: Settings = {}
  time = account.notifyFrom.getTime()
  readonly #signal = new AbortController().signal

  constructor(api: MailApi) {
    this.api = api
  }

  /** Runs a sync pass like a new worker process. Returns the time at which the next work is due. */
  async sync(): Promise<Date | undefined> {
    return (await this.openFeeds().sync(this.#signal)).dueAt
  }

  /** Opens the feeds (lists of changes) of the account like a new worker process. */
  openFeeds(): MailboxFeeds {
    const onRefusal = (refusal: Refusal) => void this.refusals.push(refusal)
    const drafter = createMessageDrafter({
      api: this.api,
      settings: { get: async () => this.settings },
      summaries: {
        startBatch: () => ({ request: async () => undefined, waitAll: (all) => Promise.all(all) }),
      },
      read: readInline,
      onRefusal,
      signal: this.#signal,
    })
    return new MailboxFeeds({
      api: this.api,
      store: new MemoryFeedStore(this.tables),
      drafter,
      account,
      onRefusal,
      onLostCursor: (_feed, error) => void this.lostCursors.push(error),
      onUnreadable: (_feed, count) => void (this.unreadable += count),
      now: () => new Date(this.time),
    })
  }

  /** Runs sync passes until no pending message has to be read again. */
  async syncUntilSettled(): Promise<void> {
    for (let next = await this.sync(); next; next = await this.sync()) this.time = next.getTime()
  }

  /** Recorded events about messages, in the order of their recording. */
  get events(): { event: string; data: Record<string, unknown> }[] {
    return this.tables.events
      .filter(({ event }) => event.startsWith('message'))
      .map(({ event, data }) => ({ event, data: data as Record<string, unknown> }))
  }

  /** Ids of the messages of some events. */
  idsOf(name: string): string[] {
    return this.events.flatMap(({ event, data }) => (event === name ? [String(data['id'])] : []))
  }
}

const clock = () => new VirtualClock(account.notifyFrom)

export async function gmailScene(stack: AsyncDisposableStack) {
  const gmail = stack.use(await startGmailFake({ clock: clock() }))
  const mailbox = gmail.addMailbox(user)
  const mappedOrigins = { [gmailOrigin]: gmail.origin }
  const caller = stack.use(createHttpCaller({ ...httpOptions, origins: mappedOrigins }))
  const findTopic = async () => undefined
  const limiter = createLimiter()
  const createApi = createGmailApi({ caller, limiter, mappedOrigins, findTopic, delayMs: () => 1 })
  const api = createApi(accessOf('gmail', gmail.grant(user)), { priority: 'sync' })
  return { gmail, mailbox, scene: new ProviderScene(api) }
}

export async function graphScene(stack: AsyncDisposableStack) {
  const graph = stack.use(await startGraphFake({ clock: clock(), mailboxes: [user] }))
  const caller = stack.use(createHttpCaller({ ...httpOptions, origins: graph.origins }))
  const createApi = createGraphApi({
    caller,
    limiter: createLimiter(),
    mappedOrigins: graph.origins,
    findUrls: async () => undefined,
    delayMs: () => 1,
    now: () => graph.clock.now,
  })
  const api = createApi(accessOf('graph', 'token'), { priority: 'sync' })
  return { graph, mailbox: graph.mailbox, scene: new ProviderScene(api) }
}

const httpOptions = { policy: 'off', timeoutMs: 60_000, maxResponseBytes: 1_000_000 } as const
