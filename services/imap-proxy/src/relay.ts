import type { Socket } from 'node:net'
import { CommandTracker } from './client/command-tracker.ts'
import type { UpstreamReader } from './upstream/upstream-reader.ts'

/** Counter of the bytes that IMAP sessions relay. */
export interface ByteCounter {
  inc(count: number): void
}

export interface RelayOptions {
  client: Socket
  upstream: Socket
  /**
   * Reader of the plaintext socket to the mail server. Absent if the mail server's connection uses
   * TLS.
   */
  reader?: UpstreamReader
  /** Bytes of the mail client that were sent to the mail server before the relay started. */
  sent: Buffer
  bytes: { in: ByteCounter; out: ByteCounter }
}

/** Time without bytes of the mail server, after which its responses are assumed to be complete. */
const quietMs = 1_000
/**
 * Maximum time for which one side (client or mail server) of a relay stays open after the other
 * side has ended.
 */
const lingerMs = 60_000
/** Maximum time for which a mail client that has ended its side may continue to read responses. */
const lastResponsesMs = 10 * 60_000

/**
 * Relays bytes between mail client and mail server without changing the bytes, so client and server
 * may negotiate anything, such as COMPRESS. A client or server that does not read slows down the
 * other. After the client or the server ends its side, its bytes still reach the other, and
 * responses are still relayed. There is no idle timeout; TCP keep-alive detects vanished peers.
 */
export class Relay {
  /** Called once both sides of the relay (mail client and mail server) are closed. */
  onClose: (() => void) | undefined
  readonly #client: Socket
  readonly #upstream: Socket
  readonly #commands = new CommandTracker()
  #openSides = 2
  #respondedAt = 0
  #lineComplete = true

  constructor({ client, upstream, reader, sent, bytes }: RelayOptions) {
    this.#client = client
    this.#upstream = upstream
    this.#commands.onSent(sent)
    pipe(client, upstream, (chunk) => {
      bytes.in.inc(chunk.length)
      this.#commands.onSent(chunk)
    })
    const onResponse = (chunk: Buffer) => {
      bytes.out.inc(chunk.length)
      this.#commands.onReceived(chunk)
      this.#respondedAt = Date.now()
      this.#lineComplete = chunk.at(-1) === 0x0a
    }
    pipe(upstream, client, onResponse)
    reader?.relayTo(client, onResponse)
    whenEnded(upstream, () => this.#finish(client))
    whenEnded(client, () => this.#endUpstreamWhenQuiet())
    whenClosed(client, () => this.#closed(upstream))
    whenClosed(upstream, () => this.#closed(client))
  }

  /** True while an IMAP command runs, or while the mail client has responses to read. */
  get isBusy(): boolean {
    if (this.#client.writableLength > 0) return true
    return this.#commands.isCompressed ? !this.#quiet() : this.#commands.isBusy
  }

  /**
   * Closes the connections of the relay with mail client and mail server. The mail client gets a
   * BYE if no response is in progress.
   */
  end(reason: string): void {
    // A BYE inside a literal would become part of a mail message. During a response, the connection
    // of the client is therefore closed without BYE.
    const isBetweenResponses = !this.isBusy || this.#quiet()
    const safe = this.#lineComplete && isBetweenResponses && !this.#commands.isCompressed
    this.#client.end(safe ? `* BYE ${reason}\r\n` : '')
    this.#upstream.destroy()
    setTimeout(() => this.#client.destroy(), quietMs).unref()
  }

  #quiet(): boolean {
    return Date.now() - this.#respondedAt >= quietMs && this.#client.writableLength === 0
  }

  /**
   * Ends the relay's connection to the mail server after the pending responses, because Dovecot 2.3
   * drops pending responses when its input ends.
   */
  #endUpstreamWhenQuiet(): void {
    const endedAt = Date.now()
    this.#respondedAt = endedAt
    const timer = setInterval(() => {
      const waiting = !this.#quiet() && Date.now() - endedAt < lastResponsesMs
      if (waiting && !this.#upstream.destroyed) return
      clearInterval(timer)
      this.#finish(this.#upstream)
    }, quietMs / 4)
  }

  #finish(side: Socket): void {
    side.end()
    setTimeout(() => {
      this.#client.destroy()
      this.#upstream.destroy()
    }, lingerMs).unref()
  }

  /**
   * After the mail client or the mail server has closed its side of the relay, flushes and closes
   * the other side.
   */
  #closed(other: Socket): void {
    other.destroySoon()
    this.#openSides -= 1
    if (this.#openSides === 0) this.onClose?.()
  }
}

function pipe(from: Socket, to: Socket, onChunk: (chunk: Buffer) => void): void {
  from.on('data', (chunk: Buffer) => {
    onChunk(chunk)
    if (!to.write(chunk)) from.pause()
  })
  to.on('drain', () => from.resume())
}

/**
 * Calls `then` after one side of an IMAP relay (client or server) has ended its stream, also if the
 * side ended before this call.
 */
function whenEnded(side: Socket, then: () => void): void {
  if (side.readableEnded) then()
  else side.once('end', then)
}

/**
 * Calls `then` after one side of an IMAP relay (client or server) was closed; asynchronously, if
 * the side is closed already.
 */
function whenClosed(side: Socket, then: () => void): void {
  if (side.closed) setImmediate(then)
  else side.once('close', then)
}
