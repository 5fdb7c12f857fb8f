import type { Message } from 'amqplib'
import { IncomingStream } from './incoming-stream.ts'
import type { Mail } from './mail.ts'
import { decode, headerNumber, nobodyThere, readError, text, tooLate } from './wire.ts'

/** How often one who has been at work for long is watched. */
const watchMs = 1_000
/** So long a process that was asked directly may give no sign of life. One that is at work for longer says so after a quarter of that. */
export const silenceMs = 1_000

export interface Reply {
  response: unknown
  /** Only after a streamed answer. */
  body?: AsyncIterable<Uint8Array>
}

export interface CallOptions {
  timeoutMs: number
  signal: AbortSignal | undefined
  mail: Mail
  /** Tells whoever may be at work that nobody waits any more. */
  withdraw: (id: string) => void
  /** Once, when nothing more will come of it. */
  closed: (id: string) => void
  /** The key or queue that the question went to. */
  askedAt: string
  /** For a question that one process was asked directly: asks all, at most once, when that one is gone or silent. */
  askAll?: { at: string; ask: () => void }
}

/** One question under way, from the asker's side: until its answer, or the end of the stream that follows the answer. */
export class Call {
  readonly id = crypto.randomUUID()
  readonly #options: CallOptions
  readonly #reply = Promise.withResolvers<Reply>()
  readonly #timer: NodeJS.Timeout
  readonly #silence: NodeJS.Timeout | undefined
  #askAll: CallOptions['askAll']
  /** Whom it depends on, as the broker knows them: nothing is lost with anybody else. */
  #reliesOn: string
  #watch: NodeJS.Timeout | undefined
  #stream: IncomingStream | undefined
  #from: string | undefined

  constructor(options: CallOptions) {
    this.#options = options
    this.#timer = setTimeout(() => this.#giveUp(tooLate()), options.timeoutMs)
    options.signal?.addEventListener('abort', this.#aborted, { once: true })
    this.#reliesOn = options.askedAt
    this.#askAll = options.askAll
    if (options.askAll) this.#silence = setTimeout(() => this.#turnToAll(), silenceMs)
  }

  get reply(): Promise<Reply> {
    return this.#reply.promise
  }

  /** Nobody is there to answer, or the way by which the answer would come is gone. */
  fail(error: unknown): void {
    if (this.#stream) return this.#stream.failed(error)
    this.#reply.reject(error)
    this.#close()
  }

  /** There is nobody at this key or queue. */
  unreached(at: string): void {
    if (at === this.#reliesOn && !this.#turnToAll()) this.fail(nobodyThere())
  }

  receive(message: Message): void {
    clearTimeout(this.#silence)
    const from = text(message.properties.replyTo)
    const type: unknown = message.properties.type
    if (type === 'taken') this.#watchOver(from)
    else if (type === 'answer') this.#answered(message)
    else if (type === 'head') this.#begin(message, from)
    else if (this.#stream && from === this.#from) continueStream(this.#stream, message)
  }

  /** Whether there was another way left. What the first one may still answer is as good. */
  #turnToAll(): boolean {
    const askAll = this.#askAll
    if (!askAll || this.#stream) return false
    this.#askAll = undefined
    clearTimeout(this.#silence)
    clearInterval(this.#watch)
    this.#watch = undefined
    this.#reliesOn = askAll.at
    askAll.ask()
    return true
  }

  /** A sign of life that cannot be delivered comes back, and the call has failed: whoever took it has died. */
  #watchOver(from: string | undefined): void {
    if (from === undefined || this.#watch || this.#stream) return
    const { mail } = this.#options
    this.#reliesOn = from
    const sign = () =>
      mail.trySend({ to: from, type: 'credit', id: this.id, headers: { chunks: 0 } })
    this.#watch = setInterval(sign, watchMs)
  }

  #answered(message: Message): void {
    if (this.#stream) return
    const content = decode(message.content) as { response?: unknown; error?: unknown } | undefined
    if (!content || content.error !== undefined) return this.fail(readError(content?.error))
    this.#reply.resolve({ response: content.response })
    this.#close()
  }

  #begin(message: Message, from: string | undefined): void {
    if (from === undefined || from === this.#from) return
    const { mail, timeoutMs } = this.#options
    // At a hand-over two may hold the key: the first that answers is listened to.
    if (this.#stream) return mail.trySend({ to: from, type: 'cancel', id: this.id })
    clearTimeout(this.#timer)
    clearInterval(this.#watch)
    this.#from = from
    this.#reliesOn = from
    this.#stream = new IncomingStream({
      timeoutMs,
      grant: (chunks) =>
        mail.trySend({ to: from, type: 'credit', id: this.id, headers: { chunks } }),
      cancel: () => mail.trySend({ to: from, type: 'cancel', id: this.id }),
      closed: () => this.#close(),
    })
    const { response } = (decode(message.content) ?? {}) as { response?: unknown }
    this.#reply.resolve({ response, body: this.#stream })
  }

  #giveUp(reason: unknown): void {
    if (this.#stream) return this.#stream.fail(reason)
    this.#options.withdraw(this.id)
    this.fail(reason)
  }

  readonly #aborted = () => this.#giveUp(this.#options.signal?.reason)

  #close(): void {
    clearTimeout(this.#timer)
    clearTimeout(this.#silence)
    clearInterval(this.#watch)
    this.#options.signal?.removeEventListener('abort', this.#aborted)
    this.#options.closed(this.id)
  }
}

function continueStream(stream: IncomingStream, message: Message): void {
  const number = headerNumber(message, 'number')
  switch (message.properties.type) {
    case 'chunk':
      return stream.push(number, message.content)
    case 'end':
      return stream.end(number)
    case 'failure':
      return stream.failed(
        readError((decode(message.content) as { error?: unknown } | undefined)?.error),
      )
  }
}
