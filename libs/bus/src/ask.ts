import type { BrokerUse, Command } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import { activeTrace, type Logger } from '@posthorn/telemetry'
import type { Channel, Message } from 'amqplib'
import type { RpcOptions } from './bus.ts'
import { Call, type Reply, silenceMs } from './call.ts'
import { Directions } from './directions.ts'
import type { Instruments } from './instruments.ts'
import { KeptChannel, plain } from './kept-channel.ts'
import type { Link } from './link.ts'
import type { Mail } from './mail.ts'
import { declareExchange, exchangeFor } from './topology.ts'
import {
  askAtHeader,
  callId,
  cancelKey,
  encode,
  headerText,
  nobodyThere,
  text,
  tooLate,
} from './wire.ts'

/** The longest a timer can wait. */
const longestMs = 2 ** 31 - 1

/** Before the id of a call: is there anybody who could answer it? */
const presence = 'anybody for '
/** Most answers are there before, and nobody needs to ask. */
const presenceMs = 250

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
  options: RpcOptions
}

/** A question with all but the way it goes. */
interface Outgoing {
  call: Call
  key: string
  content: Buffer
  headers: Record<string, unknown>
  replyTo: string
  /** Epoch milliseconds. */
  deadline: number
}

interface Way {
  exchange: string
  key: string
  /** The broker throws it away when nobody has taken it by then. */
  lastsMs: number
}

/** The asking side of calls. */
export class Asker {
  readonly kept: KeptChannel<Channel>
  readonly #deps: AskerDeps
  readonly #calls = new Map<string, { call: Call; key: string }>()
  readonly #directions = new Directions()

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
    const found = this.#calls.get(id)
    const from = text(message.properties.replyTo)
    if (found) {
      const askAt = headerText(message, askAtHeader)
      if (askAt !== undefined) this.#directions.learn(found.key, askAt)
      found.call.receive(message)
    }
    // A stream that begins when nobody waits for it any more would otherwise stand until it is found to be unread.
    else if (message.properties.type === 'head' && from)
      this.#deps.mail.trySend({ to: from, type: 'cancel', id })
  }

  /** A message of a call that came back: whoever was to get it is gone. */
  returned(message: Message): void {
    this.#calls.get(callId(message))?.call.unreached(message.fields.routingKey)
  }

  /** The connection is gone, and with it the way by which answers would come. */
  failAll(): void {
    for (const { call } of this.#calls.values()) call.fail(nobodyThere())
  }

  async #setup(channel: Channel): Promise<void> {
    // 312 NO_ROUTE: nobody holds the key.
    channel.on('return', (message: Message) => {
      if (message.properties.type === 'request') this.returned(message)
      else this.#calls.get(askedAbout(message))?.call.fail(nobodyThere())
    })
    // A question to an exchange that is not there would close the channel.
    await Promise.all(this.#deps.use.requests.map((name) => declareExchange(channel, name)))
  }

  async #ask({ command, request, options }: Question): Promise<Reply> {
    const { key, signal, requestId } = options
    const { inbox, mail } = this.#deps
    signal?.throwIfAborted()
    const timeoutMs = Math.min(longestMs, Math.ceil(options.timeoutMs))
    if (!(timeoutMs > 0)) throw tooLate()
    const replyTo = inbox()
    if (!this.kept.current || !replyTo || !this.#deps.link.free.isOpen) throw nobodyThere()
    const content = encode(request)

    const direct = this.#directions.find(key)
    const call = new Call({
      timeoutMs,
      signal,
      mail,
      withdraw: (id) => this.#cancel(key, id),
      closed: (id) => this.#calls.delete(id),
      askedAt: direct ?? key,
      ...(direct === undefined ? {} : { askAll: { at: key, ask: () => this.#turn(sent, direct) } }),
    })
    this.#calls.set(call.id, { call, key })
    const deadline = Date.now() + timeoutMs
    const headers = {
      ...activeTrace(),
      command: command.name,
      'request-id': requestId ?? call.id,
      deadline,
      'timeout-ms': timeoutMs,
    }
    const sent: Outgoing = { call, key, content, headers, replyTo, deadline }
    if (direct === undefined) this.#askAll(sent)
    // What is not taken within the time of silence is asked of all, and need not be done twice.
    else this.#send(sent, { exchange: '', key: direct, lastsMs: Math.min(timeoutMs, silenceMs) })
    if (options.failFast) setTimeout(() => this.#isServed(key, call.id), presenceMs).unref()
    return call.reply
  }

  #turn(question: Outgoing, silent: string): void {
    this.#directions.forget(question.key, silent)
    this.#askAll(question)
  }

  #askAll(question: Outgoing): void {
    const { key, deadline } = question
    const lastsMs = Math.max(1, deadline - Date.now())
    this.#send(question, { exchange: exchangeFor(key), key, lastsMs })
  }

  #send({ call, content, headers, replyTo }: Outgoing, { exchange, key, lastsMs }: Way): void {
    try {
      const channel = this.kept.current
      if (!channel) throw nobodyThere()
      channel.publish(exchange, key, content, {
        mandatory: true,
        persistent: false,
        userId: this.#deps.user,
        type: 'request',
        contentType: 'application/json',
        correlationId: call.id,
        replyTo,
        expiration: String(lastsMs),
        headers,
      })
    } catch (error) {
      call.fail(nobodyThere(error)) // the channel closed under our hands
    }
  }

  /** A cancellation of what nobody ever asked: it does nothing, and comes back where there is nobody. */
  #isServed(key: string, id: string): void {
    if (this.#calls.has(id)) this.#cancel(key, presence + id)
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

/** The call of a question for presence that came back; none otherwise. */
function askedAbout(message: Message): string {
  const id = callId(message)
  return id.startsWith(presence) ? id.slice(presence.length) : ''
}
