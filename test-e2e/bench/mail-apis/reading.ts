import { setTimeout as delay } from 'node:timers/promises'
import { operations } from '@posthorn/contracts/operations'
import { DeliveryGate, type ProviderFault } from '@posthorn/testkit/providers'
import { callApi } from '../call-api.ts'
import { percentile, type Row } from '../report.ts'
import { type ProviderName, replayMs, requestsOf, type Scene } from './scene.ts'

/**
 * Number of measured rounds of API reads, and the pause before each round. The median of the rounds
 * is printed.
 */
interface Rounds {
  rounds: number
  pauseMs: number
}

const many: Rounds = { rounds: 50, pauseMs: 0 }
/**
 * Rounds for Gmail with pauses. With the published limits, a message costs 20 quota units and a
 * list of 20 messages costs 406 quota units. A sync-worker has about 65 units per second, so rounds
 * without pauses would measure this rate.
 */
const paced = {
  message: { rounds: 20, pauseMs: 500 },
  list: { rounds: 6, pauseMs: 8_000 },
} satisfies Record<string, Rounds>
/** Response time of a provider in milliseconds for clients in the same region. */
const realisticMs = 60

/**
 * Measures `GET message` and a list of 20 messages through the API, without delays and with a
 * realistic response time of the provider. Compares them with a bare client that sends the requests
 * that the result needs.
 */
export async function benchReading(scene: Scene, provider: ProviderName): Promise<Row[]> {
  const { world } = scene
  const params = { account: provider }
  const query = { path: 'INBOX', pageSize: 20 }
  const list = () => callApi(world, operations.listMessages, { params, query })
  const { body } = await list()
  const message = String(body.messages[0].id)
  const get = () =>
    callApi(world, operations.getMessage, { params: { account: provider, message } })
  const rows: Row[] = []
  const isLimited = scene.limits !== ''
  const isPaced = isLimited && provider === 'gmail'
  for (const delayMs of isLimited ? [realisticMs] : [0, realisticMs]) {
    const { gmail, graph } = scene.fakes
    const fake = provider === 'gmail' ? gmail.fake : graph.server
    const removeDelay = fake.on('*', responseAfter(delayMs))
    const setting = delayMs === 0 ? '' : `, provider with a response time of ${delayMs} ms`
    for (const [name, work, pace] of [
      ['a message', get, paced.message],
      ['a list of 20', list, paced.list],
    ] as const) {
      const what = `${name}${setting}${scene.limits}`
      rows.push(await measure(scene, { provider, what, work, rounds: isPaced ? pace : many }))
    }
    removeDelay()
  }
  return rows
}

interface Reading {
  provider: ProviderName
  what: string
  work: () => Promise<unknown>
  rounds: Rounds
}

async function measure(scene: Scene, { provider, what, work, rounds }: Reading): Promise<Row> {
  // The first call of an API operation is not measured. It may include a read of the folders, which
  // a worker reads at most every 30 s.
  await work()
  await delay(rounds.pauseMs)
  const before = requestsOf(scene, provider).length
  await work()
  const requests = requestsOf(scene, provider)
    .slice(before)
    .filter(({ operation }) => isRead(operation))
  const needed = requests.filter(({ operation }) => !operation.endsWith('labels.get'))
  return {
    what: `${provider}, ${what} through the API, ${requests.length} requests, p50`,
    measured: await medianMs(work, rounds),
    reference: await medianMs(() => replayMs(scene, provider, needed), rounds),
    unit: ' ms',
    referenceIs: `bare client, ${needed.length} requests to the same fake`,
  }
}

/**
 * True for a provider request that reads messages. False for requests of the sync, which polls the
 * provider during the measurement.
 */
function isRead(operation: string): boolean {
  return !/history|delta|getProfile|labels\.list|GET \/mailFolders$|subscriptions/.test(operation)
}

/**
 * Fault of a provider fake that delays the responses to requests. Responses to the parts of a batch
 * are not delayed.
 */
function responseAfter(delayMs: number): ProviderFault {
  return ({ headers }) => {
    if (delayMs === 0 || headers.host === undefined) return undefined
    const gate = new DeliveryGate()
    setTimeout(() => gate.open(), delayMs)
    return { kind: 'hold', gate }
  }
}

async function medianMs(
  work: () => Promise<unknown>,
  { rounds, pauseMs }: Rounds,
): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    await delay(pauseMs)
    const from = performance.now()
    await work()
    times.push(performance.now() - from)
  }
  return percentile(times, 50)
}
