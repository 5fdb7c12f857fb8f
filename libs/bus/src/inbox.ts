import { messageOf } from '@posthorn/errors'
import type { Logger } from '@posthorn/telemetry'
import type { Channel, ConsumeMessage } from 'amqplib'
import { Bindings } from './bindings.ts'
import { KeptChannel, plain } from './kept-channel.ts'
import type { Link } from './link.ts'
import { declareOwnQueue } from './topology.ts'

export interface InboxDeps {
  link: Link
  log: Logger
  name: string
  reconcileMs: number
  receive: (message: ConsumeMessage) => void
  changed: (ready: boolean) => void
}

/**
 * The queue of this process for all that belongs to a call under way: answers and chunks to what it asked, credit and cancellations of
 * what it answers. Everything in it is worthless after a loss of the connection, so nothing is acknowledged.
 */
export class Inbox {
  readonly kept: KeptChannel<Channel>
  readonly #deps: InboxDeps
  readonly #bindings = new Bindings()
  #queue: string | undefined

  constructor(deps: InboxDeps) {
    this.#deps = deps
    this.kept = new KeptChannel({
      link: deps.link,
      open: plain,
      setup: (channel, restart) => this.#setup(channel, restart),
      heal: { everyMs: deps.reconcileMs, run: () => this.#bindings.bindAll() },
      changed: deps.changed,
      log: deps.log,
      what: 'inbox',
    })
  }

  /** Where to write to; another one after each loss. */
  get address(): string | undefined {
    return this.kept.current ? this.#queue : undefined
  }

  /** Takes in what is sent with this key, as others may who listen to the same. */
  listen(key: string): Promise<void> {
    return this.#bindings.add(key)
  }

  unlisten(key: string): Promise<void> {
    return this.#bindings.remove(key)
  }

  async #setup(channel: Channel, restart: (reason: string) => void): Promise<void> {
    this.#queue = await declareOwnQueue(channel, `${this.#deps.name}.inbox`)
    const take = (message: ConsumeMessage | null) =>
      message ? this.#receive(message) : restart('queue deleted')
    await channel.consume(this.#queue, take, { noAck: true })
    await this.#bindings.attach(channel, this.#queue)
  }

  #receive(message: ConsumeMessage): void {
    try {
      this.#deps.receive(message)
    } catch (error) {
      // A throw would close the channel, and with it every call under way.
      this.#deps.log.error(
        { reason: messageOf(error), type: String(message.properties.type) },
        'a message to this process was not understood',
      )
    }
  }
}
