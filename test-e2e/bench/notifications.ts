import { eventually } from '@posthorn/testkit'
import { startWorld, type World } from '../world.ts'
import type { NotificationLoad, NotificationLoadResult } from './notification-client-main.ts'
import { percentile, perSecond, type Row } from './report.ts'
import { type Part, startPart } from './start-part.ts'

const seconds = 10
/**
 * Rate of notification requests per second at which the response time is measured. Microsoft slows
 * down endpoints whose responses take longer than 2.9 s.
 */
const rate = 2_000
const accounts = 1_000

/**
 * Measures notifications of Microsoft Graph through api-gateway and RabbitMQ to a sync-worker,
 * which compares them in memory. The reference is validation requests, which end in api-gateway.
 */
export async function benchNotifications(servers: 'own' | 'shared' = 'own'): Promise<Row[]> {
  await using world = await startWorld({ servers, names: ['api-gateway', 'sync-worker'] })
  await using client = await startPart('notification-client-main.ts')
  await untilForwarded(world)
  const run = (load: Partial<NotificationLoad>) => runLoad(client, { url: world.url, ...load })
  await run({ seconds: 1 }) // warms up api-gateway
  const forwarded = await run({})
  const answered = await run({ handshakes: true })
  const steady = await run({ rate })
  const steadyAnswered = await run({ rate, handshakes: true })
  const perSecondOf = ({ latencies, ms }: NotificationLoadResult) => perSecond(latencies.length, ms)
  const p99Of = ({ latencies }: NotificationLoadResult) => percentile(latencies, 99)
  return [
    {
      what: 'notifications through api-gateway, one per request',
      measured: perSecondOf(forwarded),
      reference: perSecondOf(answered),
      unit: '/s',
      referenceIs: 'validation requests, which are not forwarded',
    },
    {
      what: `response time of a notification at ${rate}/s, p99`,
      measured: p99Of(steady),
      reference: p99Of(steadyAnswered),
      unit: ' ms',
      referenceIs: 'validation requests at the same rate',
    },
  ]
}

async function runLoad(
  client: Part,
  load: Pick<NotificationLoad, 'url'> & Partial<NotificationLoad>,
): Promise<NotificationLoadResult> {
  const message = { seconds, accounts, handshakes: false, ...load }
  const result = await client.request<NotificationLoadResult>(message)
  if (result.failed > 0) throw new Error(`${result.failed} notifications failed`)
  return result
}

/** Waits until api-gateway is connected to RabbitMQ. */
async function untilForwarded({ url }: World): Promise<void> {
  await eventually(async () => {
    const body = JSON.stringify({ value: [{ clientState: 'x' }] })
    const path = '/oauth/msg/notification?account=a'
    return (await fetch(url + path, { method: 'POST', body })).status === 202
  })
}
