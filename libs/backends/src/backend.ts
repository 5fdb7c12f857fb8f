import type { Credentials, SpecialUse } from '@posthorn/contracts'
import type { EgressPolicy } from '@posthorn/net'
import type { Logger } from '@posthorn/telemetry'

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

/**
 * All messages, those that have (or with `without`, lack) one flag, or those that came into the mailbox on the day of `since` (UTC) or
 * later: RFC 9051 §6.4.4 `SINCE`, which compares days alone and knows no time zone, so ask for a day more and look at the dates.
 */
export type UidQuery = { all: true } | { flag: string } | { without: string } | { since: Date }

export interface MessageFlags {
  uid: number
  flags: string[]
  modseq?: bigint
}

export interface ReadAddress {
  name?: string
  address?: string
}

/** One node of BODYSTRUCTURE. `part` is the IMAP part number, absent at a multipart root. */
export interface BodyPart {
  part?: string
  type: string
  parameters?: Record<string, string>
  id?: string
  encoding?: string
  /** Bytes as transferred. */
  size?: number
  disposition?: string
  dispositionParameters?: Record<string, string>
  childNodes?: BodyPart[]
}

export interface FetchedMessage extends MessageFlags {
  size: number
  internalDate: Date
  envelope: {
    date?: Date
    subject?: string
    messageId?: string
    inReplyTo?: string
    from: ReadAddress[]
    sender: ReadAddress[]
    replyTo: ReadAddress[]
    to: ReadAddress[]
    cc: ReadAddress[]
    bcc: ReadAddress[]
  }
  bodyStructure: BodyPart
  /** The header block as it came, when asked for: its first 256 KiB. */
  headers?: Buffer
  emailId?: string
  threadId?: string
  /** The server cannot describe this message: `envelope` and `bodyStructure` say nothing. Headers, when asked for, are there. */
  incomplete?: true
}

export interface FetchOptions {
  headers?: boolean
}

export interface Download {
  /** Bytes as the server announced them, where it did. */
  size?: number
  /** Decoded from the transfer encoding for parts, as stored for a whole message. Ends the fetch when it is left early. */
  content: AsyncIterable<Uint8Array>
}

/** What the server says unasked in the selected mailbox. */
export type MailboxNotice =
  | { kind: 'exists'; messages: number }
  | { kind: 'expunge' }
  /** Without a uid the server did not say whose: compare. */
  | { kind: 'flags'; uid?: number; flags: string[]; modseq?: bigint }

/**
 * One connection, logged in. Calls are run one after the other; every failure is an AppError:
 * `not-found` `FolderNotFound`/`MessageNotFound` · `rejected` (the server said NO; `code` is its response code, `extras.info.response`
 * its text) · `unreachable` (connection gone, silent or nonsensical; `code` is ECONNREFUSED, ETIMEDOUT … or an RFC 5530 code) ·
 * `unauthorized` (credentials refused; `code` AUTHENTICATIONFAILED where the server said so).
 */
export interface MailSession extends AsyncDisposable {
  readonly capabilities: Capabilities
  readonly user: string
  /** Resolves when the connection is gone, with the reason where it was not asked for. */
  readonly closed: Promise<Error | undefined>
  listMailboxes(): Promise<ListedMailbox[]>
  status(path: string): Promise<MailboxStatus>
  /** Opens a mailbox (again, to see its counters afresh). The calls below work on the one that is open. */
  select(path: string, options?: { readOnly?: boolean }): Promise<SelectedMailbox>
  /** `UID SEARCH RETURN (ALL)` where the server has ESEARCH, else plain SEARCH. */
  searchUids(query: UidQuery): Promise<UidRange[]>
  /** Flags that changed after a mod-sequence (CONDSTORE). Deletions are not among them. */
  changedFlags(since: bigint): AsyncIterable<MessageFlags>
  /** In ascending order of UID; those that are gone are left out. At most 500 at a time go over the wire. */
  fetchMessages(uids: readonly UidRange[], options?: FetchOptions): AsyncIterable<FetchedMessage>
  /** One part of a message, at most `maxBytes` after decoding. */
  downloadPart(uid: number, part: string, options?: { maxBytes?: number }): Promise<Download>
  downloadSource(uid: number): Promise<Download>
  changeFlags(
    uid: number,
    change: { add?: readonly string[]; remove?: readonly string[] },
  ): Promise<void>
  /**
   * Waits in IDLE (or by NOOP every 30 s where the server has none) until the signal aborts or the connection ends, and tells what the
   * server says. Renewed before 29 minutes (RFC 2177); a dead connection is noticed within 2 minutes.
   */
  watch(notice: (notice: MailboxNotice) => void, signal: AbortSignal): Promise<void>
  /** NOOP: also lets the server tell what is new. */
  ping(): Promise<void>
}

/** A kind of account: IMAP today; APIs of providers beside it. */
export interface MailBackend {
  connect(options: ConnectOptions): Promise<MailSession>
}
