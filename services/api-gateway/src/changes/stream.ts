import type { ServerResponse } from 'node:http'
import type { StateChange } from '@posthorn/contracts/schemas/changes'
import type { Change, Position } from '../store/changes.ts'
import type { Follower } from './feed.ts'
import { formatPosition } from './position.ts'

export interface StreamOptions {
  version: string
  /** Time without a write on a change stream after which a comment is sent. */
  keepAliveMs: number
  /**
   * Removes details that the client of a change stream may not read from an account change; by
   * default removes nothing.
   */
  toVisible?: (change: Change) => Change
}

/**
 * Maximum buffered bytes for a slow client of a change stream. The connection of a client with more
 * bytes is closed; the client may resume.
 */
const maxWaitingBytes = 1024 * 1024
/**
 * Maximum time without progress of a client that catches up with account changes. After this time
 * its connection is closed.
 */
const stallMs = 60_000
/** Maximum time to flush the last bytes when a change stream ends. */
const closeTimeoutMs = 1_000

/** Stream of account changes to one client. */
export class ChangeStream implements Follower {
  position: Position
  readonly #response: ServerResponse
  readonly #options: StreamOptions
  readonly #keepAlive: NodeJS.Timeout

  constructor(response: ServerResponse, position: Position, options: StreamOptions) {
    this.#response = response
    this.#options = options
    this.position = position
    this.#keepAlive = setInterval(() => this.#write(keepAlive), options.keepAliveMs)
    response.once('close', () => clearInterval(this.#keepAlive))
    // Ignores errors of the HTTP response: if the connection breaks, the response also emits
    // `close`.
    response.on('error', () => undefined)
  }

  get closed(): boolean {
    return this.#response.destroyed || this.#response.writableEnded
  }

  /**
   * Writes the HTTP head and the first frame of a change stream. `resumed`: the client sent the
   * position at which an earlier stream ended.
   */
  open(resumed: boolean): void {
    const { version } = this.#options
    this.#response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store, no-transform',
      // Disables the buffering of the event stream in an nginx reverse proxy.
      'X-Accel-Buffering': 'no',
      // Closes the HTTP connection after the event stream, so that the client does not reuse the
      // connection while this process stops.
      Connection: 'close',
    })
    this.#write(greeting(version, resumed ? undefined : this.position))
  }

  deliver(changes: readonly Change[]): void {
    const { toVisible = (change: Change) => change } = this.#options
    this.#write(changes.map((change) => changeFrame(change.position, toVisible(change))).join(''))
  }

  lost(position: Position): void {
    this.#write(lostFrame(position, this.position))
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

  #write(text: string): void {
    if (this.closed) return
    this.#response.write(text)
    this.#keepAlive.refresh()
    if (this.#response.writableLength > maxWaitingBytes) this.#response.destroy()
  }
}

// Frames of a change stream are server-sent events, WHATWG HTML §9.2.5 and §9.2.6.

/**
 * First frame of a change stream: product and start position. The frame has no data, so clients
 * dispatch no event.
 */
export function greeting(version: string, start: Position | undefined): string {
  const comment = `: Posthorn v${version}\n\n`
  return start ? `${comment}id: ${formatPosition(start)}\n\n` : comment
}

export function changeFrame(position: Position, change: StateChange): string {
  const { account, type, key, stateDetail, payload } = change
  const data = JSON.stringify({ account, type, key, stateDetail, payload })
  return `id: ${formatPosition(position)}\nevent: message\ndata: ${data}\n\n`
}

/**
 * Frame that reports that account changes between the client's last event id and this position were
 * deleted.
 */
export function lostFrame(position: Position, lastEventId: Position): string {
  const data = JSON.stringify({ lastEventId: formatPosition(lastEventId) })
  return `id: ${formatPosition(position)}\nevent: historyLost\ndata: ${data}\n\n`
}

export const keepAlive = ': keep-alive\n\n'
