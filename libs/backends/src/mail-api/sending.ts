import type { MessageContent } from '@posthorn/mime'

/** Draft at the mail provider. `id` and `messageId` differ for Gmail. */
export interface ApiDraft {
  id: string
  /** Id of the message that holds the draft. Changes with the draft's content. */
  messageId: string
  threadId?: string
  /**
   * Version of the draft, which changes with the draft's content. Absent if `messageId` shows
   * changes.
   */
  version?: string
  /**
   * Names of header fields that the draft lacks, because the provider's own message format cannot
   * keep them. Only a new draft has the names.
   */
  omittedHeaders?: string[]
}

const incompleteStart = '<incomplete.'

/** Message-ID of a draft that still lacks files, derived from the Message-ID of the message. */
export function incompleteId(messageIdHeader: string): string {
  return messageIdHeader.replace(/^<?/, incompleteStart)
}

/** True for the Message-ID of a draft that still lacks files. */
export function isIncompleteId(messageIdHeader: string | undefined): boolean {
  return messageIdHeader?.startsWith(incompleteStart) ?? false
}

export interface DepositOptions {
  /** Thread that the draft's message continues. Left out if the provider refuses the thread. */
  threadId?: string
  /**
   * Creates the draft in the provider's own message format instead of MIME, if the provider has
   * such a format.
   */
  structured?: boolean
}

/** Search for drafts, by exactly one of these criteria. */
export type DraftQuery =
  | { draftId: string }
  /** Id of the message that holds the draft. Its Message-ID `header` makes the search cheaper. */
  | { messageId: string; header?: string | undefined }
  /**
   * Message-ID header of the draft with angle brackets. The search uses an index that may lag
   * behind by seconds. `incomplete`: finds drafts that lack files, instead of complete drafts.
   */
  | { messageIdHeader: string; incomplete?: boolean }

/**
 * Sent message at a mail provider. Members are absent if the provider does not report them (yet).
 */
export interface ApiSentMessage {
  id?: string
  threadId?: string
  /**
   * Message-ID header of the sent message with angle brackets. Providers replace the original
   * header.
   */
  messageIdHeader?: string
  /**
   * Addresses of the authors of the sent message. Gmail replaces an address that is no confirmed
   * alias, without an error.
   */
  from?: readonly string[]
  /** Names of header fields that the sent message lacks, if a call names them. */
  omittedHeaders?: string[]
}

/**
 * Sends messages of a mail provider in two steps, over a draft. After a crash between the steps,
 * the draft decides: a draft that exists was not sent, a draft that does not exist was sent. The
 * provider stores the sent copy.
 */
export interface MailApiSending {
  /**
   * Creates a draft. A repeat creates a second draft. A draft that a crash leaves incomplete is
   * found with `incomplete` only, because callers adopt complete drafts.
   * @throws MailApiError `too-large`, `invalid-recipients`, `mailbox-full`; with `leavesDraft` if
   *   an incomplete draft may be left
   */
  depositDraft(
    content: MessageContent,
    options: DepositOptions,
    signal: AbortSignal,
  ): Promise<ApiDraft>
  /**
   * Sends a draft to the recipients of its header. If the connection fails, the message may have
   * been sent: search for the draft.
   * @throws MailApiError `message-missing`: no such draft; `send-denied`, `invalid-recipients`,
   *   `too-large`; `rate-limited` also for daily limits, with 1 h if the provider names no time
   */
  releaseDraft(id: string, signal: AbortSignal): Promise<ApiSentMessage>
  /**
   * Drafts that match, at most 10. With an id, the result decides whether the draft exists.
   * @throws MailApiError `unavailable`, also for a response that does not decide whether the draft
   * exists
   */
  findDrafts(query: DraftQuery, signal: AbortSignal): Promise<ApiDraft[]>
  /**
   * Finds the sent message that a released draft became. Undefined if the message is not visible
   * yet, which may take a minute, or if it was deleted.
   */
  findSent(
    draft: ApiDraft & { messageIdHeader?: string },
    signal: AbortSignal,
  ): Promise<ApiSentMessage | undefined>
  /**
   * Deletes a draft permanently. Succeeds if the draft does not exist or was sent, and keeps the
   * sent copy.
   */
  discardDraft(id: string, signal: AbortSignal): Promise<void>
  /**
   * Sends a message without a draft, for grants that permit no drafts. A repeat sends the message
   * again.
   */
  sendMessage(
    content: MessageContent,
    options: DepositOptions,
    signal: AbortSignal,
  ): Promise<ApiSentMessage>
  /**
   * Names of header fields that a draft of this content lacks, for a draft that an interrupted call
   * created. Absent if the provider takes MIME only, which keeps all header fields.
   */
  omittedHeaders?(content: MessageContent, options: DepositOptions): Promise<string[]>
}
