import type { ConnectOptions, ImapBackend } from '../src/mail-session.ts'

/** Environment of the conformance suite for a mail server. */
export interface TestEnvironment {
  backend: ImapBackend
  /** Variant with short timeouts, for unresponsive servers. */
  shortTimeoutBackend: ImapBackend
  /** Unused account, reached through a link of its own. */
  account: () => Promise<TestAccount>
}

export interface TestAccount extends AsyncDisposable {
  options: ConnectOptions
  /** Options of a connection with implicit TLS. */
  tls: ConnectOptions
  /** Stores a message through another connection and returns its UID. */
  append(
    rfc822: string | Buffer,
    placed?: { mailbox?: string; flags?: string[]; date?: Date },
  ): Promise<number>
  changeFlags(
    uid: number,
    change: { add?: string[]; remove?: string[]; mailbox?: string },
  ): Promise<void>
  expunge(uid: number): Promise<void>
  createMailbox(path: string): Promise<void>
  renameMailbox(path: string, newPath: string): Promise<void>
  deleteMailbox(path: string): Promise<void>
  /** Resets the account's connections. */
  cut(): void
  /** Blocks all data without closing the connections. */
  freeze(): void
}
