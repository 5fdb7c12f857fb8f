import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import type { Transform } from 'node:stream'
import type { InflateRaw } from 'node:zlib'
import type { ImapFlow } from 'imapflow'
import type { Attributes, Line, LineHandler } from './tokens.ts'

/**
 * Functions without an equivalent in imapflow's public API: mailbox names in the encoding of the
 * session (modified UTF-7 or UTF-8), namespace prefixes, and capabilities implied by IMAP4rev2.
 */
export { decodePath, encodePath, hasCapability, normalizePath } from 'imapflow/lib/tools.js'
/** Compiles an IMAP command to the bytes that are sent. Only for tests of commands. */
export { default as compileCommand } from 'imapflow/lib/handler/imap-compiler.js'
/** Parses an IMAP response without its literals. Only for tests of limits. */
export { default as parseLine } from 'imapflow/lib/handler/imap-parser.js'

export interface ExecOptions {
  untagged?: Record<string, LineHandler>
  /** Called with a continuation request of the IMAP server. */
  onPlusTag?: LineHandler
}

/** Result of an IMAP command whose tagged response is OK. */
export interface CompletedCommand {
  response: Line
  /** Resumes imapflow's reader of responses. Must be called. */
  next: () => void
}

/**
 * Private members of `ImapFlow` that this library uses. No other module accesses private members. A
 * test compares the list with the installed version of imapflow.
 */
export interface ImapFlowInternals {
  /**
   * Sends an IMAP command. Replaced: mailbox names, throttling and LIST-STATUS need the raw
   * command.
   */
  exec(command: string, attributes: Attributes, options?: ExecOptions): Promise<CompletedCommand>
  /** Runs a command of imapflow by name. Used for COMPRESS, which has no public method. */
  run(command: 'COMPRESS'): Promise<boolean>
  /**
   * Ends IDLE of imapflow; false or undefined outside IDLE. Must be called before commands of this
   * library.
   */
  preCheck: (() => Promise<void>) | false | undefined
  /** Handlers of untagged IMAP responses. STATUS and LIST also arrive unsolicited with NOTIFY. */
  untaggedHandlers: Record<string, LineHandler>
  /** Handlers of IMAP response codes. NOTIFICATIONOVERFLOW has no event in imapflow. */
  sectionHandlers: Record<string, () => Promise<void>>
  /**
   * Handles a VANISHED response. Replaced: imapflow's handler iterates over each UID of a range.
   */
  untaggedVanished(line: Line): Promise<void>
  /**
   * Handles a FETCH response. Wrapped: imapflow emits no event for a response with only a
   * mod-sequence.
   */
  untaggedFetch(line: Line): Promise<void>
  /**
   * Waits before a throttled command is repeated. Resolves to true if the connection was closed.
   */
  throttleWait(ms: number): Promise<boolean>
  /**
   * Starts COMPRESS on a connection. Replaced: imapflow's function allocates 200 kB per connection.
   */
  compress(): Promise<void>
  /**
   * Socket of the IMAP connection. The replaced `compress` pipes the socket through the
   * decompressor.
   */
  socket: Socket
  /**
   * Parser of imapflow for the bytes from the IMAP server. The replaced `compress` pipes the
   * decompressor into this stream. `_transform` receives the input of all transports. `_transform`
   * is wrapped, because the parser has no limits per message.
   */
  streamer: EventEmitter &
    NodeJS.WritableStream &
    Pick<Transform, '_transform'> & { destroyed: boolean; compress: boolean }
  /**
   * Decompressor of an IMAP connection. Stored here so that imapflow destroys it with the
   * connection.
   */
  _inflate: InflateRaw
  /** Output stream of an IMAP connection. Replaced by a writer of stored DEFLATE blocks. */
  writeSocket: object
}

export function internalsOf(client: ImapFlow): ImapFlowInternals {
  return client as unknown as ImapFlowInternals
}
