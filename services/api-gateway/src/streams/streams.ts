import type { ServerResponse } from 'node:http'
import type { Operation } from '@posthorn/contracts/define'
import { AppError, messageOf } from '@posthorn/errors'
import type { Logger } from '@posthorn/telemetry'
import type { Caller } from '../access/authenticate.ts'
import type { TokenWatch } from '../access/token-watch.ts'
import type { ResponseWriter } from '../http/handle.ts'
import { type Entry, Feed, type FeedSource, type StreamPosition } from './feed.ts'
import { type EntryFormat, EventStream, type StreamOptions } from './stream.ts'

/** Properties that all event streams of this process share. */
export interface StreamsDeps extends StreamOptions {
  log: Logger
  tokenWatch: TokenWatch
  /** Interval at which stream entries are read even if `wake` is not called. */
  pollMs: number
}

export interface StreamsOptions<P extends StreamPosition, E extends Entry<P>> extends StreamsDeps {
  operation: Operation
  source: FeedSource<P, E>
  /** Called with entries that were delivered to all client streams of this process. */
  onLive: (entries: readonly E[]) => void
  /**
   * Called with 1 for each client that connects to an event stream, and with -1 for each client
   * that disconnects.
   */
  onClients: (change: 1 | -1) => void
}

/**
 * Event streams of one API operation in this process, with one shared reader. Disposal ends the
 * streams; clients resume at any replica.
 */
export class Streams<P extends StreamPosition, E extends Entry<P>> implements AsyncDisposable {
  readonly #options: StreamsOptions<P, E>
  readonly #feed: Feed<P, E>
  readonly #streams = new Set<EventStream<P, E>>()
  #stopping = false

  constructor(options: StreamsOptions<P, E>) {
    const log = options.log.child({ operation: options.operation.id })
    this.#options = { ...options, log }
    this.#feed = new Feed(this.#options)
  }

  /** Makes the event streams read entries soon. Called when there may be new entries. */
  wake(): void {
    this.#feed.wake()
  }

  /**
   * Prepares an event stream that starts after the position `after`, or at the current end of the
   * stored entries. The returned function writes the stream.
   */
  async open(
    after: P | undefined,
    caller: Caller,
    format: EntryFormat<P, E>,
  ): Promise<ResponseWriter> {
    // Queries the end of the stored stream entries even if the client sent a position. A database
    // outage thus gives an error response instead of a stream.
    const end = await this.#options.source.findEnd()
    return async (response) => {
      if (this.#stopping) throw new AppError('unavailable', 'The service is stopping')
      if (response.destroyed) return
      const stream = new EventStream(response, after ?? end, { ...this.#options, ...format })
      if (response.req.method === 'HEAD') {
        stream.open(after !== undefined)
        stream.close()
        return
      }
      const { referer: referrer } = response.req.headers
      const { operation, tokenWatch } = this.#options
      const by = { operation, caller, account: undefined, address: caller.address, referrer }
      using _watched = tokenWatch.watch({ ...by, refused: () => stream.close() })
      stream.open(after !== undefined)
      await this.#serve(stream, response)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping = true
    for (const stream of this.#streams) stream.close()
    await this.#feed[Symbol.asyncDispose]()
  }

  async #serve(stream: EventStream<P, E>, response: ServerResponse): Promise<void> {
    const { log, onClients } = this.#options
    const closed = new Promise((resolve) => response.once('close', resolve))
    this.#streams.add(stream)
    onClients(1)
    try {
      await this.#feed.follow(stream)
      await closed
    } catch (error) {
      // Closes the HTTP connection of the client after an error, because the head of the stream has
      // been sent. The client detects the end and resumes with its last event id.
      log.info({ reason: messageOf(error) }, 'event stream ended after an error')
      response.destroy()
    } finally {
      this.#feed.leave(stream)
      this.#streams.delete(stream)
      onClients(-1)
    }
  }
}
