import type { MessageContent } from '@posthorn/mime'

/** Draft at the mail provider. For Gmail, the draft's `id` differs from its `messageId`. */
export interface ApiDraft {
  id: string
  /**
   * Id of the message that contains a draft at a mail provider. Changes with the draft's content.
   */
  messageId: string
  threadId?: string
  /**
   * Version of a draft at a mail provider, which changes with the draft's content. Absent if
   * `messageId` already changes with the content.
   */
  version?: string
  /**
   * Names of header fields of a message that its draft lacks, because the mail provider's own
   * message format cannot store them. Set only when the draft is created.
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
  /**
   * Thread that the draft's message continues. Left out if the mail provider refuses the thread.
   */
  threadId?: string
  /**
   * True to create a draft in the mail provider's own message format instead of MIME, if the
   * provider has such a format.
   */
  structured?: boolean
}

/**
 * Search for drafts: by the id of the draft, by the id of its message, or by its Message-ID header.
 */
export type DraftQuery =
  | { draftId: string }
  /**
   * Id of the message that contains the searched draft. The optional Message-ID `header` of that
   * message makes the search cheaper.
   */
  | { messageId: string; header?: string | undefined }
  /**
   * Message-ID header of the searched draft with angle brackets. The search uses an index of the
   * mail provider that may lag behind by seconds. With `incomplete`, finds only drafts that still
   * lack files, otherwise only complete drafts.
   */
  | { messageIdHeader: string; incomplete?: boolean }

/**
 * Sent message at a mail provider. A member is absent if the provider does not report it, or not
 * yet.
 */
export interface ApiSentMessage {
  id?: string
  threadId?: string
  /**
   * Message-ID header of the sent message with angle brackets. Providers may replace the original
   * Message-ID.
   */
  messageIdHeader?: string
  /**
   * Addresses of the authors of the sent message. Gmail replaces an address that is no confirmed
   * alias, without an error.
   */
  from?: readonly string[]
  /**
   * Names of header fields that are missing in the sent message. Absent if the call does not report
   * such names.
   */
  omittedHeaders?: string[]
}

/**
 * Sends messages of a mail provider in two steps: creates a draft, then sends the draft. After a
 * crash in between, a draft that still exists was not sent, and a draft that no longer exists was
 * sent. The provider stores the sent copy.
 */
export interface MailApiSending {
  /**
   * Creates a draft. Repeating the call creates a second draft. A draft that is incomplete after a
   * crash is only found with `incomplete`, because callers continue with complete drafts.
   * @throws MailApiError `too-large`, `invalid-recipients`, `mailbox-full`; with `leavesDraft` if
   * an incomplete draft may be left in the mailbox
   */
  depositDraft(
    content: MessageContent,
    options: DepositOptions,
    signal: AbortSignal,
  ): Promise<ApiDraft>
  /**
   * Sends a draft to the recipients in its header. If the connection fails, the message may have
   * been sent, and the caller must search for the draft.
   * @throws MailApiError `message-missing` if the draft does not exist; `send-denied`,
   * `invalid-recipients`, `too-large`; `rate-limited`, also for daily limits, with a delay of 1 h
   * if the provider sends none
   */
  releaseDraft(id: string, signal: AbortSignal): Promise<ApiSentMessage>
  /**
   * Finds at most 10 drafts that match. A search by id shows reliably whether the draft exists.
   * @throws MailApiError `unavailable`, also for a response that does not show whether the draft
   * exists
   */
  findDrafts(query: DraftQuery, signal: AbortSignal): Promise<ApiDraft[]>
  /**
   * Finds the sent message that a draft became. Undefined if the message was deleted, or is not
   * visible yet, which may take a minute.
   */
  findSent(
    draft: ApiDraft & { messageIdHeader?: string },
    signal: AbortSignal,
  ): Promise<ApiSentMessage | undefined>
  /**
   * Deletes a draft permanently. Succeeds if the draft does not exist or was sent. A sent copy is
   * not deleted.
   */
  discardDraft(id: string, signal: AbortSignal): Promise<void>
  /**
   * Sends a message without a draft, for OAuth2 grants that permit no drafts. Repeating the call
   * sends the message again.
   */
  sendMessage(
    content: MessageContent,
    options: DepositOptions,
    signal: AbortSignal,
  ): Promise<ApiSentMessage>
  /**
   * Names of header fields that a draft with this content lacks, because the mail provider's own
   * message format cannot store them. Used for a draft that an interrupted call created. The method
   * is absent if the provider takes MIME only, which keeps all header fields.
   */
  omittedHeaders?(content: MessageContent, options: DepositOptions): Promise<string[]>
}
