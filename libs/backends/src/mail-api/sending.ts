/** Draft at the provider. `id` and `messageId` differ for Gmail. */
export interface ApiDraft {
  id: string
  /** Id of the message that holds the draft. Changes with the draft's content. */
  messageId: string
  threadId?: string
  /** Changes with the draft's content. Absent if `messageId` shows that. */
  version?: string
}

const incompleteStart = '<incomplete.'

/** Message-ID of a draft that lacks files, derived from the Message-ID of the message. */
export function incompleteId(messageIdHeader: string): string {
  return messageIdHeader.replace(/^<?/, incompleteStart)
}

/** True for the Message-ID of a draft that lacks files. */
export function isIncompleteId(messageIdHeader: string | undefined): boolean {
  return messageIdHeader?.startsWith(incompleteStart) ?? false
}

export interface DepositOptions {
  /** Thread that the message continues. Left out if the provider refuses the thread. */
  threadId?: string
  /** Uses the provider's own message format instead of MIME, if the provider has such a format. */
  structured?: boolean
}

/** Search for drafts, by exactly one of these criteria. */
export type DraftQuery =
  | { draftId: string }
  /** Id of the message that holds the draft. Its Message-ID `header` makes the search cheaper. */
  | { messageId: string; header?: string | undefined }
  /**
   * Message-ID header with angle brackets. Uses an index that may lag behind by seconds.
   * `incomplete`: finds drafts whose deposit did not end, instead of complete drafts.
   */
  | { messageIdHeader: string; incomplete?: boolean }

/** Sent message. Members are absent if the provider does not report them (yet). */
export interface ApiSentMessage {
  id?: string
  threadId?: string
  /** Message-ID header with angle brackets. Providers replace the original header. */
  messageIdHeader?: string
  /**
   * Addresses of the authors. Gmail replaces an address that is no confirmed alias, without an
   * error.
   */
  from?: readonly string[]
}

/**
 * Sending in two steps. After a crash between them, the draft decides: a draft that exists was not
 * sent, a draft that does not exist was sent. The provider stores the sent copy.
 */
export interface MailApiSending {
  /**
   * Creates a draft. A repeat creates a second draft. A draft that a crash leaves incomplete is
   * found with `incomplete` only, because callers adopt complete drafts.
   * @throws MailApiError `too-large`, `invalid-recipients`, `mailbox-full`; with `leavesDraft` if
   *   an incomplete draft may be left
   */
  depositDraft(content: Uint8Array, options: DepositOptions, signal: AbortSignal): Promise<ApiDraft>
  /**
   * Sends a draft to the recipients of its header. If the connection fails, the message may have
   * been sent: look for the draft.
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
   * Message that a released draft became. Undefined if the message is not visible yet, which may
   * take a minute, or if it was deleted.
   */
  findSent(
    draft: ApiDraft & { messageIdHeader?: string },
    signal: AbortSignal,
  ): Promise<ApiSentMessage | undefined>
  /** Deletes a draft permanently. Succeeds if it does not exist or was sent, and keeps the copy. */
  discardDraft(id: string, signal: AbortSignal): Promise<void>
  /** Sends without a draft, for grants that permit no more. A repeat sends again. */
  sendMessage(
    content: Uint8Array,
    options: DepositOptions,
    signal: AbortSignal,
  ): Promise<ApiSentMessage>
}
