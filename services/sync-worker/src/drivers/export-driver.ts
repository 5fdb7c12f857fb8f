import type { MessageDetail } from '@posthorn/contracts/schemas/message'
import type { ExportTextType } from '@posthorn/contracts/schemas/export'

/** Maximum bytes of an attachment in an export. Larger attachments have a `contentError`. */
export const maxAttachmentBytes = 50 * 1024 * 1024

export const tooLargeText = 'The attachment is larger than 50 MiB'

/**
 * Reads the messages of an account for exports. All calls have a lower priority than commands and
 * syncs. Calls fail with errors of the mail system, which say nothing about a single message.
 */
export interface ExportDriver {
  /**
   * Folders that an export reads: the folders that `names` names by path or special use, without
   * unknown names. Without names, the folder of all messages if the account has one, otherwise all
   * folders except junk and trash. No message is in two of the folders.
   */
  folders(names: readonly string[], signal: AbortSignal): Promise<ExportFolder[]>
  /**
   * Lists the messages of a folder in a range of arrival times.
   *
   * @throws AppError `not-found` if the folder was deleted or its messages have other ids now;
   *   `invalid` `SearchCursorExpired` if the cursor is too old
   */
  list(folder: ExportFolder, range: ListRange, signal: AbortSignal): AsyncIterable<ListedPage>
  /**
   * Reads messages: one result per id, in the order of the ids. The caller handles each result
   * before the next message is read, and may leave the iteration early.
   */
  read(
    ids: readonly string[],
    options: ExportReadOptions,
    signal: AbortSignal,
  ): AsyncIterable<ExportReading>
  /** Makes a small request. @throws if the mail system cannot be used now */
  check(signal: AbortSignal): Promise<void>
}

/** Folder of an export. Stored, so that another worker can continue. */
export interface ExportFolder {
  /** Name of the folder for the driver, which survives renaming. */
  id: string
  /** Ids of earlier folders, whose messages are left out of this folder. */
  except?: string[]
  /** True for the only folder of the export, whose messages need no comparable dates. */
  isOnly?: true
}

/** Range of arrival times to list, in epoch milliseconds. */
export interface ListRange {
  /** First time. */
  start: number
  /** End of the range, exclusive. */
  end: number
  /** Cursor of the last page that was stored. Absent: from the start. */
  cursor?: string | undefined
}

/** Message to export. */
export interface ExportEntry {
  /** Sort key: arrival time in epoch milliseconds, or another number with the same order. */
  order: number
  /** Id of the message for `read`: up to 255 ASCII characters, unique in the account. */
  id: string
}

/** Page of a list, and the position after the page. */
export interface ListedPage {
  entries: ExportEntry[]
  cursor: string
}

export interface ExportReadOptions {
  textType: ExportTextType
  /** Maximum bytes of each text. Undefined: the maximum of the driver. */
  maxBytes: number | undefined
  includeAttachments: boolean
  /**
   * True to leave out contents that the mail system refuses. If false, a message with such contents
   * is unreadable, so that it is read again.
   */
  acceptsPartial: boolean
}

/**
 * Content of an attachment: read already, to be read, or not available. Large contents are read
 * while they are written.
 */
export type ExportContent =
  | { bytes: Buffer }
  | { open: () => Promise<AsyncIterable<Uint8Array>> }
  | { error: string }

/** Result of reading one message. */
export type ExportReading =
  /** Message with the contents of its attachments, in their order, if they were requested. */
  | { state: 'read'; message: MessageDetail; contents: readonly ExportContent[] }
  /** The message was deleted. */
  | { state: 'missing' }
  /** The mail system returned an error for this message alone. Another attempt may succeed. */
  | { state: 'unreadable'; error: unknown }
