import { on } from '@posthorn/bus'
import {
  changesNoticed,
  type ProviderNotification,
} from '@posthorn/contracts/commands/notifications'
import { graphNotificationUrls } from '@posthorn/contracts/notification-urls'
import { shardCount, shardOf } from '@posthorn/contracts/shards'
import { eventually } from '@posthorn/testkit'
import type { TestGateway, testServers } from './gateway.ts'

/** Fake worker that receives the notifications of accounts. */
export interface NotificationReceiver extends AsyncDisposable {
  /** Provider notifications that the fake worker received since the last `clear`, in order. */
  readonly received: readonly ProviderNotification[]
  /**
   * Drops all notifications of earlier requests at the fake worker, including notifications that
   * are still on their way.
   */
  clear(): Promise<void>
}

/**
 * Starts a fake worker of all shards but one. The gateway forwards notifications to the worker in
 * order.
 */
export async function receiveNotifications(
  servers: Pick<Awaited<ReturnType<typeof testServers>>, 'connectBus'>,
  { gateway, unheldShard }: { gateway: Pick<TestGateway, 'url'>; unheldShard?: number },
): Promise<NotificationReceiver> {
  const received: ProviderNotification[] = []
  const bus = await servers.connectBus()
  const shards = Array.from({ length: shardCount }, (_, shard) => shard)
  await bus.serve({
    queue: 'private',
    keys: shards.filter((shard) => shard !== unheldShard).map((shard) => `shard.${shard}`),
    handlers: [
      on(changesNoticed, async ({ notices: notifications }) => {
        received.push(...notifications)
        return {}
      }),
    ],
  })
  let marks = 0
  /**
   * Sends a marker notification for an unused account. Resolves with this account when the gateway
   * has accepted the notification.
   */
  const mark = async (): Promise<string> => {
    const account = `mark ${(marks += 1)}`
    if (shardOf(account) === unheldShard) return mark()
    const { changes } = graphNotificationUrls(gateway.url, account)
    const body = JSON.stringify({ value: [{ clientState: 'mark' }] })
    const response = await fetch(changes, { method: 'POST', body })
    if (response.status !== 202) throw new Error(`status ${response.status}`)
    return account
  }
  return {
    received,
    async clear() {
      const marked = await eventually(mark)
      await eventually(() => received.some(({ account }) => account === marked))
      received.length = 0
    },
    [Symbol.asyncDispose]: () => bus[Symbol.asyncDispose](),
  }
}
