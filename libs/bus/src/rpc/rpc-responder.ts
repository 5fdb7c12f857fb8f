import { allowedRequesters } from '@posthorn/contracts/commands/allowed-requesters'
import type { Command } from '@posthorn/contracts/define'
import { defined } from '@posthorn/contracts/defined'
import { serviceOf } from '@posthorn/contracts/services'
import { check, matches } from '@posthorn/contracts/validate'
import { AppError, errorToWire, isPermanent, toAppError, UnavailableError } from '@posthorn/errors'
import { discard } from '@posthorn/flow'
import { inSpan, type Logger } from '@posthorn/telemetry'
import type { Message } from 'amqplib'
import type { CommandHandler, StreamedReply } from '../bus.ts'
import { decode, encode, traceOf } from '../payload.ts'
import type { ActiveRequest, ActiveRequests } from './active-requests.ts'
import type { FramePublisher } from './frame-publisher.ts'
import {
  directQueueHeader,
  noResponder,
  readOneWayCommand,
  readRequest,
  type OneWayCommand,
  type ReceivedRequest,
} from './frames.ts'
import { sendStream } from './outgoing-stream.ts'
import type { EncodedReply, ReplyCache } from './reply-cache.ts'

/**
 * Time after which a responder acknowledges an RPC request. Most requests finish earlier and are
 * not acknowledged.
 */
const ackAfterMs = 250

export interface RpcResponderDeps {
  frames: FramePublisher
  /**
   * Name of this process's reply queue, which receives the credit of stream readers. Undefined
   * while the queue does not exist.
   */
  replyQueue: () => string | undefined
  /**
   * Name of the queue through which requesters can reach this process directly. The name is sent
   * with each reply.
   */
  directQueue: () => string | undefined
  active: ActiveRequests
  replies: ReplyCache
  log: Logger
  /** True if each service has its own RabbitMQ user, so that requesters can be authorized. */
  authenticatesRequesters: boolean
}

interface IncomingRequest {
  request: ReceivedRequest
  message: Message
  active: ActiveRequest
}

interface Execution extends IncomingRequest {
  handler: CommandHandler
}

/** Responder side of RPC: executes the command of a request and sends its reply. */
export class RpcResponder {
  readonly #deps: RpcResponderDeps
  readonly #handlers: ReadonlyMap<string, CommandHandler>
  readonly #streams = new Set<ActiveRequest>()

  constructor(deps: RpcResponderDeps, handlers: readonly CommandHandler[]) {
    this.#deps = deps
    this.#handlers = new Map(handlers.map((handler) => [handler.command.name, handler]))
  }

  /**
   * Processes the message of an RPC request or one-way command. Never rejects. Returns the result
   * as a metric label.
   */
  async take(message: Message): Promise<string> {
    const { log, active } = this.#deps
    const received = readOneWayCommand(message)
    if (received) return this.#takeOneWay(received, message)
    const request = readRequest(message)
    if (!request) {
      const { exchange, routingKey: key } = message.fields
      log.error({ exchange, key }, 'discarded malformed rpc request')
      return 'malformed'
    }
    if (active.wasCancelled(request.id)) return 'cancelled'
    if (Date.now() >= request.deadline) return 'expired'
    // Redelivered RPC request whose first execution still runs: the first execution replies.
    if (active.has(request.id)) return 'repeated'
    const isOnce = this.#handlers.get(request.command)?.command.atMostOnce
    // A redelivered request may already be running in another process, whose reply is still
    // accepted. A command with `atMostOnce` is therefore not executed again.
    if (isOnce && message.fields.redelivered) return 'repeated'
    const entry = active.start(request.id, request)
    const ackTimer = setTimeout(() => this.#sendAck(request), ackAfterMs)
    try {
      return await this.#respond({ request, message, active: entry })
    } catch (err) {
      log.error({ err, command: request.command }, 'rpc reply could not be sent')
      return 'unsent'
    } finally {
      clearTimeout(ackTimer)
      entry.end()
    }
  }

  /** Executes a command without a reply. The command is not executed again after a failure. */
  async #takeOneWay(received: OneWayCommand, { content }: Message): Promise<string> {
    const { command } = received
    const handler = this.#handlers.get(command)
    if (!handler?.command.oneWay) return 'unknown'
    if (this.#rejectRequester(received)) return 'forbidden'
    const context = { signal: new AbortController().signal, deadline: Infinity, requestId: '' }
    try {
      await handler.handle(check(handler.command.request, decode(content)) as never, context)
      return 'ok'
    } catch (err) {
      this.#deps.log.warn({ err, command }, 'one-way command could not be handled')
      return 'failed'
    }
  }

  /**
   * Sends the requester an acknowledgement of its RPC request. From then on, the requester checks
   * periodically whether this process is alive.
   */
  #sendAck({ id, replyTo: to }: ReceivedRequest): void {
    const replyTo = this.#deps.replyQueue()
    if (replyTo !== undefined) this.#deps.frames.trySend({ to, type: 'ack', id, replyTo })
  }

  /** Aborts the RPC streams that this process sends. Their readers receive an error. */
  abortStreams(): void {
    for (const stream of this.#streams) stream.abort(noResponder())
  }

  async #respond(incoming: IncomingRequest): Promise<string> {
    const { request } = incoming
    const handler = this.#handlers.get(request.command)
    if (!handler) {
      // A command without a handler is probably of a newer release. The requester gets a temporary
      // error, because another replica may know the command.
      return this.#reply(
        incoming,
        this.#failure(request, noResponder(new Error('unknown command'))),
      )
    }
    const execution = { ...incoming, handler }
    const rejection = this.#rejectRequester(request)
    if (rejection) return this.#reply(incoming, rejection)
    if (handler.command.streams) return this.#stream(execution)
    const key = `${request.command} ${request.requestId}`
    const reply = await this.#deps.replies.once(key, () => this.#execute(execution))
    return this.#reply(execution, reply)
  }

  #rejectRequester({ command, user }: OneWayCommand): EncodedReply | undefined {
    if (!this.#deps.authenticatesRequesters) return undefined
    const requester = serviceOf(user)
    if (requester && allowedRequesters(command).includes(requester)) return undefined
    this.#deps.log.error({ command, user }, 'rpc request rejected: requester not authorized')
    return this.#failure(
      { command },
      new AppError('forbidden', 'Command not allowed for this service'),
    )
  }

  async #reply(
    { request, active }: IncomingRequest,
    { content, result }: EncodedReply,
  ): Promise<string> {
    if (active.cancelled) return 'cancelled'
    if (Date.now() >= request.deadline) return 'late'
    const { frames } = this.#deps
    // The RPC reply waits for a new channel if the channel was lost. The requester receives replies
    // on a connection of its own and can still be waiting until the deadline.
    await frames.channel.whenReady(active.signal)
    const directQueue = this.#deps.directQueue()
    const headers = directQueue === undefined ? {} : { [directQueueHeader]: directQueue }
    frames.send({ to: request.replyTo, type: 'reply', id: request.id, content, headers })
    return result
  }

  /**
   * Runs the handler of a command and encodes the handler's result as an RPC reply. Never rejects.
   */
  async #execute(execution: Execution): Promise<EncodedReply> {
    const { command } = execution.handler
    try {
      const response = await this.#handle(execution)
      const final = command.repeatable !== true
      return { content: encodeResponse(command, response), result: 'ok', final }
    } catch (error) {
      return this.#failure(execution.request, error, execution.active)
    }
  }

  async #handle({ handler, request, message, active }: Execution): Promise<unknown> {
    const payload = check(handler.command.request, decode(message.content))
    const { deadline, requestId } = request
    const requester = this.#deps.authenticatesRequesters ? serviceOf(request.user) : undefined
    const context = defined({ signal: active.signal, deadline, requestId, requester })
    return inSpan(`handle ${request.command}`, traceOf(message), () =>
      handler.handle(payload as never, context),
    )
  }

  #failure(
    { command }: Pick<ReceivedRequest, 'command'>,
    cause: unknown,
    active?: ActiveRequest,
  ): EncodedReply {
    const error = toAppError(cause)
    if (error.kind === 'internal' && !active?.signal.aborted)
      this.#deps.log.error({ err: cause, command }, 'command failed')
    if (cause instanceof UnavailableError)
      this.#deps.log.warn({ err: cause, command }, 'command failed with 503')
    return {
      content: encode({ error: errorToWire(error) }),
      result: error.kind,
      final: isPermanent(error),
    }
  }

  async #stream(execution: Execution): Promise<string> {
    const { request, active, handler } = execution
    const { frames, replyQueue } = this.#deps
    let head: Buffer
    let body: AsyncIterable<Uint8Array> | undefined
    try {
      const streamed = (await this.#handle(execution)) as StreamedReply<Command>
      ;({ body } = streamed)
      head = encodeResponse(handler.command, streamed.response)
    } catch (error) {
      if (body) void discard(body)
      return this.#reply(execution, this.#failure(request, error, active))
    }
    const replyTo = replyQueue()
    if (active.signal.aborted || replyTo === undefined) {
      void discard(body)
      return this.#reply(execution, this.#failure(request, noResponder()))
    }
    active.beginStream()
    frames.send({ to: request.replyTo, type: 'head', id: request.id, content: head, replyTo })
    return this.#sendBody(execution, body, replyTo)
  }

  async #sendBody(
    { request, active }: Execution,
    body: AsyncIterable<Uint8Array>,
    replyTo: string,
  ): Promise<string> {
    const { frames } = this.#deps
    const address = { to: request.replyTo, id: request.id, replyTo }
    const { credit, signal } = active
    this.#streams.add(active)
    try {
      const number = await sendStream({
        body,
        credit,
        signal,
        send: (number, content) =>
          frames.send({ ...address, type: 'chunk', headers: { number }, content }),
      })
      frames.send({ ...address, type: 'end', headers: { number } })
      return 'ok'
    } catch (error) {
      if (active.cancelled) return 'cancelled'
      const { content, result } = this.#failure(request, error, active)
      frames.trySend({ ...address, type: 'failure', content })
      return result
    } finally {
      this.#streams.delete(active)
    }
  }
}

/**
 * Encodes the response of a command. @throws AppError `internal` if the handler violated the
 * contract
 */
function encodeResponse(command: Command, response: unknown): Buffer {
  if (!matches(command.response, response)) {
    throw new AppError('internal', 'Internal Server Error', {
      cause: new Error(`response of ${command.name} does not match its contract`),
    })
  }
  try {
    return encode({ response })
  } catch (cause) {
    throw new AppError('internal', 'Internal Server Error', { cause })
  }
}
