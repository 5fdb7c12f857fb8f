import type { Command, CommandRequest, CommandResponse } from '@posthorn/contracts/define'
import { type EventMessage, EventMessageSchema } from '@posthorn/contracts/events/envelope'
import { Invalidation } from '@posthorn/contracts/hints'
import { serviceOf } from '@posthorn/contracts/services'
import { matches } from '@posthorn/contracts/validate'
import { AppError, messageOf } from '@posthorn/errors'
import { Latch } from '@posthorn/flow'
import type { Logger, Metrics } from '@posthorn/telemetry'
import type { Message } from 'amqplib'
import type { TSchema } from 'typebox'
import type {
  Bus,
  CommandServer,
  ConsumeOptions,
  NotifyOptions,
  RpcOptions,
  ServeOptions,
  StreamedReply,
} from './bus.ts'
import { RecoveringConnection, userOf } from './connection/recovering-connection.ts'
import { createInstruments, type Instruments } from './instruments.ts'
import { encode, headerNumber } from './payload.ts'
import { Consumer } from './pubsub/consumer.ts'
import { Invalidations } from './pubsub/invalidations.ts'
import { Publisher } from './pubsub/publisher.ts'
import { Receivers } from './receivers.ts'
import { ActiveRequests } from './rpc/active-requests.ts'
import { FramePublisher } from './rpc/frame-publisher.ts'
import { correlationId, toOneWayMessage } from './rpc/frames.ts'
import { ReplyCache } from './rpc/reply-cache.ts'
import { ReplyQueue } from './rpc/reply-queue.ts'
import { RpcClient } from './rpc/rpc-client.ts'
import { RpcServer } from './rpc/rpc-server.ts'
import { brokerUseOf, exchanges, schemaOf, type WorkQueue } from './topology.ts'

export interface ConnectOptions {
  /** URL of RabbitMQ: `amqp://user:password@host:port/vhost`, or with the scheme `amqps:`. */
  url: string
  /** Service name. Shown in RabbitMQ's lists of connections and queues. */
  name: string
  log: Logger
  metrics: Metrics
  /** Interval of declaring RabbitMQ bindings again: by default 30 s, for queues 10 times longer. */
  reconcileMs?: number
}

/**
 * Opens the RabbitMQ client (bus) of a process. Returns immediately, even while the broker is down:
 * use `up` and `whenUp` to learn when the client is ready. Reconnects until the client is disposed.
 */
export async function connectBus(options: ConnectOptions): Promise<Bus> {
  return new RabbitBus(options)
}

/** RabbitMQ client with a second connection for consumers: alarms block publishing connections. */
class RabbitBus implements Bus {
  readonly #options: Required<ConnectOptions>
  readonly #instruments: Instruments
  readonly #publishing: RecoveringConnection
  readonly #consuming: RecoveringConnection
  readonly #publisher: Publisher
  readonly #frames: FramePublisher
  readonly #client: RpcClient
  readonly #replyQueue: ReplyQueue
  readonly #invalidations: Invalidations
  readonly #active = new ActiveRequests()
  readonly #replies = new ReplyCache()
  readonly #up = new Latch()
  /** Consumers and command servers of the bus, closed before the connections of the bus. */
  readonly #receivers = new Receivers()
  #failureLogged = false
  #closing: Promise<void> | undefined

  constructor(options: ConnectOptions) {
    this.#options = { reconcileMs: 30_000, ...options }
    const { url, name, log, metrics, reconcileMs } = this.#options
    const instruments = (this.#instruments = createInstruments(metrics, {
      up: () => this.up,
      blocked: () => !this.#publishing.unblocked.isOpen,
    }))
    const onChange = () => this.#onChange()
    const connect = (purpose: string) =>
      new RecoveringConnection({
        url,
        name: `${name} (${purpose})`,
        onChange,
        onFailure: (reason) => this.#logFailure(reason),
      })
    const connection = (this.#publishing = connect('publish'))
    this.#consuming = connect('consume')
    const use = brokerUseOf(name)
    const common = { connection, log, onChange }
    const topology = { instruments, use, reconcileMs: reconcileMs * 10 }
    this.#publisher = new Publisher({ ...common, ...topology })
    this.#frames = new FramePublisher({
      ...common,
      onUndeliverable: (message) => this.#onUndeliverable(message),
    })
    this.#client = new RpcClient({
      ...common,
      frames: this.#frames,
      replyQueue: () => this.#replyQueue.address,
      instruments,
      use,
      user: userOf(url),
    })
    const consuming = { connection: this.#consuming, log, name, reconcileMs }
    this.#replyQueue = new ReplyQueue({
      ...consuming,
      receive: (message) => this.#receive(message),
      onChange: (ready) => {
        if (!ready) this.#onReplyQueueLost()
        onChange()
      },
    })
    this.#invalidations = new Invalidations(consuming)
  }

  get up(): boolean {
    return this.#up.isOpen
  }

  get activeHandlers(): number {
    return this.#receivers.active
  }

  async whenUp(signal: AbortSignal = new AbortController().signal): Promise<void> {
    await this.#up.whenOpen(signal)
  }

  async publishEvent(message: EventMessage): Promise<void> {
    if (!matches(EventMessageSchema, message)) throw contractViolation('event message')
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
    if (!matches(schemaOf(queue), payload)) throw contractViolation(`message for ${queue}`)
    await this.#publisher.publish({
      exchange: '',
      key: queue,
      content: encode(payload),
      persistent: true,
    })
  }

  async consume<S extends TSchema>(options: ConsumeOptions<S>): Promise<AsyncDisposable> {
    const { log, reconcileMs } = this.#options
    const connection = this.#consuming
    const instruments = this.#instruments
    const deps = { connection, log, instruments, reconcileMs: reconcileMs * 10 }
    const consumer = new Consumer(deps, options)
    await consumer.channel.firstAttempt
    return this.#receivers.add(consumer)
  }

  async request<C extends Command>(
    command: C,
    request: CommandRequest<C>,
    options: RpcOptions,
  ): Promise<CommandResponse<C>> {
    const { response } = await this.#client.request({ command, request, options })
    return response as CommandResponse<C>
  }

  async requestStream<C extends Command>(
    command: C,
    request: CommandRequest<C>,
    options: RpcOptions,
  ): Promise<StreamedReply<C>> {
    const { response, body } = await this.#client.request({ command, request, options })
    if (!body) throw new AppError('internal', `${command.name} replied without a stream`)
    return { response: response as CommandResponse<C>, body }
  }

  async notify<C extends Command & { oneWay: true }>(
    command: C,
    request: CommandRequest<C>,
    options: NotifyOptions,
  ): Promise<void> {
    if (!matches(command.request, request)) throw contractViolation(`request of ${command.name}`)
    // Until RabbitMQ is connected, a command's exchange may not exist, so the command is not sent.
    if (!this.up) throw new AppError('unavailable', 'RabbitMQ is not connected')
    const user = userOf(this.#options.url)
    await this.#publisher.publish(
      toOneWayMessage(command.name, encode(request), { ...options, user }),
    )
  }

  async serve(options: ServeOptions): Promise<CommandServer> {
    const deps = {
      ...this.#options,
      connection: this.#consuming,
      replyQueue: this.#replyQueue,
      frames: this.#frames,
      active: this.#active,
      replies: this.#replies,
      // If this process has its own RabbitMQ user, all other processes have their own users, too.
      authenticatesRequesters: serviceOf(userOf(this.#options.url)) === this.#options.name,
      instruments: this.#instruments,
    }
    const server = new RpcServer(deps, options)
    await server.channel.firstAttempt
    const receiver = this.#receivers.add(server)
    return {
      bind: (key) => server.bind(key),
      unbind: (key) => server.unbind(key),
      [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
    }
  }

  async invalidate(message: Invalidation): Promise<void> {
    if (!matches(Invalidation, message)) throw contractViolation('invalidation')
    try {
      await this.#publisher.publish({
        exchange: exchanges.invalidate,
        key: '',
        content: encode(message),
        persistent: false,
        optional: true,
      })
    } catch (err) {
      this.#options.log.debug({ err, topic: message.topic }, 'invalidation could not be sent')
    }
  }

  onInvalidate(listener: (message: Invalidation) => void): Promise<AsyncDisposable> {
    return this.#invalidations.add(listener)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    await this.#receivers[Symbol.asyncDispose]()
    await this.#invalidations.close()
    this.#client.failAll()
    const { channel: client } = this.#client
    const channels = [this.#publisher, client, this.#frames.channel, this.#replyQueue.channel]
    await Promise.all(channels.map((channel) => channel.close()))
    await Promise.all([this.#publishing.close(), this.#consuming.close()])
  }

  #receive(message: Message): void {
    const { type } = message.properties
    if (type === 'cancel') this.#active.cancel(correlationId(message))
    else if (type === 'credit')
      this.#active.grant(correlationId(message), headerNumber(message, 'chunks') ?? 0)
    else this.#client.receive(message)
  }

  /** Handles a returned RPC message (frame): its reply queue and the queue's process have ended. */
  #onUndeliverable(message: Message): void {
    const id = correlationId(message)
    if (message.properties.type === 'credit') this.#client.onReturned(message)
    else if (this.#active.has(id)) this.#active.cancel(id)
  }

  #onReplyQueueLost(): void {
    this.#client.failAll()
    this.#active.abortStreams()
  }

  #onChange(): void {
    // A channel may report a change while the constructor of the bus is still running. Members of
    // the bus can then be undefined.
    const parts = [this.#publisher, this.#client, this.#frames, this.#replyQueue]
    const up = parts.every((part) => part?.channel?.ready.isOpen) && !this.#client.isBrokerSilent
    if (up === this.up) return
    this.#up.set(up)
    const { log } = this.#options
    if (up) log.info('RabbitMQ connected')
    else if (!this.#closing) log.warn('RabbitMQ connection lost')
    this.#failureLogged = false
  }

  /** Only the first failed connection to RabbitMQ is logged until the bus is connected again. */
  #logFailure(reason: unknown): void {
    if (this.#failureLogged || this.#closing) return
    this.#failureLogged = true
    const fields = { reason: messageOf(reason) }
    this.#options.log.warn(fields, 'RabbitMQ connection failed, retrying')
  }
}

/** Error for the sender of a bus message that violates its contract. The message is not sent. */
function contractViolation(subject: string): AppError {
  return new AppError('internal', 'Internal Server Error', {
    cause: new Error(`${subject} does not match its contract`),
  })
}
