import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '@posthorn/testkit'
import { freshMessageId, plainMessage, untilConnected } from '../../world.ts'
import { percentile, type Row } from '../report.ts'
import type { Scene } from './scene.ts'

const notified = 50

/** Measures the time from the notification of Microsoft Graph to the arrival of the webhook. */
export async function benchNotified({ world, fakes: { graph } }: Scene): Promise<Row[]> {
  await untilConnected(world, 'graph')
  await eventually(() => graph.subscriptions.size > 0, { timeoutMs: 300_000 })
  const times: number[] = []
  for (let count = 0; count < notified; count++) {
    // The next notification must not arrive within 200 ms of the previous notification: it would be
    // delayed until the end of the 200 ms.
    await delay(300)
    const raw = Buffer.from(plainMessage({ messageId: freshMessageId() }))
    const { id } = graph.mailbox.deliver({ raw })
    const from = Date.now()
    await graph.notifications.send()
    const arrived = await world.webhook(
      ({ event, data }) => event === 'messageNew' && data.id === id,
    )
    times.push(arrived.request.receivedAt.getTime() - from)
  }
  return [50, 99].map((p) => ({
    what: `Microsoft Graph, notification → webhook, p${p}`,
    measured: percentile(times, p),
    reference: p === 50 ? 50 : 200,
    unit: ' ms',
    referenceIs: 'limit',
  }))
}
