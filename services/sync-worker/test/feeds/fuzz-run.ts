import { isMailApiError, type MailApi } from '@posthorn/backends/mail-api'
import { AppError } from '@posthorn/errors'
import { readInline } from '@posthorn/message-reader'
import { SeededRandom } from '@posthorn/testkit/mail-api-model'
import {
  contentFaults,
  type FaultPlan,
  formFaults,
  RandomFaults,
  type ResponseFaultKind,
} from '@posthorn/testkit/providers'
import { flagNames } from '../../src/drivers/api/events/feed-events.ts'
import { FolderNames } from '../../src/drivers/api/events/folder-names.ts'
import { MailboxFeeds } from '../../src/drivers/api/feeds/mailbox-feeds.ts'
import { ParkedFeeds } from '../../src/drivers/api/feeds/parked-feeds.ts'
import { RoundLosses } from '../../src/drivers/api/feeds/round-losses.ts'
import { decodeLeaf } from '../../src/drivers/api/index/leaf-content.ts'
import { createMessageDrafter } from '../../src/drivers/api/messages/message-drafter.ts'
import { FuzzView } from './fuzz-view.ts'
import type { FakeState, FuzzedMailbox } from './fuzzed-mailbox.ts'
import { account, MemoryFeedStore, MemoryTables } from './memory-feed-store.ts'

const minute = 60_000
/** Interval of the full lists of a folder that is listed around a damaged message. */
const damagedListMs = 15 * minute
/** Maximum sync passes until a mailbox is settled, after the faults of the provider ended. */
const maxPasses = 40

/**
 * Rounds of random changes of a mailbox at a fake provider, of sync passes and of reads while the
 * responses of the fake are broken. After each round the faults end, and index and events are
 * compared with the mailbox.
 */
export class FuzzRun {
  readonly tables = new MemoryTables()
  readonly view = new FuzzView()
  readonly faults: RandomFaults
  /** Numbers of sync passes and reads by outcome. */
  readonly outcomes = new Map<string, number>()
  readonly #mailbox: FuzzedMailbox
  /**
   * Random numbers for the test's decisions and the changes of the mailbox. Responses of the fake
   * provider do not influence these numbers.
   */
  readonly #random: SeededRandom
  /** Ids of messages that left their folder or were deleted since the last comparison. */
  readonly #left = new Set<string>()
  #api: MailApi
  #parked = new ParkedFeeds(() => this.#mailbox.clock.date)
  #losses = new RoundLosses(() => this.#mailbox.clock.date)
  #serial = 0

  constructor(mailbox: FuzzedMailbox, seed: number) {
    this.#mailbox = mailbox
    this.#random = new SeededRandom(seed)
    this.#api = mailbox.createApi()
    this.faults = new RandomFaults(seed, mailbox.nullable)
    mailbox.server.on('*', this.faults.apply)
  }

  async start(): Promise<void> {
    const { clock } = this.#mailbox
    for (let count = 0; count < 12; count++) this.#deliver(clock.now - 9 * 86_400_000)
    for (let count = 0; count < 4; count++) this.#mailbox.change(this.#random)
    await this.#settle()
    this.view.skip(this.tables.events)
    const names = this.#names()
    for (const state of this.#indexed())
      this.view.messages.set(state.id, {
        path: names.mailboxOf(state.folderId).path,
        flags: flagNames(state),
        labels: names.labelsOf(state.labels),
      })
    this.tables.isInitialized = true
    this.#compare()
  }

  /**
   * Runs one round: changes of the mailbox, faults of the provider, sync passes and reads. Then the
   * faults end, and index and events are compared with the mailbox.
   */
  async round(): Promise<void> {
    this.#mailbox.server.log.length = 0
    for (let count = this.#random.below(6); count > 0; count--) this.#change()
    if (this.#random.happens(0.3)) this.#mailbox.expire()
    const isForm = this.#random.happens(0.7)
    this.faults.start(this.#choosePlan(isForm))
    for (let count = 1 + this.#random.below(3); count > 0; count--) {
      if (this.#random.happens(0.3)) await this.#read(isForm)
      await this.#pass()
      if (this.#random.happens(0.5)) this.#change()
      this.#mailbox.clock.advance(this.#random.below(2_000))
    }
    this.faults.stop()
    if (!isForm) this.#requireRound()
    await this.#settle()
    this.#compare()
  }

  #change(): void {
    const isDelivery = this.#random.happens(this.#mailbox.isFull() ? 0.2 : 0.5)
    if (isDelivery) this.#deliver()
    else for (const id of this.#mailbox.change(this.#random)) this.#left.add(id)
  }

  #deliver(receivedAt?: number): void {
    this.#mailbox.deliver(`s${++this.#serial}`, this.#random, receivedAt)
  }

  #choosePlan(isForm: boolean): FaultPlan {
    const all = isForm ? [...formFaults, 'reset' as const] : contentFaults
    const one = all[this.#random.below(all.length)] as ResponseFaultKind
    // A single provider response with wrong content must not lead to the deletion of messages from
    // the index.
    if (!isForm) return { kinds: [one], probability: 0.3, repeats: 10, total: 1 }
    const kinds = this.#random.happens(0.5) ? all : [one]
    const probability = [0.05, 0.2, 0.5, 1][this.#random.below(4)] ?? 1
    return { kinds, probability, repeats: 1 + this.#random.below(20) }
  }

  async #pass(): Promise<void> {
    await this.#attempt('pass', async (api, signal) => {
      await this.#feedsOf(api, signal).sync(signal)
    })
  }

  /**
   * Reads messages as commands of API clients do. Each read must either succeed completely or fail.
   */
  async #read(isForm: boolean): Promise<void> {
    const expected = new Map(this.#mailbox.states().map((state) => [state.id, state]))
    const ids = [...expected.keys()]
    const id = ids[this.#random.below(ids.length)] ?? ''
    const read = this.#random.below(3)
    await this.#attempt('read', async (api, signal) => {
      if (read === 0) {
        const options = { headers: true, attachments: true, maxTextBytes: 10_000 }
        const message = await api.getMessage(id, options, signal)
        const text = message.texts?.plain?.trim()
        if (isForm) assertRead({ ...message, text }, expected.get(id))
      } else if (read === 1) {
        const messages = await api.getMessages(ids, {}, signal)
        if (isForm) assertIds(messages, ids)
      } else {
        const listed = []
        for (let pageToken: string | undefined; ;) {
          const page = { limit: 5, ...(pageToken !== undefined && { pageToken }) }
          const answer = await api.listIds({}, page, signal)
          listed.push(...answer.entries)
          pageToken = answer.nextPageToken
          if (pageToken === undefined) break
        }
        const { provider } = this.#mailbox
        const isListed = ({ labels }: FakeState) =>
          provider === 'graph' || !labels.includes('TRASH')
        if (isForm)
          assertIds(
            listed,
            [...expected.values()].filter(isListed).map((each) => each.id),
          )
      }
    })
  }

  /**
   * Runs work of one worker process against the fake provider. Every failure must be an `AppError`;
   * any other error is a bug.
   */
  async #attempt(
    name: string,
    work: (api: MailApi, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const ended = new AbortController()
    const isRestarted = this.#random.happens(0.1)
    const outcome = await work(this.#api, ended.signal).then(
      () => 'done',
      (error: unknown) => {
        if (!(error instanceof AppError)) throw error
        return isMailApiError(error) ? error.failure : error.kind
      },
    )
    ended.abort()
    const key = `${name} ${outcome}`
    this.outcomes.set(key, (this.outcomes.get(key) ?? 0) + 1)
    if (outcome !== 'done' || isRestarted) this.#api = this.#mailbox.createApi()
    this.#applyEvents()
  }

  #feedsOf(api: MailApi, signal: AbortSignal): MailboxFeeds {
    const now = () => this.#mailbox.clock.date
    const drafter = createMessageDrafter({
      api,
      settings: { get: async () => ({}) },
      summaries: {
        startBatch: () => ({ request: async () => undefined, waitAll: (all) => Promise.all(all) }),
      },
      read: readInline,
      onRefusal: () => undefined,
      signal,
    })
    const memory = { parked: this.#parked, losses: this.#losses, maxLeafMessages: 8 }
    const store = new MemoryFeedStore(this.tables)
    return new MailboxFeeds({ api, store, drafter, account, now, ...memory })
  }

  /**
   * Makes the next sync pass compare the whole mailbox, which finds changes that responses left
   * out.
   */
  #requireRound(): void {
    this.#mailbox.expire()
    this.#mailbox.clock.advance(8 * 86_400_000)
  }

  /**
   * Runs sync passes without faults of the provider until no work is due. Each pass must succeed.
   */
  async #settle(): Promise<void> {
    const { clock } = this.#mailbox
    clock.advance(this.#hasDamagedFolder() ? damagedListMs : minute)
    const { signal } = new AbortController()
    for (let pass = 0, isSettled = false; !isSettled; pass++) {
      if (pass > maxPasses) throw new Error('the mailbox does not settle')
      const { dueAt, hasRounds } = await this.#feedsOf(this.#mailbox.createApi(), signal).sync(
        signal,
      )
      if (dueAt) clock.advance(Math.max(0, dueAt.getTime() - clock.now))
      isSettled = !dueAt && !hasRounds && pass > 0
    }
    if (this.view.messages.size > 0) this.#applyEvents()
    this.#left.clear()
  }

  /** True if a folder of Graph is listed around a damaged message, until a day has passed. */
  #hasDamagedFolder(): boolean {
    return [...this.tables.feeds.values()].some(({ cursor }) => cursor?.includes('"damagedAt"'))
  }

  #applyEvents(): void {
    const ids = new Set(this.#mailbox.states().map(({ id }) => id))
    const mayLeave = (id: string) => this.#left.has(id)
    this.view.applyNew(this.tables.events, { mayLeave, exists: (id) => ids.has(id) })
  }

  #indexed() {
    return this.tables.leavesOf('').flatMap(({ content }) => decodeLeaf(content))
  }

  #names(): FolderNames {
    const { placement } = this.#api.traits
    const listed = this.tables.folders.filter(({ former }) => !former)
    return new FolderNames(placement, listed, this.tables.folders)
  }

  #compare(): void {
    const names = this.#names()
    const states = this.#mailbox.states()
    const ofIndex = this.#indexed().map((state) =>
      JSON.stringify([
        state.id,
        names.mailboxOf(state.folderId).path,
        flagNames(state),
        state.labels,
      ]),
    )
    const ofFake = states.map(({ id, place, flags, labels }) =>
      JSON.stringify([id, place, flagNames(flags), labels]),
    )
    assertSameSet('index', ofIndex, ofFake)
    const ofEvents = [...this.view.messages].map(([id, { path, flags, labels }]) =>
      JSON.stringify([id, path, flags, labels]),
    )
    const visible = states.map(({ id, place, flags, labels }) =>
      JSON.stringify([id, place, flagNames(flags), names.labelsOf(labels)]),
    )
    assertSameSet('events', ofEvents, visible)
    assertSameSet('folders', [...this.view.paths], this.#mailbox.paths())
    if (this.#mailbox.provider === 'gmail')
      for (const [id, count] of this.view.announcements)
        if (count > 1) throw new Error(`${id} announced ${count} times`)
  }
}

interface ReadMessage {
  id: string
  envelope: { subject?: string | undefined }
  text: string | undefined
  unseen: boolean
  flagged: boolean
  attachments?: object[]
}

function assertRead(message: ReadMessage, expected: FakeState | undefined): void {
  const { id, envelope, text, unseen, flagged, attachments } = message
  const { subject = '', flags } = expected ?? {}
  const actual = [id, envelope.subject, text, unseen, flagged, attachments]
  const wanted = [expected?.id, subject, `Text of ${subject}`, flags?.unseen, flags?.flagged, []]
  if (JSON.stringify(actual) !== JSON.stringify(wanted))
    throw new Error(`read ${JSON.stringify(actual)} instead of ${JSON.stringify(wanted)}`)
}

function assertIds(entries: readonly { id: string }[], expected: readonly string[]): void {
  const ids = entries.map(({ id }) => id)
  assertSameSet('ids', ids, expected)
}

function assertSameSet(name: string, actual: readonly string[], expected: readonly string[]): void {
  const [one, other] = [new Set(actual), new Set(expected)]
  const surplus = [...one].filter((text) => !other.has(text))
  const lacking = [...other].filter((text) => !one.has(text))
  if (surplus.length + lacking.length > 0 || actual.length !== expected.length)
    throw new Error(`${name}: surplus ${surplus.join(' ')}, lacking ${lacking.join(' ')}`)
}
