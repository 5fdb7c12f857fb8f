import type { Logger } from '@posthorn/telemetry'
import type { Channel, Message } from 'amqplib'
import { KeptChannel, plain } from './kept-channel.ts'
import type { Link } from './link.ts'
import { type CallType, nobodyThere } from './wire.ts'

export interface Letter {
  /** An inbox. */
  to: string
  type: CallType
  /** The call it belongs to. */
  id: string
  content?: Buffer
  headers?: Record<string, string | number>
  /** The inbox of the sender, where the receiver shall write to. */
  replyTo?: string
}

export interface MailDeps {
  link: Link
  log: Logger
  changed: () => void
  /** The receiver's inbox is gone, and the receiver with it. */
  undeliverable: (message: Message) => void
}

/** Sends to inboxes, at most once: who waits for an answer has a deadline, who reads a stream sees the gap. */
export class Mail {
  readonly kept: KeptChannel<Channel>

  constructor({ link, log, changed, undeliverable }: MailDeps) {
    this.kept = new KeptChannel({
      link,
      open: plain,
      setup: async (channel) => void channel.on('return', undeliverable),
      changed,
      log,
      what: 'answers',
    })
  }

  /** @throws AppError `unavailable` when the broker is down. */
  send({ to, type, id, content = Buffer.alloc(0), headers = {}, replyTo }: Letter): void {
    const channel = this.kept.current
    if (!channel) throw nobodyThere()
    try {
      channel.publish('', to, content, {
        mandatory: true,
        persistent: false,
        type,
        correlationId: id,
        headers,
        ...(replyTo === undefined ? {} : { replyTo }),
      })
    } catch (error) {
      throw nobodyThere(error)
    }
  }

  /** For what the other side finds out by itself, only later. */
  trySend(letter: Letter): void {
    try {
      this.send(letter)
    } catch {
      // nothing to be done about it
    }
  }
}
