import { defined } from '@posthorn/contracts/defined'
import type { Logger } from '@posthorn/telemetry'
import type { Channel, Message } from 'amqplib'
import { plain, RecoveringChannel } from '../connection/recovering-channel.ts'
import type { RecoveringConnection } from '../connection/recovering-connection.ts'
import { noResponder, type RpcFrame } from './frames.ts'

export interface FramePublisherDeps {
  connection: RecoveringConnection
  log: Logger
  onChange: () => void
  /**
   * Called with an RPC frame (message to a reply queue) that RabbitMQ returned because the reply
   * queue does not exist any more.
   */
  onUndeliverable: (message: Message) => void
}

/**
 * Publisher that sends each RPC frame (message to a reply queue) at most once. The receiving
 * process detects a lost frame: a lost reply by the deadline, a lost chunk of a stream by its
 * number.
 */
export class FramePublisher {
  readonly channel: RecoveringChannel<Channel>

  constructor({ connection, log, onChange, onUndeliverable }: FramePublisherDeps) {
    this.channel = new RecoveringChannel({
      connection,
      open: plain,
      setup: async (channel) => void channel.on('return', onUndeliverable),
      onChange,
      log,
      name: 'replies',
    })
  }

  /**
   * Sends an RPC frame (message to the reply queue of a process).
   * @throws AppError `unavailable` if the broker is not connected
   */
  send({ to, type, id, content = Buffer.alloc(0), headers = {}, replyTo }: RpcFrame): void {
    const channel = this.channel.current
    if (!channel) throw noResponder()
    const properties = { mandatory: true, persistent: false, type, correlationId: id, headers }
    try {
      channel.publish('', to, content, defined({ ...properties, replyTo }))
    } catch (error) {
      throw noResponder(error)
    }
  }

  /**
   * Sends an RPC frame (message to the reply queue of a process) and ignores errors, for frames
   * whose loss the receiving process tolerates.
   */
  trySend(frame: RpcFrame): void {
    try {
      this.send(frame)
    } catch {
      // An error of sending an RPC frame is ignored, because the process that should receive the
      // frame detects its loss.
    }
  }
}
