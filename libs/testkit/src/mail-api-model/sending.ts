import { createHash } from 'node:crypto'
import {
  type ApiDraft,
  type ApiSentMessage,
  type DraftQuery,
  MailApiError,
} from '@posthorn/backends/mail-api'
import { defined } from '@posthorn/contracts/defined'
import { ModelContent, replaceHeader } from './content.ts'
import type { ModelMessage, ModelStore } from './store.ts'

/** Drafts and sent messages of a model mailbox. */
export class ModelSending {
  /** Sources of all messages that were sent from the model mailbox, in order. */
  readonly sent: Buffer[] = []
  /** Number of the next lookups in the model mailbox that do not find a sent message yet. */
  hiddenLookups = 0
  /**
   * Number of the next lookups by Message-ID in the model mailbox that do not find a draft yet, as
   * with an index that lags behind.
   */
  hiddenDraftLookups = 0
  /**
   * Message ids of the model mailbox's drafts that are incomplete, because their creation was
   * interrupted.
   */
  readonly incomplete = new Set<string>()
  readonly #store: ModelStore
  readonly #maxBytes: number
  /**
   * Message ids by draft id. In mailboxes with folders (placement `folder`), drafts are messages
   * and have no own id.
   */
  readonly #drafts = new Map<string, string>()

  constructor(store: ModelStore, maxBytes: number) {
    this.#store = store
    this.#maxBytes = maxBytes
  }

  deposit(content: Uint8Array, threadId?: string): ApiDraft {
    this.#assertSendable(content)
    const message = this.#store.insert(
      content,
      defined({
        folderId: this.#folderOf('\\Drafts'),
        draft: true,
        threadId: this.#threadOf(threadId),
      }),
    )
    const id =
      this.#store.placement === 'labels'
        ? `r-${this.#store.random.text(18, '123456789')}`
        : message.id
    this.#drafts.set(id, message.id)
    return this.#view(message)
  }

  /**
   * Replaces the content of a draft in the model mailbox, as another client would. Returns the new
   * id of the draft's message.
   */
  edit(messageId: string, content: Uint8Array): string {
    const message = this.#store.messages.get(messageId)
    if (!message?.flags.draft) throw new Error(`no draft ${messageId}`)
    if (this.#store.placement === 'folder') {
      message.content = new ModelContent(content)
      return messageId
    }
    const draftId = this.#draftIdOf(messageId)
    const { threadId } = message
    this.#store.remove(message)
    const folderId = this.#folderOf('\\Drafts')
    const { id } = this.#store.insert(content, { folderId, draft: true, threadId })
    this.#drafts.set(draftId, id)
    return id
  }

  release(id: string): ApiSentMessage {
    const message = this.#messageOf(id)
    if (!message) throw new MailApiError('message-missing', 'The draft does not exist.')
    this.#assertRecipients(message.content.raw)
    this.#drafts.delete(id)
    if (this.#store.placement === 'labels') {
      this.#store.remove(message)
      return this.#storeSent(message.content.raw, message.threadId)
    }
    this.sent.push(message.content.raw)
    this.#store.change(message, { folderId: this.#folderOf('\\Sent'), draft: false })
    return {}
  }

  send(content: Uint8Array, threadId?: string): ApiSentMessage {
    this.#assertSendable(content)
    this.#assertRecipients(Buffer.from(content))
    return this.#storeSent(Buffer.from(content), this.#threadOf(threadId))
  }

  discard(id: string): void {
    const message = this.#messageOf(id)
    this.#drafts.delete(id)
    if (message) this.#store.remove(message)
  }

  findDrafts(query: DraftQuery): ApiDraft[] {
    const ofIncomplete = 'messageIdHeader' in query && query.incomplete === true
    if ('messageIdHeader' in query && !ofIncomplete && this.hiddenDraftLookups > 0) {
      this.hiddenDraftLookups--
      return []
    }
    const drafts = this.#store.list().filter(({ flags }) => flags.draft)
    return drafts
      .map((message) => ({
        draft: this.#view(message),
        header: message.content.header('message-id'),
      }))
      .filter(
        ({ draft: { id, messageId }, header }) =>
          ('draftId' in query && query.draftId === id) ||
          ('messageId' in query && query.messageId === messageId) ||
          ('messageIdHeader' in query &&
            query.messageIdHeader === header &&
            this.incomplete.has(messageId) === ofIncomplete),
      )
      .slice(0, 10)
      .map(({ draft }) => draft)
  }

  #view({ id, threadId, content }: ModelMessage): ApiDraft {
    const draft = { id: this.#draftIdOf(id), messageId: id, threadId }
    if (this.#store.placement === 'labels') return draft
    return { ...draft, version: createHash('sha256').update(content.raw).digest('base64') }
  }

  /**
   * Finds the sent message of a model draft by id, otherwise by Message-ID, otherwise by thread,
   * because the id and the Message-ID may have changed.
   */
  findSent(draft: ApiDraft & { messageIdHeader?: string }): ApiSentMessage | undefined {
    if (this.hiddenLookups > 0) {
      this.hiddenLookups--
      return undefined
    }
    const sent = this.#store.list(this.#folderOf('\\Sent'))
    const header = draft.messageIdHeader
    const message =
      sent.find(({ id }) => id === draft.messageId) ??
      sent.find(({ content }) => header !== undefined && content.header('message-id') === header) ??
      sent.find(({ threadId }) => threadId === draft.threadId)
    return message && sentMessage(message)
  }

  #storeSent(raw: Buffer, threadId?: string): ApiSentMessage {
    this.sent.push(raw)
    const replaced = `<CA+${this.#store.random.text(20, 'abcdefghij0123456789')}@mail.example>`
    const stored =
      this.#store.placement === 'labels' ? replaceHeader(raw, 'Message-ID', replaced) : raw
    const message = this.#store.insert(
      stored,
      defined({ folderId: this.#folderOf('\\Sent'), threadId }),
    )
    return this.#store.placement === 'labels' ? sentMessage(message) : {}
  }

  #messageOf(draftId: string): ModelMessage | undefined {
    const message = this.#store.messages.get(this.#drafts.get(draftId) ?? draftId)
    return message?.flags.draft && this.#draftIdOf(message.id) === draftId ? message : undefined
  }

  /**
   * Id of a draft in the model mailbox. A draft that another client stored gets its id by this
   * call.
   */
  #draftIdOf(messageId: string): string {
    if (this.#store.placement === 'folder') return messageId
    for (const [draftId, id] of this.#drafts) if (id === messageId) return draftId
    const draftId = `r${this.#store.random.text(18, '123456789')}`
    this.#drafts.set(draftId, messageId)
    return draftId
  }

  /** Thread id for a new message of the model mailbox. Undefined if the thread does not exist. */
  #threadOf(threadId?: string): string | undefined {
    return this.#store.list().some((message) => message.threadId === threadId)
      ? threadId
      : undefined
  }

  #folderOf(use: string): string {
    const folder = this.#store.findFolder(use)
    if (!folder) throw new MailApiError('folder-missing', `No folder for ${use}.`)
    return folder.id
  }

  #assertSendable(content: Uint8Array): void {
    if (content.length > this.#maxBytes)
      throw new MailApiError('too-large', 'The message exceeds the maximum supported size.')
  }

  #assertRecipients(raw: Buffer): void {
    const header = raw.toString('latin1').split('\r\n\r\n', 1)[0] ?? ''
    if (!/^(?:to|cc|bcc):.*@/im.test(header))
      throw new MailApiError('invalid-recipients', 'The message has no recipients.')
  }
}

function sentMessage({ id, threadId, content }: ModelMessage): ApiSentMessage {
  return defined({ id, threadId, messageIdHeader: content.header('message-id') })
}
