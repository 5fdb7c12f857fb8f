/**
 * Change of flags and labels of messages. Labels are given by id if the provider has labels instead
 * of folders (placement `labels`, as Gmail), otherwise by name.
 */
export interface MessageUpdate {
  unseen?: boolean
  flagged?: boolean
  addLabels?: readonly string[]
  removeLabels?: readonly string[]
  /**
   * Labels that replace all labels of a message. Fails with `unsupported-operation` if the provider
   * has labels instead of folders (placement `labels`).
   */
  setLabels?: readonly string[]
}

/** Result of changing several messages at a mail provider. */
export interface BulkResult {
  /**
   * Ids of messages that the mail provider reports as missing. Some bulk requests do not report
   * missing messages.
   */
  missing: string[]
  /**
   * Ids of messages that the provider still describes without the change, although it accepted the
   * change several times. Absent if there is no such message, and for bulk requests whose response
   * describes no message.
   */
  unchanged?: string[]
}

export interface MoveResult extends BulkResult {
  /**
   * New ids of moved messages, by old id. Contains only messages whose id changed, and is usually
   * empty.
   */
  newIds: Map<string, string>
}

export interface MoveTarget {
  /** Mail folder to which the messages are moved. */
  to: string
  /**
   * Folder that the moved messages leave. Required if the provider has labels instead of folders
   * (placement `labels`), otherwise ignored.
   */
  from?: string
}

/** Folder, labels and flags of an uploaded message. Flags default to false. */
export interface AppendTarget {
  folderId: string
  unseen?: boolean
  flagged?: boolean
  draft?: boolean
  labels?: readonly string[]
  /** Time of arrival of the uploaded message; defaults to now. */
  receivedAt?: Date
  /**
   * Called before a draft is created by several requests. Gets a Message-ID header that no other
   * draft has. Until the draft is complete, `findDrafts` with `incomplete` finds the draft by this
   * header.
   */
  onIncomplete?: (messageIdHeader: string) => Promise<void>
}

/**
 * Changes messages at a mail provider, at most 1,000 messages per call. Not atomic: after a failure
 * some of the messages may be changed. All calls except `appendMessage` may be repeated without
 * harm.
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
   * Deletes messages permanently.
   * @throws MailApiError `unsupported-operation` if `traits.removes` is false
   */
  removeMessages(ids: readonly string[], signal: AbortSignal): Promise<BulkResult>
  /**
   * Uploads a message (RFC 5322) to a folder. Repeating the call stores the message twice. A
   * failure leaves no incomplete draft, unless `onIncomplete` failed or the draft could not be
   * removed.
   * @throws MailApiError `folder-missing`; `too-large`; `unsupported-operation` for a message that
   * is no draft if `traits.appends` is `drafts`
   */
  appendMessage(
    content: Uint8Array,
    target: AppendTarget,
    signal: AbortSignal,
  ): Promise<{ id: string; threadId?: string }>
}
