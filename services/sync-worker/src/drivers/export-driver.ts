import type { MessageDetail } from '@posthorn/contracts/schemas/message'
import type { ExportTextType } from '@posthorn/contracts/schemas/export'

/**
 * Maximum bytes of an attachment in an export. A larger attachment has a `contentError` instead.
 */
export const maxAttachmentBytes = 50 * 1024 * 1024

export const tooLargeText = 'The attachment is larger than 50 MiB'

/**
 * Reads the messages of an account for exports. All requests have a lower priority than commands
 * and syncs. If a method throws an error of the mail system, the error does not show which message
 * is faulty.
 */
export interface ExportDriver {
  /**
   * Selects the folders that an export reads: the folders that `names` contains by path or special
   * use, without unknown names. Without names, selects the folder of all messages if the account
   * has one, otherwise all folders except junk and trash. No message is listed for two of the
   * folders.
   */
  folders(names: readonly string[], signal: AbortSignal): Promise<ExportFolder[]>
  /**
   * Lists, for an export, the messages of a folder in a range of arrival times.
   *
   * @throws AppError `not-found` if the folder was deleted or its messages have other ids now;
   *   `invalid` `SearchCursorExpired` if the cursor is too old
   */
  list(folder: ExportFolder, range: ListRange, signal: AbortSignal): AsyncIterable<ListedPage>
  /**
   * Reads messages for an export: one result per id, in the order of the ids. The caller handles
   * each result before the next message is read, and may stop the iteration early.
   */
  read(
    ids: readonly string[],
    options: ExportReadOptions,
    signal: AbortSignal,
  ): AsyncIterable<ExportReading>
  /** Sends a small request to the mail system. @throws if the mail system cannot be used now */
  check(signal: AbortSignal): Promise<void>
}

/** Folder that an export reads. Stored, so that another worker can continue the export. */
export interface ExportFolder {
  /** Id of the folder for the account driver. Stays the same when the folder is renamed. */
  id: string
  /** Ids of folders that the export reads before. Messages in these folders are left out. */
  except?: string[]
  /**
   * True if the export reads no other folder, so that the dates of messages need not be comparable.
   */
  isOnly?: true
}

/** Range of arrival times of the messages that an export lists, in epoch milliseconds. */
export interface ListRange {
  /** First arrival time of the range of exported messages. */
  start: number
  /** End of the range of arrival times of exported messages, exclusive. */
  end: number
  /**
   * Cursor after the last stored page of the folder's message list. Absent to list from the start.
   */
  cursor?: string | undefined
}

/** Entry of an export's message list. */
export interface ExportEntry {
  /**
   * Sort key of a message in an export: arrival time in epoch milliseconds, or another number with
   * the same order.
   */
  order: number
  /** Id by which an export reads the message: up to 255 ASCII characters, unique in the account. */
  id: string
}

/** Page of a folder's message list in an export, and the cursor after the page. */
export interface ListedPage {
  entries: ExportEntry[]
  cursor: string
}

export interface ExportReadOptions {
  textType: ExportTextType
  /**
   * Maximum bytes of each text of an exported message (plain or HTML). Undefined for the maximum of
   * the account driver.
   */
  maxBytes: number | undefined
  includeAttachments: boolean
  /**
   * True if an export leaves out attachments that the mail system refuses. If false, a message with
   * a refused attachment is unreadable, so that the caller reads the message again.
   */
  acceptsPartial: boolean
}

/**
 * Content of an attachment in an export: in memory, to be read by `open`, or unavailable. Large
 * contents are read while the message is written.
 */
export type ExportContent =
  | { bytes: Buffer }
  | { open: () => Promise<AsyncIterable<Uint8Array>> }
  | { error: string }

/** Result of reading one message for an export. */
export type ExportReading =
  /**
   * State of an exported message that was read. If the export includes attachments, `contents` has
   * the contents of the message's attachments, in order.
   */
  | { state: 'read'; message: MessageDetail; contents: readonly ExportContent[] }
  /** State of a message to export that was deleted before it was read. */
  | { state: 'missing' }
  /**
   * State of a message to export for which the mail system returned an error. The error concerns
   * this message alone. Another attempt to read the message may succeed.
   */
  | { state: 'unreadable'; error: unknown }
