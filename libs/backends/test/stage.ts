import type { ConnectOptions, ImapBackend } from '../src/backend.ts'

/** What the conformance suite needs of a kind of account, beside the backend that it tests. */
export interface Stage {
  backend: ImapBackend
  /** The same for servers that are dead: it does not wait for an answer for long. */
  hasty: ImapBackend
  /** An account that nobody has used, reached over a link of its own. */
  account: () => Promise<StageAccount>
}

export interface StageAccount extends AsyncDisposable {
  options: ConnectOptions
  /** The same account over implicit TLS. */
  tls: ConnectOptions
  /** Stores a message from elsewhere; the UID it got. */
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
  /** Lets nothing through any more, without closing anything. */
  freeze(): void
}
