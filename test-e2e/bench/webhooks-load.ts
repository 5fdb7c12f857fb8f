import { createHmac } from 'node:crypto'
import { Agent } from 'node:http'
import { recordTestEvents } from '@posthorn/testkit'
import got from 'got'
import type { World } from '../world.ts'
import type { Counter } from './counter.ts'
import { perSecond } from './report.ts'
import { cpuMs } from './cpu-ms.ts'

/** Number of concurrent calls to one webhook target. */
const concurrency = 4

export interface Rates {
  /** Webhook events per second, from the first to the last counted event. */
  perSecond: number
  /** Webhook events per second of CPU time of webhook-dispatcher. */
  perCpuSecond: number
}

export interface WebhookLoad {
  world: World
  amqpUrl: string
  receiver: Counter
  accounts: readonly string[]
}

/**
 * Registers accounts. An account has its own webhook target if the list names one. Registration
 * causes an event accountAdded per account.
 */
export async function addAccounts(
  { posthorn }: World,
  name: string,
  targets: readonly (string | undefined)[],
): Promise<string[]> {
  const accounts = targets.map((_target, index) => `${name}-${index}`)
  for (const [index, account] of accounts.entries()) {
    const webhooks = targets[index]
    const body = { account, name: account, ...(webhooks === undefined ? {} : { webhooks }) }
    await posthorn.createAccount({ body })
  }
  return accounts
}

/** Records events and waits until `counted` of their webhooks have arrived at the receiver. */
export async function deliverEvents(
  { world, amqpUrl, receiver, accounts }: WebhookLoad,
  count: number,
  counted = count,
): Promise<Rates> {
  const pid = world.services.pids['webhook-dispatcher'] ?? 0
  receiver.reset()
  const done = receiver.counted(counted)
  const before = await cpuMs(pid)
  await recordTestEvents({ ownerUrl: world.ownerUrl, amqpUrl, accounts }, count)
  const { spanMs } = await done
  const used = ((await cpuMs(pid)) - before) / 1000
  return { perSecond: perSecond(counted, spanMs), perCpuSecond: counted / used }
}

/** Sends equal signed webhooks with the library got over kept-alive connections, for comparison. */
export async function plainLoop(url: string, receiver: Counter, count: number): Promise<Rates> {
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
  receiver.reset()
  const done = receiver.counted(count)
  const before = process.cpuUsage()
  await Promise.all(Array.from({ length: concurrency }, lane))
  const { user, system } = process.cpuUsage(before)
  agent.http.destroy()
  return {
    perSecond: perSecond(count, (await done).spanMs),
    perCpuSecond: (count * 1e6) / (user + system),
  }
}
