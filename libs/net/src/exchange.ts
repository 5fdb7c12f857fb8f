import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { messageOf } from '@posthorn/errors'
import { type Outcome, outcomeOfError, outcomeOfStatus } from './outcome.ts'

/** What came of a request. */
export interface Ended {
  outcome: Outcome
  /** Absent when no answer came. */
  status?: number
  headers: IncomingHttpHeaders
  body: Buffer
  /** Absent when an answer came in full. */
  error?: string
}

export interface Bounds {
  /** For all of it. */
  timeoutMs: number
  /** For the connection, TLS included, within that. */
  connectMs: number
  /** Kept of an answer's body; a longer one is cut here and its connection closed. */
  maxResponseBytes: number
  signal: AbortSignal | undefined
}

/** One request and its answer, read up to the limit. A body that breaks off, or does not end in time, makes the call fail: the server had not finished. */
export class Exchange {
  readonly ended: Promise<Ended>
  readonly #outgoing: ClientRequest
  readonly #bounds: Bounds
  readonly #end: (ended: Ended) => void
  readonly #wholeTimer: NodeJS.Timeout
  #connectTimer: NodeJS.Timeout | undefined
  #connected = false
  #answer: { status: number; headers: IncomingHttpHeaders } | undefined
  readonly #chunks: Buffer[] = []
  #bytes = 0

  constructor(outgoing: ClientRequest, bounds: Bounds) {
    const { timeoutMs, signal } = bounds
    const { promise, resolve } = Promise.withResolvers<Ended>()
    this.ended = promise
    this.#end = resolve
    this.#outgoing = outgoing
    this.#bounds = bounds
    this.#wholeTimer = setTimeout(() => this.#breakOff('ETIMEDOUT'), timeoutMs)
    outgoing
      .once('socket', () => this.#watchConnecting())
      .once('response', (incoming) => this.#read(incoming))
      .on('error', (error) => this.#fail(error))
      .once('close', () => this.#finish('reset', 'the connection was closed'))
    signal?.addEventListener('abort', this.#abort)
    if (signal?.aborted === true) this.#abort()
  }

  readonly #abort = () => this.#breakOff('ABORT_ERR')

  /** A connection that is kept has been made; over TLS it is made when that is agreed upon. */
  #watchConnecting(): void {
    const { socket, reusedSocket, protocol } = this.#outgoing
    if (!socket || reusedSocket) {
      this.#connected = reusedSocket
      return
    }
    this.#connected = !socket.connecting
    if (socket.connecting) socket.once('connect', () => (this.#connected = true))
    const secure = protocol === 'https:'
    if (this.#connected && !secure) return
    this.#connectTimer = setTimeout(() => this.#breakOff('ETIMEDOUT'), this.#bounds.connectMs)
    socket.once(secure ? 'secureConnect' : 'connect', () => clearTimeout(this.#connectTimer))
  }

  #read(incoming: IncomingMessage): void {
    const { statusCode: status = 0, headers } = incoming
    const { maxResponseBytes } = this.#bounds
    this.#answer = { status, headers }
    incoming
      .on('data', (chunk: Buffer) => {
        this.#chunks.push(chunk.subarray(0, Math.max(0, maxResponseBytes - this.#bytes)))
        this.#bytes += chunk.length
        if (this.#bytes <= maxResponseBytes) return
        this.#finish(outcomeOfStatus(status))
        this.#outgoing.destroy()
      })
      .once('end', () => this.#finish(outcomeOfStatus(status)))
      .on('error', (error) => this.#fail(error))
  }

  #breakOff(code: 'ETIMEDOUT' | 'ABORT_ERR'): void {
    const reason = code === 'ETIMEDOUT' ? 'the call did not end in time' : 'the call was given up'
    this.#fail(Object.assign(new Error(reason), { code }))
    this.#outgoing.destroy()
  }

  #fail(error: Error): void {
    this.#finish(outcomeOfError(error, this.#connected), messageOf(error))
  }

  /** What comes after the first time changes nothing. */
  #finish(outcome: Outcome, error?: string): void {
    clearTimeout(this.#wholeTimer)
    clearTimeout(this.#connectTimer)
    this.#bounds.signal?.removeEventListener('abort', this.#abort)
    this.#end({
      outcome,
      headers: {},
      ...this.#answer,
      body: Buffer.concat(this.#chunks),
      ...(error === undefined ? {} : { error }),
    })
  }
}
