import { AppError } from '@posthorn/errors'
import type { TraceHeaders } from '@posthorn/telemetry'
import type { Message } from 'amqplib'

/**
 * Maximum size of a bus message. RabbitMQ 4 closes the channel when a message is larger than 16
 * MiB. Larger contents are streamed or stay in Postgres.
 */
const maxMessageBytes = 15 * 1024 * 1024

/**
 * Encodes the payload of a bus message as JSON.
 * @throws AppError `too-large` if the payload has more than 15 MiB
 */
export function encode(value: unknown): Buffer {
  const content = Buffer.from(JSON.stringify(value))
  if (content.length > maxMessageBytes)
    throw new AppError('too-large', 'Content exceeds the size limit of a bus message (15 MiB)')
  return content
}

/** Parses the JSON payload of a bus message. Undefined if the content is not JSON. */
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

export function traceOf(message: Message): TraceHeaders {
  const trace: TraceHeaders = {}
  for (const name of ['traceparent', 'tracestate']) {
    const value = headerText(message, name)
    if (value !== undefined) trace[name] = value
  }
  return trace
}

export function ignore(): void {}
