import { AppError, errorFromWire, type WireError } from '@posthorn/errors'
import type { TraceHeaders } from '@posthorn/telemetry'
import type { Message } from 'amqplib'

/** RabbitMQ 4 refuses more than 16 MiB and closes the channel for it; bigger things are streamed, or stay in Postgres. */
export const maxMessageBytes = 15 * 1024 * 1024
/** A chunk of a stream: with its frame exactly the 128 KiB that RabbitMQ takes in one. */
export const chunkBytes = 128 * 1024 - 8
/** Chunks that may be on their way to a reader. */
export const windowChunks = 8

/** The `type` of a message between one who asks and one who answers. */
export type CallType =
  | 'request'
  | 'taken'
  | 'cancel'
  | 'answer'
  | 'head'
  | 'chunk'
  | 'end'
  | 'failure'
  | 'credit'

/** On an answer: the queue by which whoever gave it can be asked directly. */
export const askAtHeader = 'ask-at'

/** Where those listen who hold the key, each with a queue of its own: a cancellation does not wait behind other requests. */
export function cancelKey(key: string): string {
  return `cancel.${key}`
}

/** @throws AppError `too-large` */
export function encode(value: unknown): Buffer {
  const content = Buffer.from(JSON.stringify(value))
  if (content.length > maxMessageBytes) throw new AppError('too-large', 'Too large for one message')
  return content
}

/** Undefined when it is not JSON. */
export function decode(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString())
  } catch {
    return undefined
  }
}

export function headerNumber(message: Message, name: string): number | undefined {
  const value: unknown = message.properties.headers?.[name]
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

export function headerText(message: Message, name: string): string | undefined {
  const value: unknown = message.properties.headers?.[name]
  return typeof value === 'string' ? value : undefined
}

/** The correlation id, which every message of a call carries. */
export function callId(message: Message): string {
  return text(message.properties.correlationId) ?? ''
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function traceOf(message: Message): TraceHeaders {
  const trace: TraceHeaders = {}
  for (const name of ['traceparent', 'tracestate']) {
    const value = headerText(message, name)
    if (value !== undefined) trace[name] = value
  }
  return trace
}

/** An error that came over the bus, or what stands for one that nobody can read. */
export function readError(wire: unknown): AppError {
  const { kind, message } = (wire ?? {}) as Partial<WireError>
  if (typeof kind === 'string' && typeof message === 'string')
    return errorFromWire(wire as WireError)
  return new AppError('internal', 'Internal Server Error', {
    cause: new Error('unreadable answer'),
  })
}

/** Nobody can be asked, or whoever was asked went away. */
export function nobodyThere(cause?: unknown): AppError {
  return new AppError('unavailable', 'No worker is available for the account, try again', {
    code: 'WorkerNotAvailable',
    ...(cause === undefined ? {} : { cause }),
  })
}

export function tooLate(): AppError {
  return new AppError('timeout', 'No answer in time', { code: 'Timeout' })
}
