import type { SpecialUse } from '@posthorn/contracts/schemas/message'
import type { ConnectOptions } from './connect-options.ts'
import type {
  BodyPart,
  Download,
  FetchedMessage,
  FetchOptions,
  MessageArrival,
  MessageFlags,
  MessagePartsRequest,
  PartRequest,
  RequestedParts,
} from './messages.ts'
import type { SearchTerms, UidQuery } from './searches.ts'

export type * from './connect-options.ts'
export type * from './messages.ts'
export type * from './searches.ts'

/**
 * UIDs of messages as inclusive ranges, ascending and without overlap. A mailbox of 100,000
 * messages is often one range.
 */
export type UidRange = readonly [first: number, last: number]

/** Capabilities of the IMAP server that this library uses. */
export interface Capabilities {
  condstore: boolean
  esearch: boolean
  idle: boolean
  objectId: boolean
  listStatus: boolean
  move: boolean
  uidPlus: boolean
  /** Server reports deletions since a mod-sequence (RFC 7162 §3.2). Implies `condstore`. */
  qresync: boolean
  /** Server reports changes of all mailboxes on one connection (RFC 5465). */
  notify: boolean
  /** X-GM-EXT-1: server has labels, message and thread ids of Gmail, and X-GM-RAW. */
  gmail: boolean
  quota: boolean
}

export interface ListedMailbox {
  path: string
  name: string
  delimiter: string | null
  parentPath: string
  specialUse?: SpecialUse
  specialUseSource?: 'extension' | 'name'
  /** LIST attributes of the mailbox as sent by the server, such as `\Noselect`. */
  attributes: string[]
  subscribed: boolean
  /** False if the mailbox cannot be selected. */
  selectable: boolean
  /** MAILBOXID (RFC 8474). Absent without OBJECTID or if the server does not list the id. */
  mailboxId?: string
  /**
   * Counters of the mailbox. Absent if not requested, or if the server does not return the counters
   * with the list.
   */
  status?: MailboxStatus
}

export interface MailboxStatus {
  path: string
  messages: number
  /** UIDNEXT of the mailbox; 0 if the server does not report UIDNEXT. */
  uidNext: number
  uidValidity: bigint
  unseen?: number
  highestModseq?: bigint
}

/** Selected mailbox. `highestModseq` is absent with NOMODSEQ or without CONDSTORE. */
export interface SelectedMailbox extends Omit<MailboxStatus, 'unseen'> {
  /** Keywords and system flags in use in the mailbox, from the FLAGS response. */
  flags: string[]
}

/** Counters of a mailbox that the server reported. */
export type MailboxCounters = Partial<Omit<MailboxStatus, 'path'>>

/** Summary of the mailbox that `ensureSelected` selects. */
export type SelectedMailboxSummary = Pick<SelectedMailbox, 'path' | 'messages' | 'uidValidity'>

/** Change of messages in a mailbox since a mod-sequence. */
export type MailboxChange =
  | ({ kind: 'flags' } & MessageFlags)
  /** Deleted messages. May contain UIDs that never existed. Only with `capabilities.qresync`. */
  | { kind: 'vanished'; uids: UidRange[] }

/** Change of flags of messages: either `set`, or `add` and `remove`. */
export interface FlagsUpdate {
  add?: readonly string[]
  remove?: readonly string[]
  set?: readonly string[]
}

/** Messages for which the server does not confirm a change of flags. */
export interface UnconfirmedFlags {
  /** Messages whose flags on the server differ from the requested flags. */
  unchanged: UidRange[]
  /** Messages that the connection does not have. */
  missing: UidRange[]
}

/** Destination of moved messages. The new UIDs are absent without UIDPLUS. */
export interface MovedMessages {
  path: string
  uidValidity?: bigint
  /** Map from old UIDs to new UIDs of moved messages. */
  uids?: ReadonlyMap<number, number>
}

export interface AppendOptions {
  flags?: readonly string[]
  /** Arrival time of the appended message; defaults to now. */
  internalDate?: Date
}

export interface AppendedMessage {
  path: string
  uidValidity?: bigint
  uid?: number
  seq?: number
}

/** Storage quota of an account in bytes. */
export interface Quota {
  usage: number
  limit: number
}

/** Notification: unsolicited data from the mail server about a mailbox. */
export type MailboxNotification =
  | { kind: 'exists'; messages: number }
  | { kind: 'expunge' }
  /**
   * Change of flags. Absent `uid`: unknown message. Empty `flags` without `uid`: unknown change,
   * such as labels of Gmail. Both require a comparison of the mailbox.
   */
  | { kind: 'flags'; uid?: number; flags: string[]; modseq?: bigint }
  /** NOTIFY notification: another mailbox changed. Contains the reported counters. */
  | { kind: 'mailbox'; path: string; status: MailboxCounters }
  /** NOTIFY notification: a mailbox was created, deleted, renamed or (un)subscribed. */
  | { kind: 'mailboxes' }
  /**
   * NOTIFICATIONOVERFLOW (RFC 5465 §5.8): server sends no more notifications. The caller must sync
   * all mailboxes and poll from now on.
   */
  | { kind: 'overflow' }

/**
 * Authenticated connection to an IMAP server. Calls run one after the other. Every failure is an
 * AppError:
 *
 * - `not-found` `FolderNotFound` or `MessageNotFound`
 * - `rejected`: NO response; `code` is its response code, `extras.info.response` its text
 * - `unprocessable` `MissingServerExtension`: the server lacks a required extension
 * - `unreachable`: connection closed or silent, or an invalid response; `code` is ECONNREFUSED,
 *   ETIMEDOUT … or a code of RFC 5530
 * - `unauthorized`: credentials rejected; `code` is AUTHENTICATIONFAILED if the server sent it
 */
export interface MailSession extends AsyncDisposable {
  readonly capabilities: Capabilities
  readonly user: string
  /** Resolves when the connection is closed, with the reason unless the session was disposed of. */
  readonly closed: Promise<Error | undefined>
  /** Lists the mailboxes. `status` adds their counters if the server has LIST-STATUS (RFC 5819). */
  listMailboxes(options?: { status?: boolean }): Promise<ListedMailbox[]>
  /**
   * Creates and subscribes to a mailbox. Prepends the prefix of the personal namespace if it is
   * missing, and joins levels with the server's delimiter. An existing mailbox is `rejected`
   * `ALREADYEXISTS` if the server reports that.
   */
  createMailbox(
    path: string | readonly string[],
  ): Promise<{ path: string; created: boolean; mailboxId?: string }>
  /**
   * Renames a mailbox with its children and their subscriptions. Returns its new path. If one of
   * these mailboxes is selected, no mailbox is selected afterwards. A NO without a code is
   * `rejected` `RenameFailed`.
   */
  renameMailbox(path: string, newPath: string | readonly string[]): Promise<string>
  /**
   * Deletes a mailbox without its children, never the inbox. A NO without a code is `rejected`
   * `DeleteFailed`.
   */
  deleteMailbox(path: string): Promise<void>
  subscribe(path: string, subscribed: boolean): Promise<void>
  /** Quota root of the inbox (RFC 9208). Undefined if the server has no quota root or no QUOTA. */
  quota(): Promise<Quota | undefined>
  status(path: string): Promise<MailboxStatus>
  /**
   * Selects a mailbox. Selecting the mailbox again refreshes its counters. The calls below use the
   * selected mailbox.
   */
  select(path: string, options?: { readOnly?: boolean }): Promise<SelectedMailbox>
  /**
   * Selects a mailbox unless it is selected. For a selected mailbox nothing is sent, or a NOOP with
   * `fresh`. A mailbox selected for writing also serves read-only callers.
   */
  ensureSelected(
    path: string,
    options?: { readOnly?: boolean; fresh?: boolean },
  ): Promise<SelectedMailboxSummary>
  /** Searches for UIDs by `UID SEARCH RETURN (ALL)` with ESEARCH, otherwise by plain SEARCH. */
  searchUids(query: UidQuery): Promise<UidRange[]>
  /**
   * Returns UIDs of messages that match, ascending. Terms that the server cannot search for are
   * `unprocessable`, invalid terms `invalid`. Dates are exact to the second with WITHIN (RFC 5032),
   * otherwise they include the whole day.
   */
  search(terms: SearchTerms): Promise<UidRange[]>
  /** Changes of messages after a mod-sequence (CONDSTORE), with deletions under QRESYNC. */
  changesSince(since: bigint): AsyncIterable<MailboxChange>
  /** Arrival times (INTERNALDATE) of messages in ascending order of UID, in one FETCH. */
  arrivalTimes(uids: readonly UidRange[]): Promise<MessageArrival[]>
  /** Messages in ascending order of UID, without deleted messages. One FETCH has at most 500. */
  fetchMessages(uids: readonly UidRange[], options?: FetchOptions): AsyncIterable<FetchedMessage>
  /** Fetches messages with these sequence numbers, ascending, in one FETCH. At most 1,000. */
  fetchBySequence(first: number, last: number): Promise<FetchedMessage[]>
  /**
   * First bytes of parts of a message, decoded from the transfer encoding, in one FETCH.
   * `structure` must be the structure of the message. Parts that the server does not return are
   * missing. For texts only: the result is held in memory.
   */
  readParts(
    uid: number,
    structure: BodyPart,
    wanted: readonly PartRequest[],
  ): Promise<Map<string, Buffer>>
  /** Reads parts as `readParts`, in one FETCH for all messages of which the same are requested. */
  readPartsOfAll(requests: readonly MessagePartsRequest[]): Promise<RequestedParts[]>
  /** Download of one part of a message, at most `maxBytes` after decoding. */
  downloadPart(uid: number, part: string, options?: { maxBytes?: number }): Promise<Download>
  downloadSource(uid: number): Promise<Download>
  /**
   * Ids (EMAILID) that survive moves, for messages in the selected mailbox. Empty without OBJECTID,
   * except on Gmail.
   */
  emailIds(uids: readonly UidRange[]): Promise<string[]>
  /**
   * Changes flags of messages in the selected mailbox and skips deleted messages. The new flags are
   * also notified to `watch` of this session.
   */
  changeFlags(uids: readonly UidRange[], change: FlagsUpdate): Promise<void>
  /**
   * Changes flags like `changeFlags`, and repeats the change for messages for which the server does
   * not confirm it. Returns the messages that are left. Costs nothing more if the server reports
   * the new flags.
   */
  confirmFlags(uids: readonly UidRange[], change: FlagsUpdate): Promise<UnconfirmedFlags>
  /** Flags and Gmail labels of messages in the selected mailbox. Skips deleted messages. */
  readFlags(uids: readonly UidRange[]): Promise<MessageFlags[]>
  /** Changes Gmail labels of messages. `unprocessable` on servers other than Gmail. */
  changeLabels(uids: readonly UidRange[], change: FlagsUpdate): Promise<void>
  /**
   * Moves messages by MOVE (RFC 6851), otherwise by COPY, `\\Deleted` and UID EXPUNGE. Without
   * UIDPLUS the originals stay marked as deleted.
   */
  moveMessages(uids: readonly UidRange[], path: string): Promise<MovedMessages>
  /**
   * Deletes exactly these messages permanently. Without UIDPLUS only if no other message is marked
   * as deleted. Otherwise these messages stay marked, because EXPUNGE would delete all marked
   * messages.
   */
  expungeMessages(uids: readonly UidRange[]): Promise<void>
  /**
   * Appends a message to any mailbox, with lines ending in CRLF. `uid` is absent without UIDPLUS.
   * Error codes are the server's, except `TOOBIG`, which also results from the announced limit (RFC
   * 7889).
   */
  appendMessage(path: string, content: Buffer, options?: AppendOptions): Promise<AppendedMessage>
  /**
   * Watches the selected mailbox: waits in IDLE until the signal aborts or the connection ends.
   * Calls `onNotification` with each notification. Without IDLE, sends NOOP every 30 s. IDLE is
   * renewed within 29 minutes (RFC 2177). A dead connection is detected within 2 minutes.
   *
   * With `everywhere` and `capabilities.notify`, the server also reports all other mailboxes. The
   * first such watch of a session starts with one notification per mailbox, later watches with the
   * notifications received in between. If the server rejects NOTIFY, `capabilities.notify` becomes
   * false and an `overflow` follows.
   */
  watch(
    onNotification: (notification: MailboxNotification) => void,
    signal: AbortSignal,
    options?: { everywhere?: boolean },
  ): Promise<void>
  /** Sends NOOP, which lets the server report changes of the selected mailbox. */
  ping(): Promise<void>
}

/** Connects to IMAP servers. */
export interface ImapBackend {
  connect(options: ConnectOptions): Promise<MailSession>
}
