import { defined } from '@posthorn/contracts/defined'
import {
  type AppendTarget,
  bytesOf,
  type DepositOptions,
  type DraftQuery,
  type Feed,
  type FeedPosition,
  type FolderChange,
  type ApiDraft,
  type ApiFolder,
  type GetOptions,
  type MailApi,
  type MailApiTraits,
  maxGetIds,
  type MessageContent,
  type MessageQuery,
  type MessageUpdate,
  type MoveTarget,
  type NewFolder,
  type PageOptions,
} from '@posthorn/backends/mail-api'
import { type FeedFaults, feedsOf, readFeed } from './feeds.ts'
import { countMessages, createFolder, deleteFolder, renameFolder } from './folders.ts'
import { ModelReader } from './reader.ts'
import type { ModelSending } from './sending.ts'
import type { ModelStore } from './store.ts'
import type { ModelWatches } from './watches.ts'
import { ModelWriter } from './writer.ts'

/**
 * Point of a call of the mail API at which a test may cut off the calling process: `before` the
 * call takes effect, or `after`, when only its response is lost.
 */
export interface CutPoint {
  method: keyof MailApi
  phase: 'before' | 'after'
  /** Number of the mail API call at which the process is cut off, counted from 1. */
  call: number
}

export type CutHook = (point: CutPoint) => void

interface ModelApiOptions {
  store: ModelStore
  sending: ModelSending
  watches: ModelWatches
  feedFaults: FeedFaults
  traits: MailApiTraits
  maxListPage: number
  onCall: CutHook
}

/** Implementation of `MailApi` on a model mailbox in memory. */
export class ModelApi implements MailApi {
  readonly traits: MailApiTraits
  /** Number of calls of the model mailbox's `MailApi`, by method. */
  readonly calls = new Map<keyof MailApi, number>()
  readonly #store: ModelStore
  readonly #options: ModelApiOptions
  readonly #reader: ModelReader
  readonly #writer: ModelWriter
  #callCount = 0

  constructor(options: ModelApiOptions) {
    this.traits = options.traits
    this.#store = options.store
    this.#options = options
    this.#reader = new ModelReader(options.store, options.maxListPage)
    this.#writer = new ModelWriter(options.store, options.traits)
  }

  profile(signal: AbortSignal) {
    return this.#call('profile', signal, () => ({
      address: 'jane@mail.example',
      ...(this.traits.placement === 'labels' && { messages: this.#store.messages.size }),
    }))
  }

  folders(signal: AbortSignal) {
    return this.#call('folders', signal, () => [...this.#store.folders.values()])
  }

  folderPlace(id: string, signal: AbortSignal) {
    return this.#call('folderPlace', signal, () => {
      const { path, parentId } = this.#store.getFolder(id)
      return defined({ name: path.at(-1) ?? '', parentId })
    })
  }

  folderCounts(id: string, signal: AbortSignal) {
    return this.#call('folderCounts', signal, () => countMessages(this.#store, id))
  }

  createFolder(folder: NewFolder, signal: AbortSignal) {
    return this.#call('createFolder', signal, () => createFolder(this.#store, folder))
  }

  renameFolder(id: string, change: FolderChange, signal: AbortSignal) {
    return this.#call('renameFolder', signal, () =>
      renameFolder(this.#store, this.#store.getFolder(id), change),
    )
  }

  deleteFolder(id: string, signal: AbortSignal) {
    return this.#call('deleteFolder', signal, () =>
      deleteFolder(this.#store, this.#store.getFolder(id)),
    )
  }

  listIds(query: MessageQuery, page: PageOptions, signal: AbortSignal) {
    return this.#call('listIds', signal, () =>
      this.#reader.list(query, page, ({ id, threadId }) => ({ id, threadId })),
    )
  }

  listMessages(query: MessageQuery, page: PageOptions, signal: AbortSignal) {
    return this.#call('listMessages', signal, () =>
      this.#reader.list(query, page, (message) => this.#reader.describe(message, {})),
    )
  }

  getMessage(id: string, options: GetOptions, signal: AbortSignal) {
    return this.#call('getMessage', signal, () =>
      this.#reader.describe(this.#reader.get(id), options),
    )
  }

  getMessages(ids: readonly string[], options: GetOptions, signal: AbortSignal) {
    return this.#call('getMessages', signal, () => {
      if (ids.length > maxGetIds) throw new Error(`more than ${maxGetIds} ids`)
      return ids.flatMap((id) => {
        const message = this.#reader.find(id)
        return message ? [this.#reader.describe(message, options)] : []
      })
    })
  }

  downloadSource(id: string, signal: AbortSignal) {
    return this.#call('downloadSource', signal, () => this.#reader.source(id, signal))
  }

  downloadAttachment(part: { id: string; partId: string }, signal: AbortSignal) {
    return this.#call('downloadAttachment', signal, () => this.#reader.attachment(part, signal))
  }

  updateMessages(ids: readonly string[], update: MessageUpdate, signal: AbortSignal) {
    return this.#call('updateMessages', signal, () => this.#writer.update(ids, update))
  }

  moveMessages(ids: readonly string[], target: MoveTarget, signal: AbortSignal) {
    return this.#call('moveMessages', signal, () => this.#writer.move(ids, target))
  }

  trashMessages(ids: readonly string[], signal: AbortSignal) {
    return this.#call('trashMessages', signal, () => this.#writer.trash(ids))
  }

  removeMessages(ids: readonly string[], signal: AbortSignal) {
    return this.#call('removeMessages', signal, () => this.#writer.remove(ids))
  }

  appendMessage(content: Uint8Array, target: AppendTarget, signal: AbortSignal) {
    return this.#call('appendMessage', signal, () => this.#writer.append(content, target))
  }

  feeds(folders: readonly ApiFolder[]) {
    return feedsOf(
      this.#store,
      folders.map(({ id }) => id),
    )
  }

  changes(feed: Feed, position: FeedPosition, signal: AbortSignal) {
    return this.#call('changes', signal, () =>
      readFeed(this.#store, this.#options.feedFaults, { feed, position }),
    )
  }

  watch(_secret: string, signal: AbortSignal) {
    return this.#call('watch', signal, () => this.#options.watches.start())
  }

  renewWatch(id: string, signal: AbortSignal) {
    return this.#call('renewWatch', signal, () => this.#options.watches.renew(id))
  }

  stopWatch(id: string, signal: AbortSignal) {
    return this.#call('stopWatch', signal, () => this.#options.watches.stop(id))
  }

  listWatches(signal: AbortSignal) {
    return this.#call('listWatches', signal, () => this.#options.watches.list())
  }

  async depositDraft(content: MessageContent, { threadId }: DepositOptions, signal: AbortSignal) {
    const bytes = await bytesOf(content, this.traits.maxSentBytes)
    return this.#call('depositDraft', signal, () => this.#options.sending.deposit(bytes, threadId))
  }

  releaseDraft(id: string, signal: AbortSignal) {
    return this.#call('releaseDraft', signal, () => this.#options.sending.release(id))
  }

  findDrafts(query: DraftQuery, signal: AbortSignal) {
    return this.#call('findDrafts', signal, () => this.#options.sending.findDrafts(query))
  }

  findSent(draft: ApiDraft & { messageIdHeader?: string }, signal: AbortSignal) {
    return this.#call('findSent', signal, () => this.#options.sending.findSent(draft))
  }

  discardDraft(id: string, signal: AbortSignal) {
    return this.#call('discardDraft', signal, () => this.#options.sending.discard(id))
  }

  async sendMessage(content: MessageContent, { threadId }: DepositOptions, signal: AbortSignal) {
    const bytes = await bytesOf(content, this.traits.maxSentBytes)
    return this.#call('sendMessage', signal, () => this.#options.sending.send(bytes, threadId))
  }

  async #call<T>(method: keyof MailApi, signal: AbortSignal, run: () => T): Promise<T> {
    signal.throwIfAborted()
    const call = ++this.#callCount
    this.calls.set(method, (this.calls.get(method) ?? 0) + 1)
    this.#options.onCall({ method, phase: 'before', call })
    const result = run()
    this.#options.onCall({ method, phase: 'after', call })
    return result
  }
}
