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
/** Compiles an IMAP command to the bytes that are sent. Used only by tests of commands. */
export { default as compileCommand } from 'imapflow/lib/handler/imap-compiler.js'
/** Parses an IMAP response without its literals. Used only by tests of limits. */
export { default as parseLine } from 'imapflow/lib/handler/imap-parser.js'

export interface ExecOptions {
  untagged?: Record<string, LineHandler>
  /** Called when the IMAP server sends a continuation request ("+") for the command. */
  onPlusTag?: LineHandler
}

/** Result of an IMAP command whose tagged response is OK. */
export interface CompletedCommand {
  response: Line
  /** Function that lets imapflow's reader continue with the next response. Must be called. */
  next: () => void
}

/**
 * Private members of `ImapFlow` that this library uses. No other module accesses private members. A
 * test compares the list with the installed version of imapflow.
 */
export interface ImapFlowInternals {
  /**
   * Sends an IMAP command. This library replaces the method, because mailbox names, throttling and
   * LIST-STATUS need access to the raw command.
   */
  exec(command: string, attributes: Attributes, options?: ExecOptions): Promise<CompletedCommand>
  /**
   * Runs a command of imapflow by its name. Used for COMPRESS, for which imapflow has no public
   * method.
   */
  run(command: 'COMPRESS'): Promise<boolean>
  /**
   * Function that ends IDLE of imapflow. False or undefined if the connection is not in IDLE. Must
   * be called before this library sends a command.
   */
  preCheck: (() => Promise<void>) | false | undefined
  /**
   * Handlers of untagged IMAP responses. With NOTIFY, STATUS and LIST responses also arrive
   * unsolicited.
   */
  untaggedHandlers: Record<string, LineHandler>
  /** Handlers of IMAP response codes. NOTIFICATIONOVERFLOW has no event in imapflow. */
  sectionHandlers: Record<string, () => Promise<void>>
  /**
   * Handles a VANISHED response. This library replaces the method, because imapflow's handler
   * iterates over each UID of a range.
   */
  untaggedVanished(line: Line): Promise<void>
  /**
   * Handles a FETCH response. This library wraps the method, because imapflow emits no event for a
   * response with only a mod-sequence.
   */
  untaggedFetch(line: Line): Promise<void>
  /**
   * Waits before a throttled IMAP command is repeated. Resolves to true if the connection was
   * closed.
   */
  throttleWait(ms: number): Promise<boolean>
  /**
   * Starts COMPRESS on an IMAP connection. This library replaces the method, because imapflow's
   * function allocates 200 kB per connection.
   */
  compress(): Promise<void>
  /**
   * Socket of the IMAP connection. The replacement of `compress` pipes the socket through the
   * decompressor.
   */
  socket: Socket
  /**
   * Parser of imapflow for the bytes from the IMAP server. The replacement of `compress` pipes the
   * decompressor into this stream. `_transform` receives the input of plain, TLS and compressed
   * connections, and is wrapped, because the parser has no limits per message.
   */
  streamer: EventEmitter &
    NodeJS.WritableStream &
    Pick<Transform, '_transform'> & { destroyed: boolean; compress: boolean }
  /**
   * Decompressor of an IMAP connection. Stored here so that imapflow destroys the decompressor with
   * the connection.
   */
  _inflate: InflateRaw
  /**
   * Output stream of an IMAP connection. After COMPRESS, replaced by a writer of stored
   * (uncompressed) DEFLATE blocks.
   */
  writeSocket: object
}

export function internalsOf(client: ImapFlow): ImapFlowInternals {
  return client as unknown as ImapFlowInternals
}
