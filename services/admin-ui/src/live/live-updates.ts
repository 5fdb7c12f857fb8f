import type { ServerResponse } from 'node:http'
import type { LiveTopic } from '@posthorn/contracts/admin/live'
import { AppError } from '@posthorn/errors'
import { KeyedSemaphore, TaskGroup } from '@posthorn/flow'
import type { Logger, Metrics } from '@posthorn/telemetry'
import { createGatewayClient, type GatewayClient } from '../forwarding/gateway-client.ts'
import type { SessionWatch } from '../forwarding/session-watch.ts'
import type { SignedIn } from '../identity/signed-in.ts'
import type { ReaderDeps } from './change-reader.ts'
import { GatewayReads } from './gateway-reads.ts'
import { LiveReader } from './live-reader.ts'
import { LiveStream, writeLiveHead } from './live-stream.ts'
import { measureLive } from './measure-live.ts'
import { Viewers } from './viewers.ts'

/** Maximum open streams of live updates of a person, and of all people in this process. */
const limits = { perPerson: 20, total: 500 }

export interface LiveUpdatesOptions {
  gatewayUrl: string
  sessions: Pick<SessionWatch, 'watch'>
  log: Pick<Logger, 'debug' | 'error'>
  metrics: Pick<Metrics, 'counter' | 'gauge'>
}

/** Request of a signed-in person for a stream of live updates. */
export interface LiveRequest {
  signedIn: SignedIn
  topics: ReadonlySet<LiveTopic>
  response: ServerResponse
}

/**
 * Streams of live updates to browser tabs. While streams are open, one reader of this process
 * follows api-gateway for all streams. Disposal ends the streams; the tabs connect to another
 * replica.
 */
export class LiveUpdates implements AsyncDisposable {
  readonly #gateway: GatewayClient
  readonly #sessions: LiveUpdatesOptions['sessions']
  readonly #measured: ReturnType<typeof measureLive>
  readonly #viewers = new Viewers()
  readonly #readerDeps: Omit<ReaderDeps, 'report'>
  readonly #streams = new Set<LiveStream>()
  readonly #slots = new KeyedSemaphore(limits.perPerson)
  readonly #stopping: TaskGroup
  #reader: LiveReader | undefined
  #isStopped = false

  constructor({ gatewayUrl, sessions, log, metrics }: LiveUpdatesOptions) {
    this.#gateway = createGatewayClient(gatewayUrl)
    this.#sessions = sessions
    this.#measured = measureLive(metrics, () => this.#streams.size)
    const viewers = this.#viewers
    const reads = new GatewayReads(this.#gateway, viewers)
    this.#readerDeps = { reads, viewers, log, onRead: this.#measured.onRead }
    this.#stopping = new TaskGroup({
      onError: (err) => log.error({ err }, 'reader of live updates failed'),
    })
  }

  /**
   * Streams live updates until the tab disconnects, its session ends or the process stops.
   *
   * @throws AppError `rate-limited` above a limit, `unavailable` while the process stops
   */
  async serve({ signedIn, topics, response }: LiveRequest): Promise<void> {
    if (this.#isStopped) throw new AppError('unavailable', 'The service is stopping')
    using permit = this.#slots.tryAcquire(signedIn.person.id)
    if (!permit || this.#streams.size >= limits.total) {
      this.#measured.onLimited()
      throw new AppError('rate-limited', 'Too many tabs have live updates, close some of them')
    }
    if (response.destroyed) return
    if (response.req.method === 'HEAD') {
      writeLiveHead(response)
      response.end()
      return
    }
    const stream = new LiveStream(response, { signedIn, topics })
    using _watch = this.#sessions.watch({
      session: signedIn.session.id,
      role: signedIn.person.role,
      needsMail: false,
      ended: () => stream.end('sessionEnded'),
    })
    const closed = new Promise((resolve) => response.once('close', resolve))
    stream.signal.addEventListener('abort', () => this.#remove(stream), { once: true })
    stream.open()
    this.#add(stream)
    await closed
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true
    for (const stream of this.#streams) stream.end('stopped')
    await this.#stopping.drain()
    this.#gateway[Symbol.dispose]()
  }

  #add(stream: LiveStream): void {
    this.#streams.add(stream)
    this.#viewers.add(stream)
    if (this.#reader) this.#reader.welcome(stream)
    else this.#reader = new LiveReader(this.#readerDeps)
  }

  #remove(stream: LiveStream): void {
    this.#streams.delete(stream)
    this.#viewers.delete(stream)
    this.#measured.onEnd(stream.cause)
    if (this.#streams.size > 0 || !this.#reader) return
    this.#stopping.run(this.#reader[Symbol.asyncDispose]())
    this.#reader = undefined
  }
}
