import type { ServerResponse } from 'node:http'
import type { Entry, Follower, StreamPosition } from './feed.ts'

export interface StreamOptions {
  version: string
  /** Time without a write on an event stream after which a comment is sent. */
  keepAliveMs: number
}

/** Text form of the entries of an event stream. */
export interface EntryFormat<P, E> {
  /**
   * Id of the event stream's frame for a position, from which the client resumes. One line without
   * spaces.
   */
  formatPosition: (position: P) => string
  /**
   * Data of the event stream's frame for an entry. The client gets no frame for an entry without
   * data. Details that the client may not read are removed.
   */
  toData: (entry: E) => object | undefined
}

/**
 * Maximum buffered bytes for a slow client of an event stream. The connection of a client with more
 * bytes is closed; the client may resume.
 */
const maxWaitingBytes = 1024 * 1024
/**
 * Maximum time without progress of an event stream's client that catches up with stored entries.
 * After this time its connection is closed.
 */
const stallMs = 60_000
/** Maximum time to flush the last bytes when an event stream ends. */
const closeTimeoutMs = 1_000

/** Stream of server-sent events to one client. */
export class EventStream<P extends StreamPosition, E extends Entry<P>> implements Follower<P, E> {
  position: P
  readonly #response: ServerResponse
  readonly #options: StreamOptions & EntryFormat<P, E>
  readonly #keepAlive: NodeJS.Timeout
  /** Id from which the client of the event stream would resume now. */
  #lastId: string

  constructor(response: ServerResponse, position: P, options: StreamOptions & EntryFormat<P, E>) {
    this.#response = response
    this.#options = options
    this.position = position
    this.#lastId = options.formatPosition(position)
    this.#keepAlive = setInterval(() => this.#keepOpen(), options.keepAliveMs)
    response.once('close', () => clearInterval(this.#keepAlive))
    // Ignores errors of the HTTP response: if the connection breaks, the response also emits
    // `close`.
    response.on('error', () => undefined)
  }

  get closed(): boolean {
    return this.#response.destroyed || this.#response.writableEnded
  }

  /**
   * Writes the HTTP head and the first frame of the event stream. `resumed`: the client sent the
   * position at which an earlier stream ended.
   */
  open(resumed: boolean): void {
    const { version, formatPosition } = this.#options
    this.#response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store, no-transform',
      // Disables the buffering of the event stream in an nginx reverse proxy.
      'X-Accel-Buffering': 'no',
      // Closes the HTTP connection after the event stream, so that the client does not reuse the
      // connection while this process stops.
      Connection: 'close',
    })
    this.#write(greeting(version, resumed ? undefined : formatPosition(this.position)))
  }

  deliver(entries: readonly E[]): void {
    const { formatPosition, toData } = this.#options
    const frames = entries.flatMap((entry) => {
      const data = toData(entry)
      if (!data) return []
      this.#lastId = formatPosition(entry.position)
      return [entryFrame(this.#lastId, data)]
    })
    if (frames.length > 0) this.#write(frames.join(''))
  }

  lost(position: P): void {
    const { formatPosition } = this.#options
    this.#lastId = formatPosition(position)
    this.#write(lostFrame(this.#lastId, formatPosition(this.position)))
    this.position = position
  }

  async ready(): Promise<void> {
    if (!this.#response.writableNeedDrain || this.closed) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const stalled = setTimeout(() => this.#response.destroy(), stallMs)
    this.#response.once('drain', resolve).once('close', resolve)
    await promise
    this.#response.off('drain', resolve).off('close', resolve)
    clearTimeout(stalled)
  }

  close(): void {
    if (this.closed) return
    this.#response.end()
    setTimeout(() => this.#response.destroy(), closeTimeoutMs).unref()
  }

  /**
   * Writes a comment to the event stream, and the position if the last entries had no data for the
   * client. The client would otherwise resume before entries that it has passed, and may find them
   * deleted.
   */
  #keepOpen(): void {
    const id = this.#options.formatPosition(this.position)
    this.#write(id === this.#lastId ? keepAlive : `${keepAlive}${positionFrame(id)}`)
    this.#lastId = id
  }

  #write(text: string): void {
    if (this.closed) return
    this.#response.write(text)
    this.#keepAlive.refresh()
    if (this.#response.writableLength > maxWaitingBytes) this.#response.destroy()
  }
}

// Frames of the streams are server-sent events, WHATWG HTML §9.2.5 and §9.2.6.

/** First frames of an event stream: product and start position. */
export function greeting(version: string, start: string | undefined): string {
  const comment = `: Posthorn v${version}\n\n`
  return start === undefined ? comment : `${comment}${positionFrame(start)}`
}

/** Frame of an event stream without data, from whose id the client resumes. */
function positionFrame(id: string): string {
  return `id: ${id}\n\n`
}

/** Frame with an entry of an event stream. JSON has no line breaks outside of its texts. */
export function entryFrame(id: string, data: object): string {
  return `id: ${id}\nevent: message\ndata: ${JSON.stringify(data)}\n\n`
}

/**
 * Frame of an event stream that reports that entries between the client's last event id and the id
 * of this frame were deleted.
 */
export function lostFrame(id: string, lastEventId: string): string {
  const data = JSON.stringify({ lastEventId })
  return `id: ${id}\nevent: historyLost\ndata: ${data}\n\n`
}

export const keepAlive = ': keep-alive\n\n'
