import type { ServerResponse } from 'node:http'
import type { LiveTopic } from '@posthorn/contracts/admin/live'
import type { SignedIn } from '../identity/signed-in.ts'
import type { Viewer } from './viewers.ts'

/** Time in milliseconds without a frame after which a stream of live updates sends a comment. */
const keepAliveMs = 15_000
/**
 * Maximum buffered bytes for a browser tab that reads live updates slowly. Above this limit, the
 * connection to the tab is closed. The page in the tab then reconnects and loads its lists again.
 */
const maxWaitingBytes = 256 * 1024
/** Maximum time in milliseconds to send the last bytes of a stream of live updates that ends. */
const closeTimeoutMs = 1_000

/**
 * Cause for the end of a browser tab's stream of live updates. Label of the metric that counts the
 * ends.
 */
export type StreamEnd = 'left' | 'sessionEnded' | 'slow' | 'stopped'

/** Stream of live updates to one browser tab. */
export class LiveStream implements Viewer {
  readonly signedIn: SignedIn
  readonly topics: ReadonlySet<LiveTopic>
  readonly #response: ServerResponse
  readonly #keepAlive: NodeJS.Timeout
  readonly #ended = new AbortController()
  #end: StreamEnd = 'left'

  constructor(
    response: ServerResponse,
    { signedIn, topics }: Pick<LiveStream, 'signedIn' | 'topics'>,
  ) {
    this.#response = response
    this.signedIn = signedIn
    this.topics = topics
    this.#keepAlive = setInterval(() => this.#write(': keep-alive\n\n'), keepAliveMs)
    // A broken connection to the browser tab also emits `close`, so that its error needs no
    // handling.
    response.on('error', () => undefined).once('close', () => this.#close())
  }

  get signal(): AbortSignal {
    return this.#ended.signal
  }

  /** Cause for the end of the stream of live updates. Meaningful after the end of the stream. */
  get cause(): StreamEnd {
    return this.#end
  }

  /** Sends the head of the stream of live updates to the browser tab. */
  open(): void {
    writeLiveHead(this.#response)
    this.#write(': Posthorn\n\n')
  }

  send(frame: string): void {
    this.#write(frame)
  }

  /**
   * Ends the stream of live updates. The browser tab still gets the frames that were sent before.
   */
  end(cause: StreamEnd): void {
    if (this.signal.aborted) return
    this.#end = cause
    // From now on, no call to api-gateway uses the credential of the browser tab, even if the tab
    // is slow to disconnect.
    this.#close()
    this.#response.end()
    setTimeout(() => this.#response.destroy(), closeTimeoutMs).unref()
  }

  #write(text: string): void {
    if (this.signal.aborted) return
    this.#response.write(text)
    this.#keepAlive.refresh()
    if (this.#response.writableLength <= maxWaitingBytes) return
    this.#end = 'slow'
    this.#close()
    this.#response.destroy()
  }

  #close(): void {
    clearInterval(this.#keepAlive)
    this.#ended.abort()
  }
}

/** Sends the head of a stream of live updates. */
export function writeLiveHead(response: ServerResponse): void {
  response.writeHead(200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store, no-transform',
    // Disables the buffering of the stream in an nginx reverse proxy.
    'X-Accel-Buffering': 'no',
    // Closes the connection after the stream, so that the browser does not send another request on
    // the connection while this process stops.
    Connection: 'close',
  })
}
