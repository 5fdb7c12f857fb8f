import type { BrokerUse, Command } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import { activeTrace, type Logger } from '@posthorn/telemetry'
import type { Channel, Message } from 'amqplib'
import type { AskOptions } from './bus.ts'
import { Call, type Reply } from './call.ts'
import type { Instruments } from './instruments.ts'
import { KeptChannel, plain } from './kept-channel.ts'
import type { Link } from './link.ts'
import type { Mail } from './mail.ts'
import { declareExchange, exchangeFor } from './topology.ts'
import { callId, cancelKey, encode, nobodyThere, text, tooLate } from './wire.ts'

/** The longest a timer can wait. */
const longestMs = 2 ** 31 - 1

export interface AskerDeps {
  link: Link
  mail: Mail
  /** Where answers are to be sent; undefined while there is no such place. */
  inbox: () => string | undefined
  log: Logger
  instruments: Instruments
  changed: () => void
  use: BrokerUse
  /** Ours at the broker: put on every question, where the broker checks it. */
  user: string
}

export interface Question {
  command: Command
  request: unknown
  options: AskOptions
}

/** The asking side of calls. */
export class Asker {
  readonly kept: KeptChannel<Channel>
  readonly #deps: AskerDeps
  readonly #calls = new Map<string, Call>()

  constructor(deps: AskerDeps) {
    this.#deps = deps
    this.kept = new KeptChannel({
      link: deps.link,
      open: plain,
      setup: (channel) => this.#setup(channel),
      changed: (ready) => {
        if (!ready) this.failAll()
        deps.changed()
      },
      log: deps.log,
      what: 'questions',
    })
  }

  async ask(question: Question): Promise<Reply> {
    const { instruments } = this.#deps
    const { name } = question.command
    const started = performance.now()
    const seconds = () => (performance.now() - started) / 1_000
    try {
      const reply = await this.#ask(question)
      instruments.asked(name, 'ok', seconds())
      return reply
    } catch (error) {
      instruments.asked(name, error instanceof AppError ? error.kind : 'aborted', seconds())
      throw error
    }
  }

  /** A message to our inbox that belongs to one of our calls. */
  receive(message: Message): void {
    const id = callId(message)
    const call = this.#calls.get(id)
    const from = text(message.properties.replyTo)
    if (call) call.receive(message)
    // A stream that begins when nobody waits for it any more would otherwise stand until it is found to be unread.
    else if (message.properties.type === 'head' && from)
      this.#deps.mail.trySend({ to: from, type: 'cancel', id })
  }

  /** Whoever answers the call is gone. */
  fail(id: string): void {
    this.#calls.get(id)?.fail(nobodyThere())
  }

  /** The connection is gone, and with it the way by which answers would come. */
  failAll(): void {
    for (const call of this.#calls.values()) call.fail(nobodyThere())
  }

  async #setup(channel: Channel): Promise<void> {
    // 312 NO_ROUTE: nobody holds the key.
    channel.on('return', (message: Message) => {
      if (message.properties.type === 'request') this.fail(callId(message))
    })
    // A question to an exchange that is not there would close the channel.
    await Promise.all(this.#deps.use.asks.map((name) => declareExchange(channel, name)))
  }

  async #ask({ command, request, options }: Question): Promise<Reply> {
    const { key, signal, requestId } = options
    const { link, inbox, mail, user } = this.#deps
    signal?.throwIfAborted()
    const timeoutMs = Math.min(longestMs, Math.ceil(options.timeoutMs))
    if (!(timeoutMs > 0)) throw tooLate()
    const channel = this.kept.current
    const replyTo = inbox()
    if (!channel || !replyTo || !link.free.isOpen) throw nobodyThere()
    const content = encode(request)

    const call = new Call({
      timeoutMs,
      signal,
      mail,
      withdraw: (id) => this.#cancel(key, id),
      closed: (id) => this.#calls.delete(id),
    })
    this.#calls.set(call.id, call)
    const headers = {
      ...activeTrace(),
      command: command.name,
      'request-id': requestId ?? call.id,
      deadline: Date.now() + timeoutMs,
      'timeout-ms': timeoutMs,
    }
    try {
      channel.publish(exchangeFor(key), key, content, {
        mandatory: true,
        persistent: false,
        userId: user,
        type: 'request',
        contentType: 'application/json',
        correlationId: call.id,
        replyTo,
        expiration: String(timeoutMs),
        headers,
      })
    } catch (error) {
      call.fail(nobodyThere(error)) // the channel closed under our hands
    }
    return call.reply
  }

  /** Goes to all who hold the key, since nobody has said yet who took the request. */
  #cancel(key: string, id: string): void {
    try {
      this.kept.current?.publish(exchangeFor(key), cancelKey(key), Buffer.alloc(0), {
        mandatory: true,
        persistent: false,
        type: 'cancel',
        correlationId: id,
      })
    } catch {
      // the deadline ends it as well
    }
  }
}
