import { AppError, errorFromWire, type WireError } from '@posthorn/errors'
import type { Message } from 'amqplib'
import { headerNumber, headerText } from '../payload.ts'
import type { NotifyOptions } from '../bus.ts'
import type { OutgoingMessage } from '../pubsub/publisher.ts'
import { exchangeFor } from '../topology.ts'

/**
 * Size of a chunk of an RPC stream in bytes. Together with its AMQP frame header, a chunk has
 * exactly 128 KiB, the frame size of RabbitMQ.
 */
export const chunkBytes = 128 * 1024 - 8
/** Maximum number of chunks of an RPC stream that are sent and not yet read. */
export const windowChunks = 8

/** AMQP property `type` of a message between requester and responder of RPC. */
export type FrameType =
  | 'request'
  | 'ack'
  | 'cancel'
  | 'reply'
  | 'head'
  | 'chunk'
  | 'end'
  | 'failure'
  | 'credit'
  /** RPC frame that a process sends to itself to find out whether the broker delivers frames. */
  | 'echo'

/** RPC frame: a message to the reply queue of a process. */
export interface RpcFrame {
  /** Reply queue of the process that receives this RPC message (frame). */
  to: string
  type: FrameType
  /** Correlation id of the RPC request to which this RPC message (frame) belongs. */
  id: string
  content?: Buffer
  headers?: Record<string, string | number>
  /** Reply queue of the process that sends this RPC message (frame). */
  replyTo?: string
}

/** Header of an RPC reply with the name of the responder's direct queue. */
export const directQueueHeader = 'direct-queue'

/**
 * Routing key for cancellations of RPC requests with the routing key `key`. The reply queues of all
 * responders of `key` are bound to the cancellation key, so a cancellation does not wait behind
 * requests.
 */
export function cancelKey(key: string): string {
  return `cancel.${key}`
}

/** RPC request as received, before the payload of the request is validated. */
export interface ReceivedRequest {
  /**
   * Correlation id of the RPC request. Each repeat of the request has a different correlation id.
   */
  id: string
  /** Id of the RPC request. All repeats of the request have the same id. */
  requestId: string
  command: string
  replyTo: string
  /** Deadline of the RPC request in milliseconds since 1970. */
  deadline: number
  timeoutMs: number
  /** RabbitMQ user of the requester. The broker has verified the user. */
  user: string | undefined
}

/**
 * Parses the message properties of an RPC request. Undefined if the message is not a valid RPC
 * request.
 */
export function readRequest(message: Message): ReceivedRequest | undefined {
  const id = correlationId(message)
  const replyTo = nonEmptyText(message.properties.replyTo)
  const command = headerText(message, 'command')
  const deadline = headerNumber(message, 'deadline')
  const timeoutMs = headerNumber(message, 'timeout-ms')
  if (!id || !replyTo || !command || deadline === undefined || timeoutMs === undefined)
    return undefined
  return {
    id,
    requestId: headerText(message, 'request-id') ?? id,
    command,
    replyTo,
    deadline,
    timeoutMs,
    user: nonEmptyText(message.properties.userId),
  }
}

export function correlationId(message: Message): string {
  return nonEmptyText(message.properties.correlationId) ?? ''
}

export function nonEmptyText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Error in an RPC reply, as an AppError. `internal` if the error in the reply is malformed. */
export function readError(wire: unknown): AppError {
  const { kind, message } = (wire ?? {}) as Partial<WireError>
  if (typeof kind === 'string' && typeof message === 'string')
    return errorFromWire(wire as WireError)
  return new AppError('internal', 'Internal Server Error', { cause: new Error('malformed reply') })
}

/** Error for an RPC request without a responder, or whose responder or connection was lost. */
export function noResponder(cause?: unknown): AppError {
  return new AppError('unavailable', 'No worker is available for the account, try again', {
    code: 'WorkerNotAvailable',
    cause,
  })
}

/** Error for an RPC request that RabbitMQ could not route to any process. */
export class UnroutedError extends AppError {
  constructor() {
    const { kind, message, code } = noResponder()
    super(kind, message, { code })
  }
}

export function deadlineExceeded(): AppError {
  return new AppError('timeout', 'No response within the timeout', { code: 'Timeout' })
}

/**
 * AMQP message type of commands without a reply. The value is fixed, because replicas of all
 * releases use this value.
 */
const oneWayType = 'notice'

/**
 * Message that carries a command without a reply. RabbitMQ delivers one copy to each queue that is
 * bound to any of the keys in the header `CC` (sender-selected distribution).
 */
export function toOneWayMessage(
  command: string,
  content: Buffer,
  { keys: [key = '', ...others], ttlMs, user }: NotifyOptions & { user: string },
): OutgoingMessage {
  return {
    exchange: exchangeFor(key),
    key,
    content,
    persistent: false,
    optional: true,
    type: oneWayType,
    headers: { command, CC: others },
    userId: user,
    expiration: String(ttlMs),
  }
}

/** Command without a reply, as received from RabbitMQ. */
export interface OneWayCommand {
  command: string
  user: string | undefined
}

/**
 * Parses the message properties of a command without a reply. Undefined if the message is a request
 * or malformed.
 */
export function readOneWayCommand(message: Message): OneWayCommand | undefined {
  const command = headerText(message, 'command')
  if (message.properties.type !== oneWayType || !command) return undefined
  return { command, user: nonEmptyText(message.properties.userId) }
}
