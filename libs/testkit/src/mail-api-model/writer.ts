import {
  type AppendTarget,
  type BulkResult,
  MailApiError,
  type MailApiTraits,
  maxBulkIds,
  type MessageUpdate,
  type MoveResult,
  type MoveTarget,
} from '@posthorn/backends/mail-api'
import { defined } from '@posthorn/contracts/defined'
import type { ModelMessage, ModelStore } from './store.ts'

/** Changes messages of a model mailbox. */
export class ModelWriter {
  readonly #store: ModelStore
  readonly #traits: MailApiTraits

  constructor(store: ModelStore, traits: MailApiTraits) {
    this.#store = store
    this.#traits = traits
  }

  update(ids: readonly string[], update: MessageUpdate): BulkResult {
    const { unseen, flagged, setLabels, addLabels = [], removeLabels = [] } = update
    if (setLabels && this.#traits.placement === 'labels')
      throw new MailApiError('unsupported-operation', 'Labels cannot be replaced.')
    this.#assertAssignable([...addLabels, ...removeLabels])
    return this.#each(ids, (message) =>
      this.#store.change(
        message,
        defined({
          unseen,
          flagged,
          addLabels: setLabels ?? addLabels,
          removeLabels: setLabels
            ? [...message.labels].filter((label) => !setLabels.includes(label))
            : removeLabels,
        }),
      ),
    )
  }

  move(ids: readonly string[], { to, from }: MoveTarget): MoveResult {
    if (this.#traits.placement === 'labels' && from === undefined)
      throw new MailApiError('unsupported-operation', 'Moving requires the source folder.')
    this.#store.getFolder(to)
    return this.#move(ids, to, from)
  }

  trash(ids: readonly string[]): MoveResult {
    const trash = this.#store.findFolder('\\Trash')
    if (!trash) throw new MailApiError('trash-missing', 'The mailbox has no trash folder.')
    return this.#move(ids, trash.id, this.#store.findFolder('\\Inbox')?.id)
  }

  remove(ids: readonly string[]): BulkResult {
    if (!this.#traits.removes)
      throw new MailApiError('unsupported-operation', 'Messages cannot be deleted permanently.')
    return this.#each(ids, (message) => this.#store.remove(message))
  }

  append(content: Uint8Array, target: AppendTarget): { id: string; threadId: string } {
    if (this.#traits.appends === 'drafts' && !target.draft)
      throw new MailApiError('unsupported-operation', 'Only drafts can be uploaded.')
    if (content.length > this.#traits.maxSentBytes)
      throw new MailApiError('too-large', 'The message exceeds the maximum supported size.')
    const { id, threadId } = this.#store.insert(content, target)
    return { id, threadId }
  }

  #each(ids: readonly string[], run: (message: ModelMessage) => void): BulkResult {
    if (ids.length > maxBulkIds) throw new Error(`more than ${maxBulkIds} ids`)
    const missing: string[] = []
    for (const id of ids) {
      const message = this.#store.messages.get(id)
      if (message) run(message)
      else missing.push(id)
    }
    return { missing }
  }

  #move(ids: readonly string[], to: string, from?: string): MoveResult {
    const removeLabels = from === undefined || from === to ? [] : [from]
    const change =
      this.#traits.placement === 'labels' ? { addLabels: [to], removeLabels } : { folderId: to }
    return {
      ...this.#each(ids, (message) => this.#store.change(message, change)),
      newIds: new Map(),
    }
  }

  #assertAssignable(labels: readonly string[]): void {
    if (this.#traits.placement === 'folder') return
    for (const label of labels) {
      const folder = this.#store.folders.get(label)
      if (!folder) throw new MailApiError('label-missing', `No label ${label}.`)
      if (!folder.assignable)
        throw new MailApiError('refused', `Invalid label: ${label}`, { status: 400 })
    }
  }
}
