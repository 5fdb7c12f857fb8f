import { randomUUID } from 'node:crypto'
import { connectBus } from '@posthorn/bus'
import { connect, publishEvents, recordEvents } from '@posthorn/db'
import { createLogger, createMetrics } from '@posthorn/telemetry'

/** Where the events of a test go. */
export interface EventsTarget {
  ownerUrl: string
  amqpUrl: string
  accounts: readonly string[]
}

/** Stores and publishes `count` events as a service would, in transactions of 100, in turn for each account. Resolves when all are published. */
export async function recordTestEvents(
  { ownerUrl, amqpUrl, accounts }: EventsTarget,
  count: number,
): Promise<void> {
  const db = connect(ownerUrl, { name: 'events of a test' })
  const log = createLogger('test', 'silent')
  const bus = await connectBus({
    url: amqpUrl,
    name: 'events of a test',
    log,
    metrics: createMetrics('test'),
  })
  try {
    await bus.whenUp()
    for (let done = 0; done < count; done += 100) {
      const events = Array.from({ length: Math.min(100, count - done) }, (_, index) => ({
        eventId: randomUUID(),
        event: 'messageDeleted',
        account: accounts[(done + index) % accounts.length] ?? '',
        path: 'INBOX',
        data: { id: 'AAAAAQAAAAE', uid: done + index, note: 'x'.repeat(800) },
      }))
      const recorded = await db.transaction().execute((tx) => recordEvents(tx, events, null))
      await publishEvents(db, (message) => bus.publishEvent(message), recorded)
    }
  } finally {
    await bus[Symbol.asyncDispose]()
    await db.destroy()
  }
}
