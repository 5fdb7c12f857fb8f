import type { Bus } from '@posthorn/bus'
import {
  changesNoticed,
  maxNotices,
  type ProviderNotice,
} from '@posthorn/contracts/commands/notices'
import { shardOf } from '@posthorn/contracts/shards'
import { AppError } from '@posthorn/errors'
import { Batcher, withTimeout } from '@posthorn/flow'

/** Maximum notices that wait for RabbitMQ: about 2 MB, 12 MB if each names ten messages. */
const maxWaiting = 5_000
/** Microsoft slows down endpoints that need more than 2.9 s. */
const timeoutMs = 2_000
/** A worker that takes longer has polled meanwhile. */
const ttlMs = 30_000

/**
 * Forwards notices to the workers of their accounts. One command is in flight. Notices that arrive
 * meanwhile share the next command, regardless of their shards; equal notices are merged. So memory
 * is bounded, nothing is read or stored, and RabbitMQ has less work the more notices there are.
 */
export class NoticeForwarder {
  readonly #bus: Pick<Bus, 'notify'>
  readonly #batcher = new Batcher<ProviderNotice, undefined>({
    run: (notices) => this.#send(notices),
    maxItems: maxNotices,
  })

  constructor(bus: Pick<Bus, 'notify'>) {
    this.#bus = bus
  }

  /** Number of notices that wait for the command in flight. */
  get waiting(): number {
    return this.#batcher.waiting
  }

  /**
   * Resolves when the broker has confirmed the notices, also if no worker holds their accounts.
   *
   * @throws AppError `unavailable` within 2 s if the broker does not, or if too many wait
   */
  async forward(notices: readonly ProviderNotice[]): Promise<void> {
    if (this.waiting + notices.length > maxWaiting)
      throw new AppError('unavailable', 'Too many notifications, retry later')
    const sent = Promise.all(notices.map((notice) => this.#batcher.add(notice)))
    await withTimeout<unknown>(sent, timeoutMs, () => {
      throw new AppError('unavailable', 'RabbitMQ did not accept the notification')
    })
  }

  async #send(notices: readonly ProviderNotice[]): Promise<undefined[]> {
    const distinct = new Map(notices.map((notice) => [JSON.stringify(notice), notice]))
    const shards = new Set(notices.map(({ account }) => shardOf(account)))
    const keys = Array.from(shards, (shard) => `shard.${shard}`)
    await this.#bus.notify(changesNoticed, { notices: [...distinct.values()] }, { keys, ttlMs })
    return notices.map(() => undefined)
  }
}
