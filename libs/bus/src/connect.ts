import {
  type Command,
  type CommandRequest,
  type CommandResponse,
  type EventMessage,
  EventMessageSchema,
  Invalidation,
  matches,
  serviceOf,
} from '@posthorn/contracts'
import { AppError, messageOf } from '@posthorn/errors'
import type { Logger, Metrics } from '@posthorn/telemetry'
import type { Message } from 'amqplib'
import type { TSchema } from 'typebox'
import { Answers } from './answers.ts'
import { Asker } from './ask.ts'
import type {
  RpcOptions,
  Bus,
  CommandServer,
  ConsumeOptions,
  ServeOptions,
  StreamedReply,
} from './bus.ts'
import { Consumer } from './consume.ts'
import { Inbox } from './inbox.ts'
import { createInstruments, type Instruments } from './instruments.ts'
import { Invalidations } from './invalidate.ts'
import { Link } from './link.ts'
import { Mail } from './mail.ts'
import { Publisher } from './publish.ts'
import { Runs } from './runs.ts'
import { Server } from './serve.ts'
import { exchanges, schemaOf, useOf, type WorkQueue } from './topology.ts'
import { Latch } from './waiting.ts'
import { callId, encode, headerNumber } from './wire.ts'

export interface ConnectOptions {
  /** `amqp://user:password@host:port/vhost`, or `amqps:`. */
  url: string
  /** The service; shown in RabbitMQ's lists of connections and queues. */
  name: string
  log: Logger
  metrics: Metrics
  /** How often bindings are made again that somebody may have deleted; default 30 s. The whole topology: every tenth time. */
  reconcileMs?: number
}

/**
 * The bus of a process. Returns at once, whether or not the broker can be reached: `up` and `whenUp` tell. From then on it connects, again
 * and again, until it is disposed.
 */
export async function connectBus(options: ConnectOptions): Promise<Bus> {
  return new RabbitBus(options)
}

/** Alarms of the broker hold back connections that publish: what is read comes over another one. */
class RabbitBus implements Bus {
  readonly #options: Required<ConnectOptions>
  readonly #instruments: Instruments
  readonly #publishing: Link
  readonly #reading: Link
  readonly #publisher: Publisher
  readonly #mail: Mail
  readonly #asker: Asker
  readonly #inbox: Inbox
  readonly #invalidations: Invalidations
  readonly #runs = new Runs()
  readonly #answers = new Answers()
  readonly #up = new Latch()
  /** What takes work in. */
  readonly #readers = new Set<AsyncDisposable>()
  #troubled = false
  #closing: Promise<void> | undefined

  constructor(options: ConnectOptions) {
    this.#options = { reconcileMs: 30_000, ...options }
    const { url, name, log, metrics, reconcileMs } = this.#options
    this.#instruments = createInstruments(metrics, {
      up: () => this.up,
      blocked: () => !this.#publishing.free.isOpen,
    })
    const instruments = this.#instruments
    const changed = () => this.#changed()
    const trouble = (reason: unknown) => this.#trouble(reason)
    const link = (this.#publishing = new Link({ url, name: `${name} (publish)`, changed, trouble }))
    this.#reading = new Link({ url, name: `${name} (consume)`, changed, trouble })
    const use = useOf(name)
    this.#publisher = new Publisher({
      link,
      log,
      instruments,
      changed,
      use,
      reconcileMs: reconcileMs * 10,
    })
    const undeliverable = (message: Message) => this.#undeliverable(message)
    this.#mail = new Mail({ link, log, changed, undeliverable })
    const inbox = () => this.#inbox.address
    const user = userOf(url)
    this.#asker = new Asker({ link, mail: this.#mail, inbox, log, instruments, changed, use, user })
    const reading = { link: this.#reading, log, name, reconcileMs }
    this.#inbox = new Inbox({
      ...reading,
      receive: (message) => this.#receive(message),
      changed: (ready) => {
        if (!ready) this.#inboxLost()
        changed()
      },
    })
    this.#invalidations = new Invalidations(reading)
  }

  get up(): boolean {
    return this.#up.isOpen
  }

  async whenUp(signal: AbortSignal = new AbortController().signal): Promise<void> {
    await this.#up.whenOpen(signal)
  }

  async publishEvent(message: EventMessage): Promise<void> {
    if (!matches(EventMessageSchema, message)) throw notInContract('event message')
    const { event, shard, eventId } = message
    await this.#publisher.publish({
      exchange: exchanges.events,
      key: `${event}.${shard}`,
      content: encode(message),
      persistent: true,
      messageId: eventId,
      type: event,
    })
  }

  async publishHint(queue: WorkQueue, payload: object): Promise<void> {
    if (!matches(schemaOf(queue), payload)) throw notInContract(`message for ${queue}`)
    await this.#publisher.publish({
      exchange: '',
      key: queue,
      content: encode(payload),
      persistent: true,
    })
  }

  async consume<S extends TSchema>(options: ConsumeOptions<S>): Promise<AsyncDisposable> {
    const { log, reconcileMs } = this.#options
    const deps = {
      link: this.#reading,
      log,
      instruments: this.#instruments,
      reconcileMs: reconcileMs * 10,
    }
    const consumer = new Consumer(deps, options)
    await consumer.kept.firstTry
    return this.#reader(consumer)
  }

  async request<C extends Command>(
    command: C,
    request: CommandRequest<C>,
    options: RpcOptions,
  ): Promise<CommandResponse<C>> {
    const { response } = await this.#asker.ask({ command, request, options })
    return response as CommandResponse<C>
  }

  async requestStream<C extends Command>(
    command: C,
    request: CommandRequest<C>,
    options: RpcOptions,
  ): Promise<StreamedReply<C>> {
    const { response, body } = await this.#asker.ask({ command, request, options })
    if (!body) throw new AppError('internal', `${command.name} was answered without a stream`)
    return { response: response as CommandResponse<C>, body }
  }

  async serve(options: ServeOptions): Promise<CommandServer> {
    const deps = {
      ...this.#options,
      link: this.#reading,
      inbox: this.#inbox,
      mail: this.#mail,
      runs: this.#runs,
      answers: this.#answers,
      // We have a user of our own: then so have all the others.
      knowsAskers: serviceOf(userOf(this.#options.url)) === this.#options.name,
      instruments: this.#instruments,
    }
    const server = new Server(deps, options)
    await server.kept.firstTry
    const reader = this.#reader(server)
    return {
      bind: (key) => server.bind(key),
      unbind: (key) => server.unbind(key),
      [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose](),
    }
  }

  async invalidate(message: Invalidation): Promise<void> {
    if (!matches(Invalidation, message)) throw notInContract('invalidation')
    try {
      await this.#publisher.publish({
        exchange: exchanges.invalidate,
        key: '',
        content: encode(message),
        persistent: false,
        optional: true,
      })
    } catch (err) {
      this.#options.log.debug({ err, topic: message.topic }, 'an invalidation was not sent')
    }
  }

  onInvalidate(listener: (message: Invalidation) => void): Promise<AsyncDisposable> {
    return this.#invalidations.add(listener)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#readers].map((reader) => reader[Symbol.asyncDispose]()))
    await this.#invalidations.close()
    this.#asker.failAll()
    await Promise.all(
      [this.#publisher, this.#asker.kept, this.#mail.kept, this.#inbox.kept].map((part) =>
        part.close(),
      ),
    )
    await Promise.all([this.#publishing.close(), this.#reading.close()])
  }

  /** Closed with the bus, or before by whoever opened it. */
  #reader(reader: AsyncDisposable): AsyncDisposable {
    let closing: Promise<void> | undefined
    const entry = {
      [Symbol.asyncDispose]: () => {
        closing ??= (async () => {
          await reader[Symbol.asyncDispose]()
          this.#readers.delete(entry)
        })()
        return closing
      },
    }
    this.#readers.add(entry)
    return entry
  }

  #receive(message: Message): void {
    const { type } = message.properties
    if (type === 'cancel') this.#runs.cancel(callId(message))
    else if (type === 'credit')
      this.#runs.grant(callId(message), headerNumber(message, 'chunks') ?? 0)
    else this.#asker.receive(message)
  }

  /** The inbox a message was for is gone: the other side of that call is. */
  #undeliverable(message: Message): void {
    const id = callId(message)
    if (message.properties.type === 'credit') this.#asker.returned(message)
    else if (this.#runs.has(id)) this.#runs.cancel(id)
  }

  #inboxLost(): void {
    this.#asker.failAll()
    this.#runs.abandonStreams()
  }

  #changed(): void {
    // The parts are made one after another, and one may be heard of before the last is there.
    const parts = [this.#publisher, this.#asker, this.#mail, this.#inbox]
    const up = parts.every((part) => part?.kept?.ready.isOpen)
    if (up === this.up) return
    this.#up.set(up)
    const { log } = this.#options
    if (up) log.info('RabbitMQ is connected')
    else if (!this.#closing) log.warn('RabbitMQ is lost')
    this.#troubled = false
  }

  /** Said once, until it is up again. */
  #trouble(reason: unknown): void {
    if (this.#troubled || this.#closing) return
    this.#troubled = true
    this.#options.log.warn({ reason: messageOf(reason) }, 'RabbitMQ cannot be reached; trying on')
  }
}

/** The user of an address. RabbitMQ's default is the one of an address without. */
function userOf(url: string): string {
  return decodeURIComponent(new URL(url).username) || 'guest'
}

/** A fault of ours, found before anybody else has to bear it. */
function notInContract(what: string): AppError {
  return new AppError('internal', 'Internal Server Error', {
    cause: new Error(`not a valid ${what}`),
  })
}
