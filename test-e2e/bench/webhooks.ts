import { createHmac } from 'node:crypto'
import { Agent } from 'node:http'
import { operations } from '@posthorn/contracts'
import { recordTestEvents } from '@posthorn/testkit'
import got from 'got'
import type { World } from '../world.ts'
import { startChild } from './child.ts'
import { perSecond, type Row } from './report.ts'

const count = 4_000
const concurrency = 4

/** Events committed and published → received by one receiver, against a bare got loop with as many calls in flight posting the same bytes. */
export async function benchWebhooks(world: World, amqpUrl: string): Promise<Row> {
  await using receiver = await startChild('receiver-main.ts')
  const url = `http://127.0.0.1:${receiver.port}/hook`
  await world.client.call(operations.updateSettings, { body: { webhooks: url } })
  const accounts = Array.from({ length: 16 }, (_, index) => `bench-${index}`)
  for (const account of accounts)
    await world.client.call(operations.createAccount, { body: { account, name: account } })
  await receiver.counted(accounts.length)

  receiver.reset()
  const done = receiver.counted(count)
  await recordTestEvents({ ownerUrl: world.ownerUrl, amqpUrl, accounts }, count)
  const ours = perSecond(count, (await done).spanMs)

  receiver.reset()
  const reference = receiver.counted(count)
  await bareLoop(url)
  const bare = perSecond(count, (await reference).spanMs)
  return {
    what: 'webhooks received per second (one target, 4 calls in flight, 1 kB)',
    ours,
    reference: bare,
    unit: '/s',
    referenceIs: 'bare got loop',
  }
}

async function bareLoop(url: string): Promise<void> {
  const body = JSON.stringify({ event: 'messageDeleted', note: 'x'.repeat(950) })
  const agent = { http: new Agent({ keepAlive: true, maxSockets: concurrency }) }
  let left = count
  const lane = async () => {
    while (left-- > 0) {
      const signature = createHmac('sha256', 'secret').update(body).digest('base64url')
      await got.post(url, {
        body,
        agent,
        retry: { limit: 0 },
        headers: { 'content-type': 'application/json', 'x-svc-wh-signature': signature },
      })
    }
  }
  await Promise.all(Array.from({ length: concurrency }, lane))
  agent.http.destroy()
}
