/** Change of flags and labels of messages. Labels are ids (placement `labels`) or names. */
export interface MessageUpdate {
  unseen?: boolean
  flagged?: boolean
  addLabels?: readonly string[]
  removeLabels?: readonly string[]
  /**
   * Labels that replace all labels of a message. Rejected with `unsupported-operation` if labels
   * also place messages in folders (placement `labels`).
   */
  setLabels?: readonly string[]
}

/** Result of a change of several messages at a mail provider. */
export interface BulkResult {
  /**
   * Ids of messages that the provider reports as missing. Some bulk requests ignore missing ids.
   */
  missing: string[]
  /**
   * Ids of messages that the provider describes without the change, although it accepted the change
   * several times. Absent if there is no such message. Bulk requests whose response describes no
   * message report no ids.
   */
  unchanged?: string[]
}

export interface MoveResult extends BulkResult {
  /** New ids of moved messages whose id changed. Usually empty. */
  newIds: Map<string, string>
}

export interface MoveTarget {
  /** Folder that the messages are moved to. */
  to: string
  /** Folder that the moved messages leave. Required with placement `labels`, otherwise ignored. */
  from?: string
}

/** Placement and flags of an uploaded message. Flags default to false. */
export interface AppendTarget {
  folderId: string
  unseen?: boolean
  flagged?: boolean
  draft?: boolean
  labels?: readonly string[]
  /** Time of arrival of the uploaded message; defaults to now. */
  receivedAt?: Date
  /**
   * Called before a draft is created that takes several requests, with a Message-ID header that no
   * other draft has. Until the draft is complete, `findDrafts` with `incomplete` finds the draft by
   * this header.
   */
  onIncomplete?: (messageIdHeader: string) => Promise<void>
}

/**
 * Changes messages at a mail provider, at most 1,000 ids per call. Not atomic: a failure may leave
 * a part of the messages changed. A repeat is harmless, except of `appendMessage`.
 */
export interface MailApiWrites {
  /**
   * Changes flags and labels of messages.
   * @throws MailApiError `label-missing`; `refused` for a label that is not `assignable`
   */
  updateMessages(
    ids: readonly string[],
    update: MessageUpdate,
    signal: AbortSignal,
  ): Promise<BulkResult>
  /**
   * Moves messages to another folder.
   * @throws MailApiError `folder-missing`; `unsupported-operation` without a required `from`
   */
  moveMessages(ids: readonly string[], target: MoveTarget, signal: AbortSignal): Promise<MoveResult>
  /** Moves messages to the trash folder. @throws MailApiError `trash-missing` */
  trashMessages(ids: readonly string[], signal: AbortSignal): Promise<MoveResult>
  /**
   * Deletes messages permanently. @throws MailApiError `unsupported-operation` unless
   * `traits.removes`
   */
  removeMessages(ids: readonly string[], signal: AbortSignal): Promise<BulkResult>
  /**
   * Uploads a message (RFC 5322) to a folder. A repeat stores the message twice. A failure leaves
   * no incomplete draft, unless `onIncomplete` failed or the draft could not be removed.
   * @throws MailApiError `folder-missing`; `too-large`; `unsupported-operation` for a message that
   *   is no draft if `traits.appends` is `drafts`
   */
  appendMessage(
    content: Uint8Array,
    target: AppendTarget,
    signal: AbortSignal,
  ): Promise<{ id: string; threadId?: string }>
}
