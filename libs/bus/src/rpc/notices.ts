import type { Message } from 'amqplib'
import type { NotifyOptions } from '../bus.ts'
import { headerText } from '../payload.ts'
import type { OutgoingMessage } from '../pubsub/publisher.ts'
import { exchangeFor } from '../topology.ts'
import { nonEmptyText } from './frames.ts'

/**
 * Message of a command without a reply. RabbitMQ delivers one copy to each queue that is bound to
 * any of the keys (`CC`, sender-selected distribution).
 */
export function toNotice(
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
    type: 'notice',
    headers: { command, CC: others },
    userId: user,
    expiration: String(ttlMs),
  }
}

/** Command without a reply. */
export interface ReceivedNotice {
  command: string
  user: string | undefined
}

/** Parses the properties of a notice. Undefined if the message is a request or malformed. */
export function readNotice(message: Message): ReceivedNotice | undefined {
  const command = headerText(message, 'command')
  if (message.properties.type !== 'notice' || !command) return undefined
  return { command, user: nonEmptyText(message.properties.userId) }
}
