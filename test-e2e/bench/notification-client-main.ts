import { Agent, request } from 'node:http'

// Client of `benchNotifications` in its own process, so that the client does not delay a measured
// process.

export interface NotificationLoad {
  url: string
  /** Number of accounts that the notifications of Microsoft Graph name in turn. */
  accounts: number
  /**
   * True to send validation requests, to which api-gateway responds without forwarding anything.
   */
  handshakes: boolean
  seconds: number
  /**
   * Notification requests per second. If absent, requests are sent as fast as `connections`
   * connections get responses.
   */
  rate?: number
}

export interface NotificationLoadResult {
  /**
   * Time from the planned start of each notification request to the end of its response in
   * milliseconds.
   */
  latencies: number[]
  failed: number
  ms: number
}

const connections = 64
const agent = new Agent({ keepAlive: true, maxSockets: connections })
const body = JSON.stringify({
  value: [
    {
      subscriptionId: '7f105c7d-2dc5-4530-97cd-4e7ae6534c07',
      subscriptionExpirationDateTime: '2026-11-26T00:00:00Z',
      changeType: 'created',
      resource: 'Users/1b3f/Messages/AAMkAGUwNjQ4ZjIxAAA=',
      clientState: 'x'.repeat(43),
      tenantId: '84bd8158-6d4d-4958-8b9f-9d6445542f95',
    },
  ],
})

function send(load: NotificationLoad, number: number): Promise<boolean> {
  const query = new URLSearchParams({ account: `account ${number % load.accounts}` })
  if (load.handshakes) query.set('validationToken', 'Validation: token')
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const url = `${load.url}/oauth/msg/notification?${query.toString()}`
  const headers = { 'content-type': 'application/json' }
  const call = request(url, { method: 'POST', agent, headers }, (response) => {
    response.resume()
    response.once('end', () => resolve(response.statusCode === (load.handshakes ? 200 : 202)))
  })
  call.once('error', () => resolve(false))
  call.end(body)
  return promise
}

async function run(load: NotificationLoad): Promise<NotificationLoadResult> {
  const result: NotificationLoadResult = { latencies: [], failed: 0, ms: 0 }
  const started = performance.now()
  const endsAt = started + load.seconds * 1_000
  const measure = async (plannedAt: number, number: number) => {
    if (!(await send(load, number))) result.failed += 1
    result.latencies.push(performance.now() - plannedAt)
  }
  let number = 0
  if (load.rate === undefined)
    await Promise.all(
      Array.from({ length: connections }, async () => {
        while (performance.now() < endsAt) await measure(performance.now(), number++)
      }),
    )
  else await runAtRate(load.rate, { started, endsAt }, (plannedAt) => measure(plannedAt, number++))
  result.ms = performance.now() - started
  return result
}

/** Starts notification requests at their planned times, even if earlier requests have not ended. */
async function runAtRate(
  rate: number,
  { started, endsAt }: { started: number; endsAt: number },
  start: (plannedAt: number) => Promise<void>,
): Promise<void> {
  const running: Promise<void>[] = []
  while (performance.now() < endsAt) {
    const due = Math.floor(((performance.now() - started) * rate) / 1_000)
    while (running.length < due) running.push(start(started + (running.length * 1_000) / rate))
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  await Promise.all(running)
}

process.on('message', (load: NotificationLoad) => {
  void run(load).then((result) => process.send?.(result))
})
process.on('disconnect', () => process.exit())
process.send?.({ port: 0 })
