import type { MailboxStore } from './store.ts'
import type { ScriptSession } from './session.ts'
import type { Value } from './syntax.ts'

/** IMAP command that the server received. */
export interface ScriptCommand {
  readonly tag: string
  /** Name in capitals, such as `SELECT` or `UID FETCH`. */
  readonly name: string
  /** Text after the name, unchanged, literals included. */
  readonly rest: string
  readonly args: readonly Value[]
  readonly session: ScriptSession
  /**
   * Executes the command and returns the untagged lines, then the tagged line, without line ends.
   * For replies that change a detail.
   */
  readonly defaultReply: () => Promise<string[]>
}

/** Bytes sent unchanged, optionally followed by the end of the connection. */
export interface RawReply {
  raw: string
  then?: 'close' | 'reset' | 'freeze'
}

/**
 * Reply of a hook. Lines get their line ends, and a leading `{tag}` is replaced by the command's
 * tag. An empty array sends nothing. With undefined the next hook or the server replies.
 */
export type Reply = readonly string[] | RawReply | undefined

export type Hook = (command: ScriptCommand) => Reply | Promise<Reply>

export interface Quota {
  /** Used bytes of the storage quota. */
  usage: number
  limit: number
}

/**
 * Time at which an open connection sees messages that arrived in its mailbox: after this number of
 * further commands, after NOOP, or only after the mailbox is selected again. IDLE and NOTIFY always
 * announce them.
 */
export type Lag = number | 'noop' | 'select'

/** State of the IMAP server that commands work on. */
export interface ScriptServerState {
  capabilities: Set<string>
  readonly store: MailboxStore
  /** Prefix of the personal namespace, such as `INBOX.`. */
  readonly prefix: string
  readonly users: ReadonlyMap<string, string>
  quota: Quota | undefined
  /** Maximum size of APPEND in bytes. */
  appendLimit: number
  lag: Lag
}

/**
 * Executes a command. Returns the untagged lines and the tagged line.
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
