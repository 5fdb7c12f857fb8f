import type { Message } from 'amqplib'
import { callId, headerNumber, headerText, text } from './wire.ts'

/** A request as it came, before its contract is known. */
export interface Request {
  /** Of the call; each repeat has its own. */
  id: string
  /** The same for every repeat. */
  requestId: string
  command: string
  replyTo: string
  deadline: number
  timeoutMs: number
  /** Of whoever asks, at the broker, which lets nobody give another's. */
  user: string | undefined
}

/** Undefined when it was not sent by a bus. */
export function readRequest(message: Message): Request | undefined {
  const id = text(callId(message))
  const replyTo = text(message.properties.replyTo)
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
    user: text(message.properties.userId),
  }
}
