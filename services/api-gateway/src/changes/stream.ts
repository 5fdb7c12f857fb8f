import type { ServerResponse } from 'node:http'
import type { Change, Position } from '../store/changes.ts'
import type { Follower } from './feed.ts'
import { changeFrame, greeting, keepAlive, lostFrame } from './frame.ts'

export interface StreamOptions {
  version: string
  /** Of silence, before a comment is sent. */
  keepAliveMs: number
  /** Bytes that wait for a client that reads slowly; one that needs more is closed, and goes on from where it was. */
  maxWaitingBytes: number
}

/** A client that takes nothing for so long while it catches up is gone. */
const stallMs = 60_000
/** How long what was written last may take to leave when a stream is ended. */
const closeTimeoutMs = 1_000

/** One client that follows the changes, from its head to its end. */
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
    // A connection that breaks while something is written; it closes as well.
    response.on('error', () => undefined)
  }

  get closed(): boolean {
    return this.#response.destroyed || this.#response.writableEnded
  }

  /** Writes the head and the greeting. `resumed`: the client knows where it is. */
  open(resumed: boolean): void {
    const { version } = this.#options
    this.#response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store, no-transform',
      // nginx would collect frames otherwise.
      'X-Accel-Buffering': 'no',
      // When this process stops, the next request must not find the connection.
      Connection: 'close',
    })
    this.#write(greeting(version, resumed ? undefined : this.position))
  }

  deliver(changes: readonly Change[]): void {
    this.#write(changes.map((change) => changeFrame(change.position, change)).join(''))
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
    if (this.#response.writableLength > this.#options.maxWaitingBytes) this.#response.destroy()
  }
}
