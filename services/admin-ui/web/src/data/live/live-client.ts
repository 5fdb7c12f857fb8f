import type { LiveStatus, LiveTopic } from '@posthorn/contracts/admin/live'
import { type EventFrame, readEvents } from './event-frames.ts'

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

/** Connection of the live updates with the page. */
export interface LiveOptions {
  fetch: typeof fetch
  /** True if the signed-in person may follow a topic. */
  mayFollow: (topic: LiveTopic) => boolean
  onFrame: (frame: EventFrame) => void
  /** Called when changes arrive again. Older data of the topics must then be loaded again. */
  onLive: (topics: readonly LiveTopic[]) => void
  /** Called when the server has refused the stream because the session has ended. */
  onUnauthorized: () => void
  random?: () => number
}

/** Delays before another attempt. The random part keeps tabs from connecting at the same time. */
const delays = { firstMs: 500, maxMs: 10_000, jitter: 0.5 }
/**
 * Time without any bytes after which a connection counts as lost. The server sends a comment every
 * 15 s.
 */
const silenceMs = 45_000

/**
 * Live updates of a tab: one stream for the topics of all parts of the page. Connects again by
 * itself. A hidden tab has no stream.
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

  /** Follows a topic until the returned function is called. */
  follow(topic: LiveTopic): () => void {
    this.#count(topic, 1)
    return () => this.#count(topic, -1)
  }

  /** Ends the stream while the tab is hidden, and opens it when the tab is shown. */
  setVisible(isVisible: boolean): void {
    this.#isVisible = isVisible
    this.#update()
  }

  #count(topic: LiveTopic, change: number): void {
    this.#followers.set(topic, (this.#followers.get(topic) ?? 0) + change)
    if (this.#isUpdating) return
    this.#isUpdating = true
    // A change of the page removes and adds topics, after which the tab connects once.
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
      // The end of a stream, as at a restart of the server, is no outage if the next attempt works.
      this.#setState(wasLive ? 'connecting' : 'disconnected')
      await pause(this.#delay(failures), signal)
    }
  }

  /** Reads one stream to its end. Returns true if changes have arrived last. */
  async #read(topics: readonly LiveTopic[], signal: AbortSignal): Promise<boolean> {
    const connection = new AbortController()
    const silent = () => connection.abort()
    let timer = setTimeout(silent, silenceMs)
    const onBytes = () => {
      clearTimeout(timer)
      timer = setTimeout(silent, silenceMs)
    }
    try {
      const response = await this.#options.fetch(`/admin/live?topics=${topics.join()}`, {
        headers: { 'X-SVC-Admin': '1' },
        signal: AbortSignal.any([signal, connection.signal]),
      })
      if (response.status === 401) this.#options.onUnauthorized()
      if (!response.ok || !response.body) return false
      for await (const frame of readEvents(response.body, onBytes))
        if (!signal.aborted) this.#take(frame, topics)
    } catch {
      // A broken stream is like an ended stream: another one is opened.
    } finally {
      clearTimeout(timer)
    }
    return this.#state === 'live'
  }

  #take(frame: EventFrame, topics: readonly LiveTopic[]): void {
    if (frame.event !== 'status') return this.#options.onFrame(frame)
    const { connected } = frame.data as LiveStatus
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

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
