import type { MailboxStore } from './store.ts'
import type { ScriptSession } from './session.ts'
import type { Value } from './syntax.ts'

/** IMAP command that the test server received. */
export interface ScriptCommand {
  readonly tag: string
  /** Name of the IMAP command in capitals, such as `SELECT` or `UID FETCH`. */
  readonly name: string
  /** Text of the IMAP command after its name, unchanged and with literals. */
  readonly rest: string
  readonly args: readonly Value[]
  readonly session: ScriptSession
  /**
   * Executes the IMAP command. Returns the untagged lines and then the tagged line of the reply,
   * without line ends. For hooks that change a detail of the reply.
   */
  readonly defaultReply: () => Promise<string[]>
}

/** Bytes of an IMAP reply that are sent unchanged, after which the connection may end. */
export interface RawReply {
  raw: string
  then?: 'close' | 'reset' | 'freeze'
}

/**
 * Reply of a hook to an IMAP command. Lines get their line ends, and a leading `{tag}` is replaced
 * by the command's tag. An empty array sends nothing. With undefined, the next hook or the server
 * replies.
 */
export type Reply = readonly string[] | RawReply | undefined

export type Hook = (command: ScriptCommand) => Reply | Promise<Reply>

export interface Quota {
  /** Number of used bytes of the storage quota that the IMAP test server reports. */
  usage: number
  limit: number
}

/**
 * Delay until an open IMAP connection sees messages that arrived in its mailbox: a number of
 * further commands, until NOOP, or until the mailbox is selected again. IDLE and NOTIFY always
 * announce new messages.
 */
export type Lag = number | 'noop' | 'select'

/** State of the IMAP test server that commands read and change. */
export interface ScriptServerState {
  capabilities: Set<string>
  readonly store: MailboxStore
  /** Prefix of the personal namespace of IMAP, such as `INBOX.`. */
  readonly prefix: string
  readonly users: ReadonlyMap<string, string>
  quota: Quota | undefined
  /** Maximum size of a message that APPEND accepts, in bytes. */
  appendLimit: number
  lag: Lag
}

/**
 * Function that executes an IMAP command. Returns the untagged lines and the tagged line of the
 * reply.
 * @throws ImapRejection
 */
export type Handler = (
  command: ScriptCommand,
  world: ScriptServerState,
) => string[] | Promise<string[]>

export function ok(
  command: ScriptCommand,
  untagged: readonly string[] = [],
  text = 'done',
): string[] {
  return [...untagged, `${command.tag} OK ${text}`]
}
