import { randomUUID } from 'node:crypto'
import { connectBus } from '@posthorn/bus'
import { connect, type Db, publishEvents, recordEvents } from '@posthorn/db'
import { createLogger, createMetrics } from '@posthorn/telemetry'

/** Postgres database, RabbitMQ broker and accounts with which test events are recorded. */
export interface EventsTarget {
  ownerUrl: string
  /**
   * URL of the RabbitMQ broker. If absent, events are stored but not published, as if the writer
   * died after the commit.
   */
  amqpUrl?: string
  accounts: readonly string[]
}

/**
 * Stores and publishes `count` events in the way of a service, in transactions of 100 events,
 * distributed over the accounts in turn. Resolves when all events are published.
 */
export async function recordTestEvents(
  { ownerUrl, amqpUrl, accounts }: EventsTarget,
  count: number,
): Promise<void> {
  const db = connect(ownerUrl, { name: 'test events' })
  await using opened = new AsyncDisposableStack()
  opened.defer(() => db.destroy())
  const publish = amqpUrl === undefined ? undefined : await publisher(db, amqpUrl, opened)
  for (let done = 0; done < count; done += 100) {
    const events = Array.from({ length: Math.min(100, count - done) }, (_, index) => ({
      eventId: randomUUID(),
      event: 'messageDeleted',
      account: accounts[(done + index) % accounts.length] ?? '',
      path: 'INBOX',
      data: { id: 'AAAAAQAAAAE', uid: done + index, note: 'x'.repeat(800) },
    }))
    const recorded = await db.transaction().execute((tx) => recordEvents(tx, events, null))
    await publish?.(recorded)
  }
}

async function publisher(db: Db, url: string, opened: AsyncDisposableStack) {
  const log = createLogger('test', 'silent')
  const metrics = createMetrics('test')
  const bus = opened.use(await connectBus({ url, name: 'test events', log, metrics }))
  await bus.whenUp()
  return (recorded: Awaited<ReturnType<typeof recordEvents>>) =>
    publishEvents(db, (message) => bus.publishEvent(message), recorded)
}
