import { withClient } from '@posthorn/local/postgres/client'
import type { World } from '../world.ts'
import { startCounter } from './counter.ts'
import type { Row } from './report.ts'
import { addAccounts, plainLoop, deliverEvents, type WebhookLoad } from './webhooks-load.ts'

const count = 2_000
const waiting = 1_000_000
const routes = 20
const perCpu = '/s of CPU'

/**
 * Measures the rate at which committed and published events arrive at one webhook receiver.
 * Compares it with a plain got loop, and with the rate under other load.
 */
export async function benchWebhooks(world: World, amqpUrl: string): Promise<Row[]> {
  await using receiver = await startCounter('receiver-main.ts')
  const url = `http://127.0.0.1:${receiver.port}/hook`
  await world.posthorn.updateSettings({ body: { webhooks: url } })
  const accounts = await addAccounts(
    world,
    'bench',
    Array.from({ length: 16 }, () => undefined),
  )
  await receiver.counted(accounts.length)
  const load = { world, amqpUrl, receiver, accounts }
  await deliverEvents(load, count / 4) // warms up the code
  const alone = await deliverEvents(load, count)
  const plain = await plainLoop(url, receiver, count)
  const referenceIs = 'plain got loop'
  return [
    {
      what: 'webhooks received per second (one target, 4 calls in flight, 1 kB)',
      measured: alone.perSecond,
      reference: plain.perSecond,
      unit: '/s',
      referenceIs,
    },
    {
      what: 'webhooks per CPU second, everything in the dispatcher included',
      measured: alone.perCpuSecond,
      reference: plain.perCpuSecond,
      unit: perCpu,
      referenceIs,
    },
    await besideHanging(load),
    await besideRoutes(load),
    await besideWaiting(load, url),
  ]
}

/** Measures ten webhook targets, one of which never responds. */
async function besideHanging(load: WebhookLoad): Promise<Row> {
  const { world, receiver } = load
  const at = (path: string) => `http://127.0.0.1:${receiver.port}/${path}`
  const nine = Array.from({ length: 9 }, (_, n) => at(`target-${n}`))
  receiver.reset()
  const healthy = await addAccounts(world, 'healthy', [...nine, at('other')])
  const mixed = await addAccounts(world, 'mixed', [...nine, at('hang')])
  await receiver.counted(2 * nine.length) // webhooks of the events accountAdded
  const expected = (count * 9) / 10
  const reference = await deliverEvents({ ...load, accounts: healthy }, count, expected)
  const measured = await deliverEvents({ ...load, accounts: mixed }, count, expected)
  return {
    what: 'webhooks per second to nine targets while the tenth hangs',
    measured: measured.perSecond,
    reference: reference.perSecond,
    unit: '/s',
    referenceIs: 'the tenth responds',
  }
}

/**
 * Measures webhook routes whose filters use only the event name and reject the event, so that the
 * sandbox does not run.
 */
async function besideRoutes(load: WebhookLoad): Promise<Row> {
  const { posthorn } = load.world
  const reference = await deliverEvents(load, count)
  const made: string[] = []
  for (let n = 0; n < routes; n++) {
    const { id } = await posthorn.createWebhookRoute({
      body: {
        name: `bench ${n}`,
        targetUrl: `http://127.0.0.1:${load.receiver.port}/other`,
        enabled: true,
        content: { fn: "return payload.event === 'messageNew'", map: 'return payload' },
      },
    })
    made.push(id)
  }
  await deliverEvents(load, count / 4) // each route filter runs once per event name
  const measured = await deliverEvents(load, count)
  for (const webhookRoute of made) await posthorn.deleteWebhookRoute({ webhookRoute })
  return {
    what: `webhooks per CPU second while ${routes} routes reject the events`,
    measured: measured.perCpuSecond,
    reference: reference.perCpuSecond,
    unit: perCpu,
    referenceIs: 'without routes',
  }
}

/**
 * Measures the rate of webhooks beside deliveries that wait for their next attempt, half of them
 * for the measured webhook target.
 */
async function besideWaiting(load: WebhookLoad, url: string): Promise<Row> {
  const { ownerUrl } = load.world
  const reference = await deliverEvents(load, count)
  await withClient(ownerUrl, async (client) => {
    for (let done = 0; done < waiting; done += waiting / 10)
      await client.query(
        `insert into deliveries (id, event_id, event_row, event_date, event, account, target, lane, attempts, last_outcome, next_attempt_at)
         select gen_random_uuid(), gen_random_uuid(), 0, now(), 'messageNew', 'bench-' || n % 16, 'default',
           case when n % 2 = 0 then $1 else 'http://127.0.0.1:9/' || n % 100 end, 3, 'http-5xx', now() + interval '1 day' + n * interval '1 second'
         from generate_series(1, $2::int) as n`,
        [url, waiting / 10],
      )
    await client.query('analyze deliveries')
  })
  await deliverEvents(load, count / 4)
  const measured = await deliverEvents(load, count)
  return {
    what: `webhooks per second beside ${waiting.toLocaleString('en')} deliveries waiting for their next attempt`,
    measured: measured.perSecond,
    reference: reference.perSecond,
    unit: '/s',
    referenceIs: 'none waits',
  }
}
