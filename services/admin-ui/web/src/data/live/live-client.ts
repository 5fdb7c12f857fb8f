import type { LiveStatus, LiveTopic } from '@posthorn/contracts/admin/live'
import { pause } from './pause.ts'
import { readStream, type StreamFrame } from './read-stream.ts'

/** Frame of the stream of live updates, with an event and its data. */
export interface LiveFrame {
  event: string
  data: unknown
}

/**
 * State of the live updates of a tab.
 *
 * | state | meaning |
 * |---|---|
 * | `idle` | no page follows a topic, or the tab is hidden |
 * | `connecting` | the first attempt is running |
 * | `live` | changes arrive |
 * | `disconnected` | an attempt has failed, or the server cannot read changes |
 */
export type LiveState = 'idle' | 'connecting' | 'live' | 'disconnected'

/** Functions through which live updates reach the server and the open administration page. */
export interface LiveOptions {
  fetch: typeof fetch
  /** True if the signed-in person may follow a topic of live updates. */
  mayFollow: (topic: LiveTopic) => boolean
  onFrame: (frame: LiveFrame) => void
  /** Called when live updates arrive again. Older data of the topics must then be loaded again. */
  onLive: (topics: readonly LiveTopic[]) => void
  /**
   * Called when the server has refused the stream of live updates because the session has ended.
   */
  onUnauthorized: () => void
  random?: () => number
}

/**
 * Delays before another attempt to open the stream of live updates. The random share keeps browser
 * tabs from connecting at the same time.
 */
const delays = { firstMs: 500, maxMs: 10_000, jitter: 0.5 }
/**
 * Time without any bytes after which the connection of live updates counts as lost. The server
 * sends a comment every 15 s.
 */
const silenceMs = 45_000

/**
 * Live updates of a tab: one stream for the topics of all parts of the page. After a lost stream,
 * another stream is opened automatically. A hidden tab has no stream.
 */
export class LiveClient {
  readonly #options: LiveOptions
  readonly #followers = new Map<LiveTopic, number>()
  readonly #listeners = new Set<() => void>()
  #state: LiveState = 'idle'
  #isVisible = true
  #topics = ''
  #run: AbortController | undefined
  #isUpdating = false

  constructor(options: LiveOptions) {
    this.#options = options
  }

  readonly state = (): LiveState => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Follows a topic of live updates until the returned function is called. */
  follow(topic: LiveTopic): () => void {
    this.#count(topic, 1)
    return () => this.#count(topic, -1)
  }

  /**
   * Ends the stream of live updates while the browser tab is hidden, and opens it when the tab is
   * shown.
   */
  setVisible(isVisible: boolean): void {
    this.#isVisible = isVisible
    this.#update()
  }

  #count(topic: LiveTopic, change: number): void {
    this.#followers.set(topic, (this.#followers.get(topic) ?? 0) + change)
    if (this.#isUpdating) return
    this.#isUpdating = true
    // When another page is shown, topics of live updates are removed and added. The browser tab
    // then connects once.
    queueMicrotask(() => {
      this.#isUpdating = false
      this.#update()
    })
  }

  #update(): void {
    const followed = [...this.#followers].filter(([, count]) => count > 0).map(([topic]) => topic)
    const topics = this.#isVisible ? followed.filter(this.#options.mayFollow).toSorted() : []
    if (topics.join() === this.#topics) return
    this.#topics = topics.join()
    this.#run?.abort()
    this.#run = undefined
    if (topics.length === 0) return this.#setState('idle')
    if (this.#state !== 'disconnected') this.#setState('connecting')
    this.#run = new AbortController()
    void this.#connect(topics, this.#run.signal)
  }

  async #connect(topics: readonly LiveTopic[], signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted;) {
      const wasLive = await this.#read(topics, signal)
      if (signal.aborted) return
      failures = wasLive ? 1 : failures + 1
      // The end of a stream of live updates, as at a restart of the server, is no outage if the
      // next attempt works.
      this.#setState(wasLive ? 'connecting' : 'disconnected')
      await pause(this.#delay(failures), signal)
    }
  }

  /**
   * Reads one stream of live updates to its end. Returns true if the state was `live` at the end.
   */
  async #read(topics: readonly LiveTopic[], signal: AbortSignal): Promise<boolean> {
    const open = (connection: AbortSignal) => this.#open(topics, connection)
    try {
      for await (const frames of readStream({ open, silenceMs, signal })) {
        signal.throwIfAborted()
        for (const frame of frames) this.#take(frame, topics)
      }
    } catch {
      // After a refused or broken stream of live updates, as after an ended stream, another attempt
      // follows.
    }
    return this.#state === 'live'
  }

  async #open(topics: readonly LiveTopic[], signal: AbortSignal): Promise<Response> {
    const headers = { 'X-SVC-Admin': '1' }
    const url = `/admin/live?topics=${topics.join()}`
    const response = await this.#options.fetch(url, { headers, signal })
    if (response.ok) return response
    if (response.status === 401) this.#options.onUnauthorized()
    throw new Error(`the server refused live updates with the status ${response.status}`)
  }

  #take({ event, data: text = 'null' }: StreamFrame, topics: readonly LiveTopic[]): void {
    if (event === undefined) return
    const data: unknown = JSON.parse(text)
    if (event !== 'status') return this.#options.onFrame({ event, data })
    const { connected } = data as LiveStatus
    this.#setState(connected ? 'live' : 'disconnected')
    if (connected) this.#options.onLive(topics)
  }

  #delay(failures: number): number {
    const { firstMs, maxMs, jitter } = delays
    const { random = Math.random } = this.#options
    return Math.min(maxMs, firstMs * 2 ** (failures - 1)) * (1 - jitter * random())
  }

  #setState(state: LiveState): void {
    if (this.#state === state) return
    this.#state = state
    for (const listener of this.#listeners) listener()
  }
}
