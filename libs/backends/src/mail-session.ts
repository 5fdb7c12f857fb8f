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
 * UIDs of messages as inclusive ranges, in ascending order and without overlap. The UIDs of a
 * mailbox of 100,000 messages are often one range.
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
  /** True if deletions since a mod-sequence are reported (RFC 7162 §3.2). Implies `condstore`. */
  qresync: boolean
  /** True if the IMAP server can report changes of all mailboxes on one connection (RFC 5465). */
  notify: boolean
  /**
   * True if the mail server has labels, message ids, thread ids and searches of Gmail (X-GM-EXT-1).
   */
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
  /** LIST attributes of the mailbox as sent by the IMAP server, such as `\Noselect`. */
  attributes: string[]
  subscribed: boolean
  /** False if the mailbox cannot be selected. */
  selectable: boolean
  /** MAILBOXID (RFC 8474). Absent without OBJECTID or if the IMAP server does not list the id. */
  mailboxId?: string
  /**
   * Counters of the mailbox. Absent if they were not requested, or if the server does not return
   * counters with the list of mailboxes.
   */
  status?: MailboxStatus
}

export interface MailboxStatus {
  path: string
  messages: number
  /** UIDNEXT of the mailbox; 0 if the IMAP server does not report UIDNEXT. */
  uidNext: number
  uidValidity: bigint
  unseen?: number
  highestModseq?: bigint
}

/** Selected mailbox. `highestModseq` is absent with NOMODSEQ or on servers without CONDSTORE. */
export interface SelectedMailbox extends Omit<MailboxStatus, 'unseen'> {
  /** Keywords and system flags in use in the mailbox, from the FLAGS response. */
  flags: string[]
}

/** Counters of a mailbox, such as UIDVALIDITY, as far as the mail server reported them. */
export type MailboxCounters = Partial<Omit<MailboxStatus, 'path'>>

/** Path, message count and UIDVALIDITY of the mailbox that `ensureSelected` selects. */
export type SelectedMailboxSummary = Pick<SelectedMailbox, 'path' | 'messages' | 'uidValidity'>

/** Change of messages in a mailbox since a mod-sequence. */
export type MailboxChange =
  | ({ kind: 'flags' } & MessageFlags)
  /** Deletion of messages, some of which may never have existed. Needs `capabilities.qresync`. */
  | { kind: 'vanished'; uids: UidRange[] }

/** Change of flags of messages: either `set` (all flags), or `add` and `remove`. */
export interface FlagsUpdate {
  add?: readonly string[]
  remove?: readonly string[]
  set?: readonly string[]
}

/** Messages for which the mail server does not confirm a change of flags. */
export interface UnconfirmedFlags {
  /** Messages whose flags on the IMAP server differ from the requested flags. */
  unchanged: UidRange[]
  /** Messages that are unknown to the IMAP connection, so that STORE ignores them. */
  missing: UidRange[]
}

/** Mailbox of moved messages. Their new UIDs are absent if the server lacks UIDPLUS. */
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
   * Change of flags. Without `uid`, the changed message is unknown. With empty `flags` and no
   * `uid`, the kind of change is unknown, too, such as labels of Gmail. Without `uid`, the mailbox
   * has to be compared.
   */
  | { kind: 'flags'; uid?: number; flags: string[]; modseq?: bigint }
  /** Change of a mailbox that is not selected, from NOTIFY. Contains the reported counters. */
  | { kind: 'mailbox'; path: string; status: MailboxCounters }
  /** Change of the mailbox list, from NOTIFY: a mailbox or a subscription was changed. */
  | { kind: 'mailboxes' }
  /**
   * End of notifications (NOTIFICATIONOVERFLOW, RFC 5465 §5.8). The caller must sync all mailboxes
   * and poll them from now on.
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
  /**
   * Resolves when the IMAP connection of this session is closed, with the error that closed it.
   * Resolves with undefined if the session was disposed of.
   */
  readonly closed: Promise<Error | undefined>
  /** Lists the mailboxes, with their counters if `status` is set and the server has LIST-STATUS. */
  listMailboxes(options?: { status?: boolean }): Promise<ListedMailbox[]>
  /**
   * Creates and subscribes to a mailbox. Adds the prefix of the personal namespace if the path
   * lacks the prefix, and joins levels with the server's delimiter. For an existing mailbox, fails
   * as `rejected` with the code `ALREADYEXISTS` if the server reports that.
   */
  createMailbox(
    path: string | readonly string[],
  ): Promise<{ path: string; created: boolean; mailboxId?: string }>
  /**
   * Renames a mailbox with its children and their subscriptions. Returns the new path of the
   * mailbox. If one of these mailboxes was selected, no mailbox is selected afterwards. A NO
   * response without a code fails as `rejected` with the code `RenameFailed`.
   */
  renameMailbox(path: string, newPath: string | readonly string[]): Promise<string>
  /**
   * Deletes a mailbox without its children, never the inbox. A NO response without a code fails as
   * `rejected` with the code `DeleteFailed`.
   */
  deleteMailbox(path: string): Promise<void>
  subscribe(path: string, subscribed: boolean): Promise<void>
  /** Storage quota of the inbox (RFC 9208). Undefined if the IMAP server reports no quota. */
  quota(): Promise<Quota | undefined>
  status(path: string): Promise<MailboxStatus>
  /** Selects a mailbox for calls about messages. A repeated `select` refreshes the counters. */
  select(path: string, options?: { readOnly?: boolean }): Promise<SelectedMailbox>
  /**
   * Selects a mailbox unless the mailbox is already selected. For a selected mailbox nothing is
   * sent, or a NOOP with `fresh`. A mailbox that was selected for writing is also used for reading.
   */
  ensureSelected(
    path: string,
    options?: { readOnly?: boolean; fresh?: boolean },
  ): Promise<SelectedMailboxSummary>
  /** Searches for UIDs by `UID SEARCH RETURN (ALL)` with ESEARCH, otherwise by plain SEARCH. */
  searchUids(query: UidQuery): Promise<UidRange[]>
  /**
   * Returns UIDs of messages that match, in ascending order. Fails as `unprocessable` for terms
   * that the server cannot search for, and as `invalid` for invalid terms. Dates are exact to the
   * second with WITHIN (RFC 5032), otherwise they include the whole day.
   */
  search(terms: SearchTerms): Promise<UidRange[]>
  /** Changes of messages after a mod-sequence (CONDSTORE). With QRESYNC includes deletions. */
  changesSince(since: bigint): AsyncIterable<MailboxChange>
  /** Fetches arrival times (INTERNALDATE) of messages by ascending UID, with one FETCH. */
  arrivalTimes(uids: readonly UidRange[]): Promise<MessageArrival[]>
  /** Fetches messages in ascending order of UID, 500 per FETCH. Leaves out deleted messages. */
  fetchMessages(uids: readonly UidRange[], options?: FetchOptions): AsyncIterable<FetchedMessage>
  /** Fetches up to 1,000 messages by ascending sequence numbers, with one FETCH. */
  fetchBySequence(first: number, last: number): Promise<FetchedMessage[]>
  /**
   * Fetches the first bytes of several MIME parts of a message with one FETCH, decoded from the
   * transfer encoding. `structure` must be the structure of the message. Parts that the server does
   * not return are left out. For texts only, because the result is held in memory.
   */
  readParts(
    uid: number,
    structure: BodyPart,
    wanted: readonly PartRequest[],
  ): Promise<Map<string, Buffer>>
  /** Reads MIME parts of several messages. Requests of the same parts share one FETCH. */
  readPartsOfAll(requests: readonly MessagePartsRequest[]): Promise<RequestedParts[]>
  /** Downloads one MIME part of a message, at most `maxBytes` after decoding. */
  downloadPart(uid: number, part: string, options?: { maxBytes?: number }): Promise<Download>
  downloadSource(uid: number): Promise<Download>
  /**
   * Message ids (EMAILID) of messages in the selected mailbox, by UID. A message id stays the same
   * when the message is moved. Empty if the server lacks OBJECTID and is not Gmail.
   */
  emailIds(uids: readonly UidRange[]): Promise<Map<number, string>>
  /** Changes flags of existing messages. `watch` of this session also reports the new flags. */
  changeFlags(uids: readonly UidRange[], change: FlagsUpdate): Promise<void>
  /**
   * Changes flags like `changeFlags`, and repeats the change for messages whose change the server
   * does not confirm. Returns the messages without confirmation. Sends no further command if the
   * server reports the new flags.
   */
  confirmFlags(uids: readonly UidRange[], change: FlagsUpdate): Promise<UnconfirmedFlags>
  /** Reads flags and Gmail labels of messages in the selected mailbox. Skips deleted messages. */
  readFlags(uids: readonly UidRange[]): Promise<MessageFlags[]>
  /** Changes Gmail labels of messages. Fails as `unprocessable` on servers other than Gmail. */
  changeLabels(uids: readonly UidRange[], change: FlagsUpdate): Promise<void>
  /**
   * Moves messages by MOVE (RFC 6851), otherwise by COPY, `\\Deleted` and UID EXPUNGE. If the
   * server lacks UIDPLUS, the originals stay marked as deleted.
   */
  moveMessages(uids: readonly UidRange[], path: string): Promise<MovedMessages>
  /**
   * Deletes the messages with the given UIDs permanently, and no other messages. If the IMAP server
   * lacks UIDPLUS, this works only while no other message is marked as deleted. Otherwise the
   * messages stay marked, because EXPUNGE would delete all marked messages.
   */
  expungeMessages(uids: readonly UidRange[]): Promise<void>
  /**
   * Appends a message to any mailbox, with lines ending in CRLF. `uid` is absent if the server
   * lacks UIDPLUS. Error codes are those of the server. `TOOBIG` is also used for a message above
   * the announced limit (RFC 7889).
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
  /** Sends NOOP, which lets the IMAP server report changes of the selected mailbox. */
  ping(): Promise<void>
}

/** Connects to IMAP servers. */
export interface ImapBackend {
  connect(options: ConnectOptions): Promise<MailSession>
}
