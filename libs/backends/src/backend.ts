import type { Credentials, SpecialUse } from '@posthorn/contracts'
import type { EgressPolicy } from '@posthorn/net'
import type { Logger } from '@posthorn/telemetry'
import type {
  BodyPart,
  Download,
  FetchedMessage,
  FetchOptions,
  MessageFlags,
  PartRequest,
} from './messages.ts'
import type { SearchTerms, UidQuery } from './searches.ts'

export type * from './messages.ts'
export type * from './searches.ts'

/** UIDs as the server writes them: inclusive ranges, ascending, without overlap. A mailbox of 100,000 messages is often one of them. */
export type UidRange = readonly [first: number, last: number]

export interface ConnectOptions {
  host: string
  port: number
  /** Implicit TLS; otherwise STARTTLS where the server has it. */
  secure: boolean
  /** Default true. */
  rejectUnauthorized?: boolean
  credentials: Credentials
  log: Logger
  /** Gives up connecting; a session that stands is closed by disposing of it. */
  signal?: AbortSignal
  /** Where the connection may go; default `off`. A host that may not be connected to is `forbidden` `EEGRESSBLOCKED`. */
  egress?: EgressPolicy
  /** Milliseconds for connecting and logging in together; default 30 s. */
  connectTimeoutMs?: number
  /** `http:`, `https:`, `socks:`, `socks4:`, `socks4a:` or `socks5:` URL of a proxy to go through. */
  proxy?: string
  /** Addresses of this machine to connect from: the first that it has and that is of the server's family, else the system's choice. */
  localAddresses?: readonly string[]
  /** What we call ourselves (RFC 2971), instead of the usual words. */
  clientInfo?: ClientInfo
  /** The lowest TLS version taken, such as `TLSv1.2`. */
  minTlsVersion?: string
  /** Speaks IMAP4rev1 although the server offers IMAP4rev2: some offer it and fail at it. */
  disableIMAP4rev2?: boolean
  /** Told every line of the protocol, without credentials and without the bytes of messages. */
  transcript?: (line: TranscriptLine) => void
}

/** Words of RFC 2971 §3.3. */
export interface ClientInfo {
  name?: string
  version?: string
  vendor?: string
  'support-url'?: string
}

/** One line of a session, for people to read. */
export interface TranscriptLine {
  at: Date
  from: 'client' | 'server' | 'us'
  /** At most 2,000 characters; literals are told by their size. */
  text: string
}

/** What the server can, as far as it changes what we do. */
export interface Capabilities {
  condstore: boolean
  esearch: boolean
  idle: boolean
  objectId: boolean
  listStatus: boolean
  move: boolean
  uidPlus: boolean
  /** Deletions since a mod-sequence can be asked for (RFC 7162 §3.2). Implies `condstore`. */
  qresync: boolean
  /** Changes of all mailboxes are told on one connection (RFC 5465). */
  notify: boolean
  /** X-GM-EXT-1: labels, message and thread ids of Gmail, X-GM-RAW. */
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
  /** LIST attributes as they came, such as `\Noselect`. */
  attributes: string[]
  subscribed: boolean
  /** False where it may not be selected. */
  selectable: boolean
  /** MAILBOXID (RFC 8474), where the server has OBJECTID and tells it in a list. */
  mailboxId?: string
  /** Where it was asked for and the server tells it in the same round trip. */
  status?: MailboxStatus
}

export interface MailboxStatus {
  path: string
  messages: number
  /** 0 where the server does not say. */
  uidNext: number
  uidValidity: bigint
  unseen?: number
  highestModseq?: bigint
}

export interface SelectedMailbox {
  path: string
  messages: number
  /** 0 where the server does not say. */
  uidNext: number
  uidValidity: bigint
  /** Absent where the mailbox has no mod-sequences (NOMODSEQ, or no CONDSTORE at all). */
  highestModseq?: bigint
  /** Keywords and system flags in use, as FLAGS announced them. */
  flags: string[]
}

/** A mailbox that is open, as a reader needs it. */
export type SelectedMailboxSummary = Pick<SelectedMailbox, 'path' | 'messages' | 'uidValidity'>

/** What became of messages since a mod-sequence. */
export type MailboxChange =
  | ({ kind: 'flags' } & MessageFlags)
  /** Gone; may name UIDs that never were. Only where `capabilities.qresync`. */
  | { kind: 'vanished'; uids: UidRange[] }

/** What is to be done to flags: either `set`, or `add` and `remove`. */
export interface FlagsUpdate {
  add?: readonly string[]
  remove?: readonly string[]
  set?: readonly string[]
}

/** Where messages went. Without UIDPLUS the server does not say under which UIDs. */
export interface MovedMessages {
  path: string
  uidValidity?: bigint
  /** UID before to UID after. */
  uids?: ReadonlyMap<number, number>
}

export interface AppendOptions {
  flags?: readonly string[]
  /** When the message came; default now. */
  internalDate?: Date
}

export interface AppendedMessage {
  path: string
  uidValidity?: bigint
  uid?: number
  seq?: number
}

/** Of storage, in bytes. */
export interface Quota {
  usage: number
  limit: number
}

/** What the server says unasked in the selected mailbox. */
export type MailboxNotification =
  | { kind: 'exists'; messages: number }
  | { kind: 'expunge' }
  /** Without a uid the server did not say whose, or not what changed (Gmail, of labels): compare. */
  | { kind: 'flags'; uid?: number; flags: string[]; modseq?: bigint }
  /** NOTIFY: another mailbox changed; its new counters as far as they are told. */
  | { kind: 'mailbox'; path: string; status: Partial<Omit<MailboxStatus, 'path'>> }
  /** NOTIFY: a mailbox came, went, or got another name or subscription. */
  | { kind: 'mailboxes' }
  /** NOTIFICATIONOVERFLOW (RFC 5465 §5.8): the server tells no more; look at everything, and poll from now on. */
  | { kind: 'overflow' }

/**
 * One connection, logged in. Calls are run one after the other; every failure is an AppError:
 * `not-found` `FolderNotFound`/`MessageNotFound` · `rejected` (the server said NO; `code` is its response code, `extras.info.response`
 * its text) · `unprocessable` `MissingServerExtension` (the server lacks what the call needs) · `unreachable` (connection gone, silent or
 * nonsensical; `code` is ECONNREFUSED, ETIMEDOUT … or an RFC 5530 code) ·
 * `unauthorized` (credentials refused; `code` AUTHENTICATIONFAILED where the server said so).
 */
export interface MailSession extends AsyncDisposable {
  readonly capabilities: Capabilities
  readonly user: string
  /** Resolves when the connection is gone, with the reason where it was not asked for. */
  readonly closed: Promise<Error | undefined>
  /** With `status` the counters come along where the server has LIST-STATUS (RFC 5819). */
  listMailboxes(options?: { status?: boolean }): Promise<ListedMailbox[]>
  /**
   * Under the personal namespace's prefix, where the path has it not; of several levels, joined by the server's delimiter. Subscribed to as well.
   * One that is there already is `rejected` `ALREADYEXISTS`, as far as the server says so.
   */
  createMailbox(
    path: string | readonly string[],
  ): Promise<{ path: string; created: boolean; mailboxId?: string }>
  /**
   * With all below it, and with their subscriptions. Returns the path it has now. If one of them is open, none is afterwards. A refusal without
   * a code is `rejected` `RenameFailed`.
   */
  renameMailbox(path: string, newPath: string | readonly string[]): Promise<string>
  /** Not what is below it, and never the inbox. A refusal without a code is `rejected` `DeleteFailed`. */
  deleteMailbox(path: string): Promise<void>
  subscribe(path: string, subscribed: boolean): Promise<void>
  /** Of the Inbox's quota root (RFC 9208). Undefined where there is none or the server has no QUOTA. */
  quota(): Promise<Quota | undefined>
  status(path: string): Promise<MailboxStatus>
  /** Opens a mailbox (again, to see its counters afresh). The calls below work on the one that is open. */
  select(path: string, options?: { readOnly?: boolean }): Promise<SelectedMailbox>
  /**
   * Opens a mailbox, unless it is open already: then nothing is asked, or with `fresh` what is new (NOOP). One that is open for writing
   * serves readers as well.
   */
  ensureSelected(
    path: string,
    options?: { readOnly?: boolean; fresh?: boolean },
  ): Promise<SelectedMailboxSummary>
  /** `UID SEARCH RETURN (ALL)` where the server has ESEARCH, else plain SEARCH. */
  searchUids(query: UidQuery): Promise<UidRange[]>
  /**
   * UIDs that match, ascending. Terms the server cannot search for are `unprocessable`, those that make no sense `invalid`. Dates count to the
   * second where the server has WITHIN (RFC 5032), else a day is taken in as a whole.
   */
  search(terms: SearchTerms): Promise<UidRange[]>
  /** What changed after a mod-sequence (CONDSTORE); with QRESYNC also what is gone. */
  changesSince(since: bigint): AsyncIterable<MailboxChange>
  /** In ascending order of UID; those that are gone are left out. At most 500 at a time go over the wire. */
  fetchMessages(uids: readonly UidRange[], options?: FetchOptions): AsyncIterable<FetchedMessage>
  /** The messages at these places of the open mailbox, first and last counted from 1, in ascending order: one FETCH. At most 1,000. */
  fetchBySequence(first: number, last: number): Promise<FetchedMessage[]>
  /**
   * The beginnings of parts of a message, decoded from the transfer encoding, in one FETCH. The structure is the message's. Parts the server
   * does not give are left out. For texts: all of it is in memory at once.
   */
  readParts(
    uid: number,
    structure: BodyPart,
    wanted: readonly PartRequest[],
  ): Promise<Map<string, Buffer>>
  /** One part of a message, at most `maxBytes` after decoding. */
  downloadPart(uid: number, part: string, options?: { maxBytes?: number }): Promise<Download>
  downloadSource(uid: number): Promise<Download>
  /** Ids that last beyond moves, of messages in the open mailbox: where the server has OBJECTID, or is Gmail. Else none. */
  emailIds(uids: readonly UidRange[]): Promise<string[]>
  /** Of messages in the open mailbox; those that are gone are passed over. Whoever watches on this session hears of the new flags. */
  changeFlags(uids: readonly UidRange[], change: FlagsUpdate): Promise<void>
  /** Gmail labels of messages. `unprocessable` elsewhere. */
  changeLabels(uids: readonly UidRange[], change: FlagsUpdate): Promise<void>
  /** MOVE (RFC 6851), else COPY, `\\Deleted` and UID EXPUNGE of exactly these; without UIDPLUS they stay marked as deleted. */
  moveMessages(uids: readonly UidRange[], path: string): Promise<MovedMessages>
  /**
   * Deletes for good, exactly these. Without UIDPLUS only where no other message is marked as deleted: else they stay marked, for EXPUNGE would
   * take the others along.
   */
  expungeMessages(uids: readonly UidRange[]): Promise<void>
  /**
   * Adds a message to a mailbox, which need not be the open one; its lines end in CRLF then. `uid` is there where the server told it (UIDPLUS).
   * `rejected` `UploadFail` is not made here: the code is the server's. `TOOBIG` may be ours, by the limit it announced (RFC 7889).
   */
  appendMessage(path: string, content: Buffer, options?: AppendOptions): Promise<AppendedMessage>
  /**
   * Waits in IDLE (or by NOOP every 30 s where the server has none) until the signal aborts or the connection ends, and tells what the
   * server says. Renewed before 29 minutes (RFC 2177); a dead connection is noticed within 2 minutes.
   *
   * With `everywhere`, and where `capabilities.notify`, the server also tells of all other mailboxes: the first such watch of a session begins
   * with a notice for each that says where they stand, later ones with what was said meanwhile. Where the server then refuses,
   * `capabilities.notify` becomes false and there is an `overflow`.
   */
  watch(
    notice: (notice: MailboxNotification) => void,
    signal: AbortSignal,
    options?: { everywhere?: boolean },
  ): Promise<void>
  /** NOOP: also lets the server tell what is new. */
  ping(): Promise<void>
}

/** A kind of account: IMAP today; APIs of providers beside it. */
export interface ImapBackend {
  connect(options: ConnectOptions): Promise<MailSession>
}
