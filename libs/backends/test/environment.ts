import type { ConnectOptions, ImapBackend } from '../src/mail-session.ts'

/** Environment of the conformance tests for an IMAP server. */
export interface TestEnvironment {
  backend: ImapBackend
  /** Variant of the IMAP backend with short timeouts, for unresponsive mail servers. */
  shortTimeoutBackend: ImapBackend
  /** Creates a mail account without messages, reached through a TCP link of its own. */
  account: () => Promise<TestAccount>
}

export interface TestAccount extends AsyncDisposable {
  options: ConnectOptions
  /** Options of a connection to the mail server with implicit TLS. */
  tls: ConnectOptions
  /**
   * Stores a message in the mail account through another connection and returns the message's UID.
   */
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
  /** Resets all TCP connections to the mail account. */
  cut(): void
  /** Blocks all data on the connections to the mail account without closing them. */
  freeze(): void
}
