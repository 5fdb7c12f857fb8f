import { allowedRequesters, check, type Command, matches, serviceOf } from '@posthorn/contracts'
import { AppError, errorToWire, isPermanent, toAppError } from '@posthorn/errors'
import { inSpan, type Logger } from '@posthorn/telemetry'
import type { Message } from 'amqplib'
import type { Answer, Answers } from './answers.ts'
import type { CommandHandler, StreamedReply } from './bus.ts'
import type { Mail } from './mail.ts'
import { sendStream } from './outgoing-stream.ts'
import { type Request, readRequest } from './request.ts'
import type { Run, Runs } from './runs.ts'
import { ignore } from './waiting.ts'
import { askAtHeader, decode, encode, nobodyThere, traceOf } from './wire.ts'

/** Most answers are there before; for them one message is enough. */
const takenAfterMs = 250

export interface AnswererDeps {
  mail: Mail
  /** Where readers of streams send their credit; undefined while there is no such place. */
  inbox: () => string | undefined
  /** Where we can be asked directly, which is told with every answer. */
  askAt: () => string | undefined
  runs: Runs
  answers: Answers
  log: Logger
  /** Each service has a user of its own at the broker: who asks is known, and not everybody may ask everything. */
  knowsAskers: boolean
}

/** A request that is being worked on. */
interface Work {
  handler: CommandHandler
  request: Request
  message: Message
  run: Run
}

/** The answering side of calls: one request in, its answer out. */
export class Answerer {
  readonly #deps: AnswererDeps
  readonly #handlers: ReadonlyMap<string, CommandHandler>
  readonly #streams = new Set<Run>()

  constructor(deps: AnswererDeps, handlers: readonly CommandHandler[]) {
    this.#deps = deps
    this.#handlers = new Map(handlers.map((handler) => [handler.command.name, handler]))
  }

  /** Never rejects. Returns what became of it, for the metrics. */
  async take(message: Message): Promise<string> {
    const { log, runs } = this.#deps
    const request = readRequest(message)
    if (!request) {
      log.error(
        { exchange: message.fields.exchange, key: message.fields.routingKey },
        'a message that is no request was thrown away',
      )
      return 'malformed'
    }
    if (runs.wasCancelled(request.id)) return 'cancelled'
    if (Date.now() >= request.deadline) return 'expired'
    if (runs.has(request.id)) return 'repeated' // our channel was lost; the first run answers
    const run = runs.start(request.id, request)
    const taken = setTimeout(() => this.#sayTaken(request), takenAfterMs)
    try {
      return await this.#answer({ request, message, run })
    } catch (err) {
      log.error({ err, command: request.command }, 'an answer could not be sent')
      return 'unsent'
    } finally {
      clearTimeout(taken)
      run.end()
    }
  }

  /** It takes a while: from now on the asker watches whether we are still there. */
  #sayTaken({ id, replyTo: to }: Request): void {
    const replyTo = this.#deps.inbox()
    if (replyTo !== undefined) this.#deps.mail.trySend({ to, type: 'taken', id, replyTo })
  }

  /** Ends the streams under way; their readers are told. */
  abandonStreams(): void {
    for (const run of this.#streams) run.abandon(nobodyThere())
  }

  async #answer(found: Omit<Work, 'handler'>): Promise<string> {
    const { request } = found
    const handler = this.#handlers.get(request.command)
    if (!handler) {
      // Of a newer release than ours, most likely: another process will know it.
      return this.#reply(found, this.#refusal(request, nobodyThere(new Error('unknown command'))))
    }
    const work = { ...found, handler }
    const refusal = this.#refuseAsker(request)
    if (refusal) return this.#reply(found, refusal)
    if (handler.command.streams) return this.#stream(work)
    const answer = await this.#deps.answers.once(`${request.command} ${request.requestId}`, () =>
      this.#work(work),
    )
    return this.#reply(work, answer)
  }

  #refuseAsker({ command, user }: Request): Answer | undefined {
    const asker = serviceOf(user)
    if (!this.#deps.knowsAskers || (asker && allowedRequesters(command).includes(asker)))
      return undefined
    this.#deps.log.error({ command, user }, 'somebody asked what is not theirs to ask')
    return this.#refusal({ command }, new AppError('forbidden', 'Not a question of this service'))
  }

  async #reply(
    { request, run }: Omit<Work, 'handler'>,
    { content, result }: Answer,
  ): Promise<string> {
    if (run.cancelled) return 'cancelled'
    if (Date.now() >= request.deadline) return 'late'
    const { mail } = this.#deps
    // The asker listens on another connection than the one we write to: ours may come back in time.
    await mail.kept.channel(run.signal)
    const askAt = this.#deps.askAt()
    const headers = askAt === undefined ? {} : { [askAtHeader]: askAt }
    mail.send({ to: request.replyTo, type: 'answer', id: request.id, content, headers })
    return result
  }

  /** Runs a handler to its end. Never rejects. */
  async #work(work: Work): Promise<Answer> {
    const { command } = work.handler
    try {
      const response = await this.#handle(work)
      return { content: encodeResponse(command, response), result: 'ok', final: true }
    } catch (error) {
      return this.#refusal(work.request, error, work.run)
    }
  }

  async #handle({ handler, request, message, run }: Work): Promise<unknown> {
    const payload = check(handler.command.request, decode(message.content))
    const { signal } = run
    const { deadline, requestId } = request
    const asker = this.#deps.knowsAskers ? serviceOf(request.user) : undefined
    return inSpan(`answer ${request.command}`, traceOf(message), () =>
      handler.handle(payload as never, {
        signal,
        deadline,
        requestId,
        ...(asker === undefined ? {} : { requester: asker }),
      }),
    )
  }

  #refusal({ command }: Pick<Request, 'command'>, error: unknown, run?: Run): Answer {
    const known = toAppError(error)
    if (known.kind === 'internal' && !run?.signal.aborted) {
      this.#deps.log.error({ err: error, command }, 'a command failed')
    }
    return {
      content: encode({ error: errorToWire(known) }),
      result: known.kind,
      final: isPermanent(known),
    }
  }

  async #stream(work: Work): Promise<string> {
    const { request, run, handler } = work
    const { mail, inbox } = this.#deps
    let head: Buffer
    let body: AsyncIterable<Uint8Array>
    try {
      const streamed = (await this.#handle(work)) as StreamedReply<Command>
      ;({ body } = streamed)
      head = encodeResponse(handler.command, streamed.response)
    } catch (error) {
      return this.#reply(work, this.#refusal(request, error, run))
    }
    const replyTo = inbox()
    if (run.signal.aborted || replyTo === undefined) {
      body[Symbol.asyncIterator]().return?.().then(ignore, ignore)
      return this.#reply(work, this.#refusal(request, nobodyThere()))
    }
    run.beginStream()
    mail.send({ to: request.replyTo, type: 'head', id: request.id, content: head, replyTo })
    return this.#sendBody(work, body, replyTo)
  }

  async #sendBody(
    { request, run }: Work,
    body: AsyncIterable<Uint8Array>,
    replyTo: string,
  ): Promise<string> {
    const { mail } = this.#deps
    const address = { to: request.replyTo, id: request.id, replyTo }
    const { credit, signal } = run
    this.#streams.add(run)
    try {
      const number = await sendStream({
        body,
        credit,
        signal,
        send: (number, content) =>
          mail.send({ ...address, type: 'chunk', headers: { number }, content }),
      })
      mail.send({ ...address, type: 'end', headers: { number } })
      return 'ok'
    } catch (error) {
      if (run.cancelled) return 'cancelled'
      const { content, result } = this.#refusal(request, error, run)
      mail.trySend({ ...address, type: 'failure', content })
      return result
    } finally {
      this.#streams.delete(run)
    }
  }
}

/** @throws AppError `internal` when the handler did not keep to the contract. */
function encodeResponse(command: Command, response: unknown): Buffer {
  if (!matches(command.response, response)) {
    throw new AppError('internal', 'Internal Server Error', {
      cause: new Error(`the answer to ${command.name} does not match its contract`),
    })
  }
  try {
    return encode({ response })
  } catch (cause) {
    throw new AppError('internal', 'Internal Server Error', { cause })
  }
}
