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
/** Bytes of a command as they are sent. Only for tests of commands. */
export { default as compileCommand } from 'imapflow/lib/handler/imap-compiler.js'
/** Parser of a response without its literals. Only for tests of limits. */
export { default as parseLine } from 'imapflow/lib/handler/imap-parser.js'

export interface ExecOptions {
  untagged?: Record<string, LineHandler>
  /** Called with a continuation request of the server. */
  onPlusTag?: LineHandler
}

/** Result of a command whose tagged response is OK. */
export interface CompletedCommand {
  response: Line
  /** Resumes the reader. Must be called. */
  next: () => void
}

/**
 * Private members of `ImapFlow` in use. No other module accesses any. A test compares them with the
 * installed version of imapflow.
 */
export interface ImapFlowInternals {
  /** Sends a command. Replaced: mailbox names, throttling and LIST-STATUS need the raw command. */
  exec(command: string, attributes: Attributes, options?: ExecOptions): Promise<CompletedCommand>
  /** Runs a library command by name. Used for COMPRESS, which has no public method. */
  run(command: 'COMPRESS'): Promise<boolean>
  /** Ends IDLE; false or undefined outside IDLE. Must be called before commands of this library. */
  preCheck: (() => Promise<void>) | false | undefined
  /** Handlers of untagged responses. STATUS and LIST also arrive unsolicited with NOTIFY. */
  untaggedHandlers: Record<string, LineHandler>
  /** Handlers of response codes. NOTIFICATIONOVERFLOW has no event. */
  sectionHandlers: Record<string, () => Promise<void>>
  /** Handles VANISHED. Replaced: the original iterates over each UID of a range. */
  untaggedVanished(line: Line): Promise<void>
  /** Handles FETCH. Wrapped: a response with only a mod-sequence produces no event. */
  untaggedFetch(line: Line): Promise<void>
  /** Waits for a throttled command. Resolves to true if the connection was closed. */
  throttleWait(ms: number): Promise<boolean>
  /** Starts COMPRESS. Replaced: the original allocates 200 kB per connection. */
  compress(): Promise<void>
  /** Socket of the connection, piped through the decompressor by the replaced `compress`. */
  socket: Socket
  /**
   * Parser of the input. The replaced `compress` pipes the decompressor into this stream.
   * `_transform` receives the input of all transports. `_transform` is wrapped, because the parser
   * has no limits per message.
   */
  streamer: EventEmitter &
    NodeJS.WritableStream &
    Pick<Transform, '_transform'> & { destroyed: boolean; compress: boolean }
  /** Decompressor. Stored here so that imapflow destroys it with the connection. */
  _inflate: InflateRaw
  /** Output stream. Replaced by a writer of stored DEFLATE blocks. */
  writeSocket: object
}

export function internalsOf(client: ImapFlow): ImapFlowInternals {
  return client as unknown as ImapFlowInternals
}
