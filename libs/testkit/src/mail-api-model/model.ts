import {
  type ApiFolder,
  MailApiError,
  type MailApiErrorOptions,
  type MailApiFailure,
  type MailApiTraits,
} from '@posthorn/backends/mail-api'
import { type CutHook, ModelApi } from './api.ts'
import type { FeedFaults } from './feeds.ts'
import { addSystemFolders } from './folders.ts'
import { SeededRandom } from './random.ts'
import { ModelSending } from './sending.ts'
import {
  type ModelChange,
  type ModelMessage,
  ModelStore,
  type NewMessage,
  type Placement,
} from './store.ts'
import { ModelWatches } from './watches.ts'

export interface MailApiModelOptions {
  placement: Placement
  /** Seed of the model mailbox's random ids and faults. Defaults to 1. */
  seed?: number
  /** Number of changes per feed (change list) for which cursors stay valid. Defaults to 100,000. */
  historyLimit?: number
  /** Maximum entries per page of a list in the model mailbox. Defaults to 500. */
  maxListPage?: number
  /**
   * Faults of the model mailbox's feeds (change lists). Default: no faults, pages of 500 entries
   * and 1,000 valid cursors.
   */
  feedFaults?: Partial<FeedFaults>
  /**
   * Traits of the mail provider that replace the default traits of a mailbox with labels or with
   * folders (`placement`).
   */
  traits?: Partial<Omit<MailApiTraits, 'placement'>>
  /**
   * Current time for arriving messages and for watches (registrations for notifications). Default:
   * a constant time.
   */
  now?: () => Date
}

const mib = 1_048_576

/**
 * Mailbox of an API account in memory. Equal seeds and calls give equal results. `api` is the
 * interface of the provider. The other members act as another client of the mailbox.
 */
export class MailApiModel {
  readonly api: ModelApi
  readonly store: ModelStore
  readonly sending: ModelSending
  readonly watches: ModelWatches
  /** Faults of the model mailbox's feeds (change lists), which may be changed at any time. */
  readonly feedFaults: FeedFaults
  /**
   * Called before and after every call of the model's mail API. May throw an error, which ends the
   * call.
   */
  onCall: CutHook = () => undefined
  readonly #failures: MailApiError[] = []

  constructor(options: MailApiModelOptions) {
    const { placement } = options
    this.feedFaults = {
      maxPage: 500,
      replays: 0,
      outdated: 0,
      emptyPages: 0,
      losesReturns: false,
      liveCursors: 1_000,
      shortRounds: 0,
      ...options.feedFaults,
    }
    this.store = new ModelStore({
      placement,
      random: new SeededRandom(options.seed ?? 1),
      historyLimit: options.historyLimit ?? 100_000,
      now: options.now ?? (() => new Date('2026-11-01T12:00:00Z')),
    })
    addSystemFolders(this.store)
    const traits: MailApiTraits = {
      appends: placement === 'labels' ? 'all' : 'drafts',
      removes: placement === 'folder',
      maxSentBytes: 35 * mib,
      ...options.traits,
      placement,
    }
    this.sending = new ModelSending(this.store, traits.maxSentBytes)
    this.watches = new ModelWatches(this.store)
    this.api = new ModelApi({
      store: this.store,
      sending: this.sending,
      watches: this.watches,
      feedFaults: this.feedFaults,
      traits,
      maxListPage: options.maxListPage ?? 500,
      onCall: (point) => this.#onCall(point),
    })
  }

  /**
   * Stores a message in the model mailbox. The message arrives in the inbox unless `placed` names
   * another folder.
   */
  deliver(raw: string | Uint8Array, placed: Partial<NewMessage> = {}): ModelMessage {
    const folderId = placed.folderId ?? this.folder('\\Inbox').id
    return this.store.insert(Buffer.from(raw), { unseen: true, ...placed, folderId })
  }

  /**
   * Finds a message of the model mailbox by id.
   * @throws Error if the message does not exist
   */
  message(id: string): ModelMessage {
    const message = this.store.messages.get(id)
    if (!message) throw new Error(`no message ${id}`)
    return message
  }

  change(id: string, change: ModelChange): void {
    this.store.change(this.message(id), change)
  }

  remove(id: string): void {
    this.store.remove(this.message(id))
  }

  /**
   * Finds a folder of the model mailbox by special use.
   * @throws Error if no folder has this special use
   */
  folder(specialUse: string): ApiFolder {
    const folder = this.store.findFolder(specialUse)
    if (!folder) throw new Error(`no folder ${specialUse}`)
    return folder
  }

  /**
   * Lets the next call of the model's mail API fail without executing it. Several failures apply to
   * one call each, in order.
   */
  failNext(failure: MailApiFailure, options?: MailApiErrorOptions): void {
    this.#failures.push(new MailApiError(failure, `model: ${failure}`, options))
  }

  #onCall(point: Parameters<CutHook>[0]): void {
    const failure = point.phase === 'before' ? this.#failures.shift() : undefined
    if (failure) throw failure
    this.onCall(point)
  }
}
