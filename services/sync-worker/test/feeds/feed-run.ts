import { isMailApiError, MailApiError } from '@posthorn/backends/mail-api'
import { AppError } from '@posthorn/errors'
import { MailApiModel, type ModelMessage, SeededRandom } from '@posthorn/testkit/mail-api-model'
import { flagNames } from '../../src/drivers/api/events/feed-events.ts'
import { FolderNames, pathOf } from '../../src/drivers/api/events/folder-names.ts'
import { MailboxFeeds } from '../../src/drivers/api/feeds/mailbox-feeds.ts'
import { RoundLosses } from '../../src/drivers/api/feeds/round-losses.ts'
import type { MessageDrafter } from '../../src/drivers/api/messages/message-drafter.ts'
import type { PassOptions } from '../../src/drivers/api/feeds/feed-pass.ts'
import { decodeLeaf, encodeLeaf, leafFormats } from '../../src/drivers/api/index/leaf-content.ts'
import { stateOfMessage } from '../../src/drivers/api/index/indexed-message.ts'
import { EventView } from './event-view.ts'
import { account, MemoryFeedStore, MemoryTables } from './memory-feed-store.ts'

/** Error that simulates the end of a worker process. */
export class Crash extends Error {}

export const drafter: MessageDrafter = {
  getOptions: () => Promise.resolve({}),
  addSummaries: () => Promise.resolve(),
  draft: (message, names) => {
    const { id, folderId, labels, receivedAt, envelope } = message
    const messageSpecialUse = names.specialUseOf({ folderId: folderId ?? '', labels })
    return Promise.resolve({
      draft: {
        id,
        path: names.mailboxOf(folderId).path,
        date: receivedAt.toISOString(),
        flags: flagNames(message),
        labels: names.labelsOf(stateOfMessage(message).labels),
        ...(envelope.messageId !== undefined && { messageId: envelope.messageId }),
        ...(messageSpecialUse && { messageSpecialUse }),
      },
    })
  },
}

const labelNames = ['red', 'green', 'blue']

/**
 * Random changes of a model mailbox, and sync passes of workers that crash and overtake each other.
 */
export class FeedRun {
  readonly model: MailApiModel
  readonly tables = new MemoryTables()
  readonly view = new EventView()
  readonly #random: SeededRandom
  /**
   * Random numbers that select the leaves (blocks of the message index) with the format of the next
   * release.
   */
  readonly #formats: SeededRandom
  readonly #readLag: boolean
  readonly #drafts: string[] = []
  #time = account.notifyFrom.getTime()
  #worker: MailboxFeeds
  #serial = 0
  /** Probability that the model provider refuses requested messages. */
  #refusals = 0
  #checkedEvents = 0
  /** True if the provider's lists of folders sometimes leave out folders. */
  #isListIncomplete = false
  /** Number of sync passes by outcome, such as a crash. */
  readonly outcomes: Record<string, number> = {}

  /**
   * Creates a random run against a model mailbox. With `readLag`, moved messages cannot be read for
   * a while.
   */
  constructor(placement: 'labels' | 'folder', seed: number, readLag = false) {
    this.#readLag = readLag
    this.#formats = new SeededRandom(seed + 1)
    this.#random = new SeededRandom(seed)
    this.model = new MailApiModel({
      placement,
      seed,
      historyLimit: 2_000,
      maxListPage: 7,
      now: () => new Date(this.#time),
      feedFaults: {
        maxPage: 5,
        replays: 0.2,
        outdated: 0.2,
        emptyPages: 0.1,
        // With `readLag`, feeds lose no returns to a folder: a message that cannot be read yet
        // would then count as removed until the next full round.
        losesReturns: !readLag,
        liveCursors: 4,
        shortRounds: 0.5,
      },
    })
    const { api } = this.model
    const getMessages = api.getMessages.bind(api)
    api.getMessages = async (...call) => {
      if (this.#random.happens(this.#refusals)) throw new MailApiError('unavailable', 'refused')
      return getMessages(...call)
    }
    const folders = api.folders.bind(api)
    api.folders = async (signal) => {
      const listed = await folders(signal)
      const isComplete = !this.#isListIncomplete || !this.#random.happens(0.2)
      return isComplete ? listed : listed.filter(() => this.#random.happens(0.7))
    }
    this.#worker = this.#startWorker()
    for (let count = 0; count < 12; count++) this.#deliver(new Date(this.#time - 86_400_000 * 9))
  }

  get now(): Date {
    return new Date(this.#time)
  }

  /** Makes one random change of the model mailbox, or runs a sync pass of a worker. */
  async step(): Promise<void> {
    this.#time += this.#random.below(300)
    if (this.#formats.happens(0.05)) this.#storeAsNextRelease()
    if (this.#random.happens(0.15)) await this.#pass()
    else if (this.#random.happens(0.0005)) this.model.store.expireHistory()
    else this.#change()
  }

  /**
   * Stores a random leaf of the message index in the format of the next release, as that release
   * would leave the leaf at a rollback.
   */
  #storeAsNextRelease(): void {
    const leaves = [...this.tables.parts.values()].flat()
    const leaf = leaves[this.#formats.below(leaves.length)]
    if (leaf) leaf.content = encodeLeaf(decodeLeaf(leaf.content), leafFormats.columns)
  }

  /**
   * Suspends the faults that hide changes and syncs all changes, then compares the message index
   * and the events with the model mailbox.
   */
  async settle(): Promise<void> {
    Object.assign(this.model.feedFaults, { outdated: 0, shortRounds: 0 })
    this.#isListIncomplete = false
    this.#worker = this.#startWorker()
    // Messages that the model provider hides appear after some reads.
    for (let pass = 0; pass < 6; pass++) {
      this.#time += 40_000
      await this.#worker.sync(new AbortController().signal)
      this.#applyEvents()
    }
    Object.assign(this.model.feedFaults, { outdated: 0.2, shortRounds: 0.5 })
    this.#isListIncomplete = this.model.store.placement === 'folder'
    this.#compare()
  }

  async #pass(): Promise<void> {
    const kind = this.#random.below(10)
    const { tables, model } = this
    let countdown = 1 + this.#random.below(12)
    if (kind < 3) tables.onCommit = crashAt(this.#random.below(2) === 0 ? 'before' : 'after')
    else if (kind < 5)
      tables.onOperation = async () => {
        if (--countdown !== 0) return
        await this.#takeOver()
      }
    else if (kind === 5)
      model.onCall = () => {
        if (--countdown === 0) throw new Crash()
      }
    else if (kind === 6) this.#refusals = 0.3
    const outcome = await this.#worker.sync(new AbortController().signal, this.#passOptions()).then(
      ({ hasRounds }) => (hasRounds ? 'yielded' : 'done'),
      (error: unknown) => this.#outcomeOf(error),
    )
    this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + 1
    tables.onCommit = () => undefined
    tables.onOperation = () => Promise.resolve()
    model.onCall = () => undefined
    this.#refusals = 0
    this.#applyEvents()

    function crashAt(phase: 'before' | 'after') {
      return (at: 'before' | 'after') => {
        if (at === phase && --countdown === 0) throw new Crash()
      }
    }
  }

  /**
   * Random options of a sync pass: over the whole mailbox, or over messages that notifications
   * named. Requests for other passes sometimes interrupt the full rounds.
   */
  #passOptions(): PassOptions {
    if (this.#random.happens(0.005)) this.#worker.requireRounds()
    const mustYield = () => this.#random.happens(0.3)
    if (this.#random.happens(0.5)) return { mustYield }
    const ids = [...this.model.store.messages.keys(), 'unknown']
    const messages = new Map<string, boolean>()
    for (let count = this.#random.below(5); count > 0; count--)
      messages.set(this.#pick(ids.slice(-10)), this.#random.happens(0.2))
    return { parts: { messages, specialUses: this.#random.happens(0.2) ? ['\\Inbox'] : [] } }
  }

  #outcomeOf(error: unknown): string {
    const isStale = error instanceof AppError && error.kind === 'stale'
    if (isMailApiError(error, 'stale-page')) return 'stale page'
    if (isMailApiError(error, 'unavailable')) return 'unavailable'
    if (!isStale && !(error instanceof Crash)) throw error
    this.#worker = this.#startWorker()
    return isStale ? 'stale' : 'crash'
  }

  /**
   * Simulates that another worker claims the shard and syncs, while the first worker is in the
   * middle of a sync pass.
   */
  async #takeOver(): Promise<void> {
    this.tables.leaseEpoch++
    this.tables.onOperation = () => Promise.resolve()
    for (let count = this.#random.below(4); count > 0; count--) this.#change()
    await this.#startWorker().sync(new AbortController().signal)
  }

  #startWorker(): MailboxFeeds {
    const store = new MemoryFeedStore(this.tables)
    return new MailboxFeeds({
      api: this.model.api,
      store,
      drafter,
      account,
      now: () => new Date(this.#time),
      maxLeafMessages: 8,
      losses: new RoundLosses(() => new Date(this.#time), 2),
    })
  }

  /**
   * True if the message of a `messageDeleted` event still exists. Always false with placement
   * `folder`, because moves are reported by `messageDeleted`, too.
   */
  #isKept(data: unknown): boolean {
    const { placement, messages } = this.model.store
    return placement === 'labels' && messages.has((data as { id: string }).id)
  }

  #applyEvents(): void {
    for (const { event, path, data } of this.tables.events.slice(this.#checkedEvents)) {
      const exists = [...this.model.store.folders.values()].some((each) => pathOf(each) === path)
      if (event === 'messageDeleted' && this.#isKept(data))
        throw new Error('existing message deleted')
      if (event === 'mailboxDeleted' && exists) throw new Error(`${path} deleted, which exists`)
    }
    this.#checkedEvents = this.tables.events.length
    this.view.applyNew(this.tables.events)
    if (!this.view.isLenient || this.tables.mailbox?.filledAt == null) return
    this.view.isLenient = false
    this.tables.isInitialized = true
    const names = this.#names()
    for (const state of this.indexed())
      if (!this.view.messages.has(state.id))
        this.view.messages.set(state.id, {
          path: names.mailboxOf(state.folderId).path,
          flags: flagNames(state),
          labels: names.labelsOf(state.labels),
        })
  }

  #names(): FolderNames {
    const { placement, folders } = this.model.store
    return new FolderNames(placement, [...folders.values()], this.tables.folders)
  }

  indexed() {
    return this.tables.leavesOf('').flatMap(({ content }) => decodeLeaf(content))
  }

  #change(): void {
    const { store } = this.model
    const messages = [...store.messages.values()]
    const message = messages[this.#random.below(messages.length)]
    const action = this.#random.below(100)
    if (!message || action < (messages.length > 40 ? 15 : 30)) this.#deliver()
    else if (action < 45) this.model.remove(message.id)
    else if (action < 60) this.#changeFlags(message)
    else if (action < 78) this.#changeLabels(message)
    else if (action < 92) this.#move(message)
    else if (action < 95) this.#sendDraft()
    else if (action === 95) this.#changeFolders()
    else this.#deliver()
  }

  #deliver(receivedAt?: Date): void {
    const isHidden = receivedAt === undefined && this.#random.happens(0.1)
    this.model.deliver(`Message-ID: <${++this.#serial}@x>\r\nSubject: s\r\n\r\nx`, {
      ...(receivedAt && { receivedAt }),
      // Messages are hidden only after the message index was filled: a client cannot distinguish a
      // hidden old message from a deleted message.
      ...(isHidden && !this.view.isLenient && { hiddenReads: 1 + this.#random.below(3) }),
      folderId: this.#pick(this.#folderIds()),
    })
  }

  #changeFlags({ id, flags }: ModelMessage): void {
    if (this.#random.happens(0.5)) this.model.change(id, { unseen: !flags.unseen })
    else this.model.change(id, { flagged: !flags.flagged })
  }

  #changeLabels({ id, labels }: ModelMessage): void {
    const isLabels = this.model.store.placement === 'labels'
    const label = this.#pick(isLabels ? this.#folderIds() : labelNames)
    this.model.change(id, labels.has(label) ? { removeLabels: [label] } : { addLabels: [label] })
  }

  /** Moves a message of the model mailbox, sometimes away and back within one sync pass. */
  #move(message: ModelMessage): void {
    if (this.model.store.placement === 'labels') return this.#changeLabels(message)
    // The feed may report a move only as a removal. If the message cannot be read yet, the move is
    // announced after the next full round.
    if (message.hiddenReads > 0 && !this.#readLag) return
    if (this.#readLag && !this.view.isLenient && this.#random.happens(0.5))
      message.hiddenReads = 1 + this.#random.below(3)
    const { id, folderId = '' } = message
    this.model.change(id, { folderId: this.#pick(this.#folderIds()) })
    if (this.#random.happens(0.3)) this.model.change(id, { folderId })
  }

  /** Creates a draft for a submission, or sends a draft that was created before. */
  #sendDraft(): void {
    const { sending } = this.model
    const draft = this.#random.happens(0.5) ? this.#drafts.shift() : undefined
    if (this.view.isLenient) return
    if (draft !== undefined) {
      if (sending.findDrafts({ draftId: draft }).length > 0) sending.release(draft)
      return
    }
    const messageId = `<draft-${++this.#serial}@x>`
    this.tables.submitted.add(messageId)
    const content = Buffer.from(`Message-ID: ${messageId}\r\nTo: a@b.example\r\n\r\nx`)
    this.#drafts.push(sending.deposit(content).id)
  }

  #changeFolders(): void {
    const { store } = this.model
    const own = [...store.folders.values()].filter(({ editable }) => editable)
    const folder = own.length > 2 ? own[this.#random.below(own.length)] : undefined
    if (folder) {
      store.removeFolder(folder.id)
      return
    }
    const id = `${store.placement === 'labels' ? 'Label_' : 'AQMk'}${++this.#serial}`
    store.addFolder({ id, path: [`own ${id}`], editable: true, assignable: true })
  }

  #folderIds(): string[] {
    return [...this.model.store.folders.keys()].filter((id) => id !== 'DRAFT' && id !== 'SENT')
  }

  #pick<T>(from: readonly T[]): T {
    return from[this.#random.below(from.length)] as T
  }

  #compare(): void {
    const names = this.#names()
    const isOwnDraft = ({ content, flags }: ModelMessage) =>
      flags.draft && this.tables.submitted.has(content.header('message-id') ?? '')
    const expected = [...this.model.store.messages.values()].filter((each) => !isOwnDraft(each))
    const describe = (id: string, folderId: string | undefined, rest: unknown) =>
      JSON.stringify([id, names.mailboxOf(folderId).path, rest])
    const ofModel = expected.map(({ id, folderId, flags, labels }) =>
      describe(id, folderId, [flagNames(flags), [...labels].sort()]),
    )
    const ofIndex = this.indexed().map((state) =>
      describe(state.id, state.folderId, [flagNames(state), state.labels]),
    )
    assertSame('index', ofIndex, ofModel)
    const ofEvents = [...this.view.messages].map(([id, { path, flags, labels }]) =>
      JSON.stringify([id, path, [flags, labels]]),
    )
    const visible = expected.map(({ id, folderId, flags, labels }) =>
      describe(id, folderId, [flagNames(flags), names.labelsOf([...labels].sort())]),
    )
    assertSame('events', ofEvents, visible)
    const shown = [...this.model.store.folders.values()].filter(
      (each) => each.category === undefined,
    )
    const paths = shown.map(({ path }) => path.join('/'))
    assertSame('folders', [...this.view.mailboxes], paths)
  }
}

function assertSame(name: string, actual: string[], expected: string[]): void {
  const [one, other] = [new Set(actual), new Set(expected)]
  const surplus = [...one].filter((text) => !other.has(text))
  const lacking = [...other].filter((text) => !one.has(text))
  if (surplus.length + lacking.length > 0 || actual.length !== expected.length)
    throw new Error(`${name}: surplus ${surplus.join(' ')}, lacking ${lacking.join(' ')}`)
}
