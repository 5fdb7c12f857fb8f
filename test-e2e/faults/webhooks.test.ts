import { afterAll, expect, test } from '@jest/globals'
import { eventually, faultSize, isFullFaultRun, recordTestEvents } from '@posthorn/testkit'
import { startWorld } from '../world.ts'
import {
  rejectOneThird,
  type ReviewResult,
  listRecordedEvents,
  reviewDeliveries,
  createTargets,
  untilDelivered,
} from './webhooks-job.ts'

/** Number of events that are recorded during a fault. */
const count = faultSize({ small: 120, full: 2_000 })
const kills = faultSize({ small: 2, full: 10 })
const timeoutMs = 240_000 + 60 * count
/**
 * Pre-counted attempts per webhook target plus calls in flight: the attempts that a killed process
 * may have counted without a call.
 */
const precountedPerTarget = 36

/** Maximum number of delivery problems that a failed test shows. */
const maxShown = 20

const dispatchers = ['webhook-dispatcher', 'webhook-dispatcher-2']
const world = await startWorld({
  servers: 'own',
  names: ['api-gateway', 'auth-bridge', 'webhook-dispatcher'],
  replicas: { 'webhook-dispatcher': dispatchers.length },
  env: { SVC_WEBHOOK_RETRY_BASE: '100ms' },
})
afterAll(() => world[Symbol.asyncDispose]())
const { postgres, rabbit, receiver, ownerUrl } = world
if (!postgres || !rabbit) throw new Error('the world must have its own servers')
const accounts = Array.from({ length: 16 }, (_, n) => `account-${n}`)
for (const account of accounts)
  await world.posthorn.createAccount({ body: { account, name: account } })
const targets = await createTargets(world)

const record = (events: number, amqpUrl?: string) =>
  recordTestEvents({ ownerUrl, accounts, ...(amqpUrl === undefined ? {} : { amqpUrl }) }, events)

/**
 * Runs a fault while the webhook receiver rejects a third of the calls, waits until all events are
 * delivered and reviews the deliveries.
 */
async function runFault(fault: () => Promise<void>): Promise<ReviewResult> {
  const before = (await listRecordedEvents(world)).length
  receiver.requests.length = 0
  const taken = rejectOneThird(world)
  await fault()
  await untilDelivered(world, timeoutMs)
  const promised = (await listRecordedEvents(world)).slice(before)
  const findings = await reviewDeliveries(world, { events: promised, targets, accepted: taken })
  const { problems, ...figures } = findings
  process.stdout.write(
    `${promised.length} events: ${JSON.stringify({ ...figures, problems: problems.length })}\n`,
  )
  return { ...findings, problems: problems.slice(0, maxShown) }
}

/** Kills a random process of webhook-dispatcher whenever more webhook requests have arrived. */
async function killAtRandom(names: readonly string[], times: number): Promise<void> {
  for (let kill = 0; kill < times; kill++) {
    const events = Math.ceil(count / times)
    const next = receiver.requests.length + Math.ceil(Math.random() * events)
    await record(events, rabbit?.amqp)
    await eventually(() => receiver.requests.length >= next, { timeoutMs })
    const victim = names[Math.floor(Math.random() * names.length)] ?? ''
    await world.services.kill(victim)
    await world.services.start(victim)
  }
}

const completed = { problems: [], countedOnly: expect.any(Number) }

test(
  'two dispatchers killed at random: every event arrives in order with correct attempt counts',
  async () => {
    const findings = await runFault(() => killAtRandom(dispatchers, Math.ceil(kills / 2)))
    expect(findings).toMatchObject(completed)
    expect(findings.countedOnly).toBeLessThanOrEqual(kills * targets.length * precountedPerTarget)
  },
  timeoutMs,
)

test(
  'one dispatcher killed at random: every event arrives in order with correct attempt counts',
  async () => {
    await world.services.stop('webhook-dispatcher-2')
    const findings = await runFault(() => killAtRandom(['webhook-dispatcher'], kills))
    await world.services.start('webhook-dispatcher-2')
    expect(findings).toMatchObject(completed)
    expect(findings.countedOnly).toBeLessThanOrEqual(kills * targets.length * precountedPerTarget)
  },
  timeoutMs,
)

/**
 * Maximum number of delivery attempts that are counted and never made. If Postgres is unavailable
 * for longer than a lease, each dispatcher takes over pre-counted attempts of the other dispatcher.
 */
const maxCountedOnly = dispatchers.length * targets.length * precountedPerTarget
const faults = [
  [
    'Postgres killed and started',
    async () => (await postgres.kill(), postgres.restart()),
    maxCountedOnly,
  ],
  [
    'RabbitMQ started with an empty disk',
    () => Promise.all([rabbit.wipe(), record(Math.ceil(count / 3))]),
    0,
  ],
  // A restart of RabbitMQ is a weaker variant of the previous fault.
  ...(isFullFaultRun ? [['RabbitMQ restarted', () => rabbit.restart(), 0] as const] : []),
] as const

test.each(faults)(
  '%s: every event arrives in order with correct attempt counts',
  async (_name, fault, maxUnmade) => {
    const part = Math.ceil(count / 3)
    const findings = await runFault(async () => {
      await record(part, rabbit.amqp)
      await eventually(() => receiver.requests.length > part / 4, { timeoutMs })
      await fault()
      await record(part, rabbit.amqp)
    })
    expect(findings).toMatchObject(completed)
    expect(findings.countedOnly).toBeLessThanOrEqual(maxUnmade)
  },
  timeoutMs,
)
