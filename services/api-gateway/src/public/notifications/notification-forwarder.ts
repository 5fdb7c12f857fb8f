import type { Bus } from '@posthorn/bus'
import {
  changesNoticed,
  maxNotifications,
  type ProviderNotification,
} from '@posthorn/contracts/commands/notifications'
import { shardOf } from '@posthorn/contracts/shards'
import { AppError } from '@posthorn/errors'
import { Batcher, withTimeout } from '@posthorn/flow'

/**
 * Maximum notifications that wait for RabbitMQ. The waiting notifications need 2 MB of memory, or
 * 12 MB if each names ten messages.
 */
const maxWaiting = 5_000
/**
 * Timeout of forwarding a notification to RabbitMQ. Microsoft throttles notifications to endpoints
 * that need more than 2.9 s.
 */
const timeoutMs = 2_000
/**
 * Lifetime of a notification on RabbitMQ. A worker that receives notifications later than this has
 * polled the mailbox meanwhile.
 */
const ttlMs = 30_000

/**
 * Forwards provider notifications to the workers of their accounts. Only one bus message is in
 * flight. Notifications that arrive meanwhile share the next bus message, whatever the shards
 * (groups) of their accounts are; equal notifications are merged. Memory is therefore bounded, and
 * more notifications cause fewer bus messages per notification.
 */
export class NotificationForwarder {
  readonly #bus: Pick<Bus, 'notify'>
  readonly #batcher = new Batcher<ProviderNotification, undefined>({
    run: (notifications) => this.#send(notifications),
    maxItems: maxNotifications,
  })

  constructor(bus: Pick<Bus, 'notify'>) {
    this.#bus = bus
  }

  /** Number of notifications that wait until RabbitMQ confirms the previous notifications. */
  get waiting(): number {
    return this.#batcher.waiting
  }

  /**
   * Resolves when RabbitMQ has confirmed the notifications, even if no worker holds their accounts.
   *
   * @throws AppError `unavailable` within 2 s if RabbitMQ does not confirm the notifications, or if
   * too many notifications wait
   */
  async forward(notifications: readonly ProviderNotification[]): Promise<void> {
    if (this.waiting + notifications.length > maxWaiting)
      throw new AppError('unavailable', 'Too many notifications, retry later')
    const sent = Promise.all(notifications.map((notification) => this.#batcher.add(notification)))
    await withTimeout<unknown>(sent, timeoutMs, () => {
      throw new AppError('unavailable', 'RabbitMQ did not accept the notification')
    })
  }

  async #send(notifications: readonly ProviderNotification[]): Promise<undefined[]> {
    const distinct = new Map(
      notifications.map((notification) => [JSON.stringify(notification), notification]),
    )
    const shards = new Set(notifications.map(({ account }) => shardOf(account)))
    const keys = Array.from(shards, (shard) => `shard.${shard}`)
    await this.#bus.notify(changesNoticed, { notices: [...distinct.values()] }, { keys, ttlMs })
    return notifications.map(() => undefined)
  }
}
