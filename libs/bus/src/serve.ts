import type { Logger } from '@posthorn/telemetry'
import type { Channel, ConsumeMessage } from 'amqplib'
import { Answerer, type AnswererDeps } from './answer.ts'
import { Bindings } from './bindings.ts'
import type { CommandServer, ServeOptions } from './bus.ts'
import { InHand } from './in-hand.ts'
import type { Inbox } from './inbox.ts'
import type { Instruments } from './instruments.ts'
import { KeptChannel, plain } from './kept-channel.ts'
import type { Link } from './link.ts'
import { declareOwnQueue, declareSharedQueue, isOnDisk } from './topology.ts'
import { atMost } from './waiting.ts'
import { cancelKey } from './wire.ts'

const defaultConcurrency = 100
const cancelMs = 2_000
/** A reader may take its time; a process that is told to stop has ten seconds. */
const streamGraceMs = 5_000

export interface ServerDeps extends Omit<AnswererDeps, 'inbox' | 'askAt'> {
  link: Link
  inbox: Inbox
  log: Logger
  instruments: Instruments
  name: string
  reconcileMs: number
}

/** Takes requests from a queue and has them answered. */
export class Server implements CommandServer {
  readonly kept: KeptChannel<Channel>
  readonly #deps: ServerDeps
  readonly #options: ServeOptions
  readonly #answerer: Answerer
  readonly #bindings: Bindings
  readonly #inHand = new InHand()
  #tags: string[] = []
  #askAt: string | undefined

  constructor(deps: ServerDeps, options: ServeOptions) {
    this.#deps = deps
    this.#options = options
    const addresses = { inbox: () => deps.inbox.address, askAt: () => this.#askAt }
    this.#answerer = new Answerer({ ...deps, ...addresses }, options.handlers)
    const shared = options.queue === 'private' ? [] : [options.queue]
    const keys = [...shared, ...(options.keys ?? [])]
    this.#bindings = new Bindings(keys)
    for (const key of keys) void deps.inbox.listen(cancelKey(key))
    this.kept = new KeptChannel({
      link: deps.link,
      open: plain,
      setup: (channel, restart) => this.#setup(channel, restart),
      // Whoever deletes an exchange takes our bindings with it, and nobody tells us.
      heal: { everyMs: deps.reconcileMs, run: () => this.#bindings.bindAll() },
      log: deps.log,
      what: `commands (${options.queue})`,
    })
  }

  async bind(key: string): Promise<void> {
    await Promise.all([this.#bindings.add(key), this.#deps.inbox.listen(cancelKey(key))])
  }

  async unbind(key: string): Promise<void> {
    await Promise.all([this.#bindings.remove(key), this.#deps.inbox.unlisten(cancelKey(key))])
  }

  /**
   * Answers what was asked before and takes no more. A private queue is first taken off its keys and then read to its end: who asks from
   * then on is told at once that nobody is there, or reaches the next holder.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    const channel = this.kept.current
    const impatience = setTimeout(() => this.#answerer.abandonStreams(), streamGraceMs)
    if (this.#options.queue === 'private') {
      await atMost(
        cancelMs,
        Promise.all(this.#bindings.keys.map((key) => this.#bindings.remove(key))),
      )
      await this.#inHand.empty()
    }
    this.#askAt = undefined
    if (channel) await atMost(cancelMs, Promise.all(this.#tags.map((tag) => channel.cancel(tag))))
    await this.#inHand.empty()
    clearTimeout(impatience)
    await this.kept.close()
    await Promise.all(this.#bindings.keys.map((key) => this.#deps.inbox.unlisten(cancelKey(key))))
  }

  async #setup(channel: Channel, restart: (reason: string) => void): Promise<void> {
    const { queue: wanted, concurrency = defaultConcurrency } = this.#options
    const own = () => declareOwnQueue(channel, `${this.#deps.name}.commands`)
    const queue = wanted === 'private' ? await own() : await declareSharedQueue(channel, wanted)
    await channel.prefetch(concurrency)
    const take = (message: ConsumeMessage | null) =>
      message ? this.#inHand.add(this.#take(channel, message)) : restart('queue deleted')
    this.#tags = [(await channel.consume(queue, take)).consumerTag]
    await this.#bindings.attach(channel, queue)
    if (wanted === 'private' || !isOnDisk(wanted)) return
    const direct = await own()
    this.#tags.push((await channel.consume(direct, take)).consumerTag)
    this.#askAt = direct
  }

  async #take(channel: Channel, message: ConsumeMessage): Promise<void> {
    const result = await this.#answerer.take(message)
    this.#deps.instruments.consumed(
      this.#options.queue === 'private' ? 'commands' : this.#options.queue,
      result,
    )
    try {
      channel.ack(message)
    } catch {
      // The channel is gone; if the request comes again, its answer is known.
    }
  }
}
