import type { MailboxStore } from './store.ts'
import type { ScriptSession } from './session.ts'
import type { Value } from './syntax.ts'

/** A command as it came. */
export interface ScriptCommand {
  readonly tag: string
  /** In capitals, such as `SELECT` or `UID FETCH`. */
  readonly name: string
  /** What follows the name, as it came; literals stand in it as `{5}\r\nhello`. */
  readonly rest: string
  readonly args: readonly Value[]
  readonly session: ScriptSession
  /**
   * Does what the server would do, and returns what it would say: the untagged lines, then the tagged one, without line ends. For answers
   * that change a detail.
   */
  readonly defaultReply: () => Promise<string[]>
}

/** Bytes that are sent as they are, and what then becomes of the connection. */
export interface RawReply {
  raw: string
  then?: 'close' | 'reset' | 'freeze'
}

/**
 * What a hook answers. Lines get their ends, and `{tag}` at their beginning stands for the command's tag; no lines: nothing is said.
 * Undefined: not this hook's business.
 */
export type Reply = readonly string[] | RawReply | undefined

export type Hook = (command: ScriptCommand) => Reply | Promise<Reply>

export interface Quota {
  /** Bytes. */
  usage: number
  limit: number
}

/** What commands work on. */
export interface ScriptServerState {
  capabilities: Set<string>
  readonly store: MailboxStore
  /** Of the personal namespace, such as `INBOX.`. */
  readonly prefix: string
  readonly users: ReadonlyMap<string, string>
  quota: Quota | undefined
  /** Bytes APPEND takes. */
  appendLimit: number
}

/** Does a command; returns the untagged lines and the tagged one. Throws Refusal. */
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
