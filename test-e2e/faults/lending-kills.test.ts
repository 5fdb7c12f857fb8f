import { afterAll, expect, test } from '@jest/globals'
import { eventually, faultSize } from '@posthorn/testkit'
import { type LoggedRequest, VirtualClock } from '@posthorn/testkit/providers'
import { startGmailFake } from '@posthorn/testkit/providers/gmail'
import { registerApiAccount, untilSynced } from '../audit/connect-account.ts'
import { createApiApps } from '../provider-fakes.ts'
import { startWorld } from '../world.ts'
import { submit, type Submitted } from './sending-job.ts'

// Sync-workers lend the quota units of Gmail mailboxes to senders. Processes of both services are
// killed meanwhile.

const accounts = ['one', 'two']
/** Number of messages that are submitted at first. */
const messages = faultSize({ small: 14, full: 32 })
/** Quota units of a Gmail mailbox per minute. The messages of a mailbox need most of the units. */
const accountUnits = 1_000
/**
 * Quota units of the dearest Gmail request, `drafts.send`: largest debt of a sync-worker, burst of
 * the reserve.
 */
const maxCost = 100
/** Quota units of a Gmail mailbox that may be used immediately. */
const burst = accountUnits / 8 + 2 * maxCost
const unitsPerMs = accountUnits / 60_000
/**
 * Time in milliseconds for which Gmail requests may be delayed on a busy machine after their quota
 * units were taken from the mailbox.
 */
const delayedMs = 10_000

const victims = ['sender', 'sync-worker', 'sender-2', 'sender', 'sync-worker-2', 'sender-2']
const kills = faultSize({ small: 8, full: 20 })

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const gmail = stack.use(await startGmailFake({ clock: new VirtualClock(new Date()) }))
const origins = ['gmail', 'oauth2', 'www'].map(
  (name) => `https://${name}.googleapis.com=${gmail.origin}`,
)
const world = stack.use(
  await startWorld({
    names: ['api-gateway', 'auth-bridge', 'sync-worker', 'sender'],
    replicas: { 'sync-worker': 2, sender: 2 },
    env: {
      SVC_PROVIDER_ORIGINS: origins.join(','),
      SVC_PROVIDER_LIMITS: JSON.stringify({ gmail: { accountUnits } }),
      SVC_API_POLL_INTERVAL: '5s',
      SVC_WORKER_HEARTBEAT: '1s',
      SVC_WORKER_CLAIM_INTERVAL: '250ms',
      SVC_SENDER_LEASE: '2s',
    },
  }),
)

/** Used quota units by Gmail mailbox, with the times at which their requests arrived in ms. */
const used = new Map<string, { at: number; units: number }[]>()
gmail.on('*', (request) => {
  const { address } = gmail.findGrant(request) ?? {}
  const { units } = request as LoggedRequest
  if (address === undefined || units === 0) return undefined
  used.set(address, [...(used.get(address) ?? []), { at: performance.now(), units }])
  return undefined
})

/**
 * Most quota units of a mailbox above its permitted pace, in the period in which there were most.
 */
function mostAbovePace(requests: readonly { at: number; units: number }[]): number {
  let [most, above, before] = [0, 0, 0]
  for (const { at, units } of requests) {
    above = Math.max(0, above - (at - before) * unitsPerMs) + units
    before = at
    most = Math.max(most, above)
  }
  return most
}

/**
 * Kills processes of sender and sync-worker in turn, each while a message is sent. Killed processes
 * start again.
 */
async function killWhileSending(): Promise<void> {
  const starts = new Map<string, Promise<void>>()
  for (let at = 0; at < kills; at++) {
    const name = victims[at % victims.length] ?? ''
    const method = at % 2 === 0 ? 'drafts.create' : 'drafts.send'
    await starts.get(name)
    const killed = Promise.withResolvers<void>()
    const remove = gmail.on(method, () => {
      remove()
      killed.resolve(world.services.kill(name))
      // Gmail executes the request of the killed process, except for every fourth request.
      return at % 4 === 3 ? { kind: 'reset', phase: 'before' } : undefined
    })
    await killed.promise
    starts.set(name, world.services.start(name))
  }
  await Promise.all(starts.values())
}

const messageIdOf = (source: Buffer) =>
  /^Message-ID: (.+?)\r$/im.exec(source.toString('latin1'))?.[1] ?? ''

test('sync-workers and senders are killed in turn while units are lent: each message is sent once, within the limits', async () => {
  const apps = await createApiApps(world)
  for (const account of accounts) {
    const address = `${account}@workspace.example`
    gmail.addMailbox(address)
    await registerApiAccount(world, { account, app: apps.gmail, address })
  }
  for (const account of accounts) await untilSynced(world, account)
  const startedAt = performance.now()
  const submitted: Promise<Submitted>[] = []
  const submitNext = () =>
    void submitted.push(submit(world, accounts[submitted.length % accounts.length] ?? ''))
  for (let at = 0; at < messages; at++) submitNext()
  // Further messages are submitted if not all kills have taken place.
  const stopSubmitting = gmail.on('drafts.send', () => {
    if (submitted.length - gmail.sent.length < accounts.length * 2) submitNext()
    return undefined
  })
  await killWhileSending()
  stopSubmitting()
  const expected = (await Promise.all(submitted)).map(({ messageId }) => messageId)
  await eventually(async () => expect(await statesOf()).toEqual(['sent']), { timeoutMs: 600_000 })
  const seconds = Math.round((performance.now() - startedAt) / 1_000)
  const above = [...used.values()].map((requests) => Math.round(mostAbovePace(requests)))
  process.stdout.write(
    `lending: ${gmail.sent.length} messages, ${seconds} s, ${above.join(' and ')} units above\n`,
  )
  expect(gmail.sent.map(({ raw }) => messageIdOf(raw)).toSorted()).toEqual(expected.toSorted())
  expect(used.size).toBe(accounts.length)
  const bound = burst + delayedMs * unitsPerMs
  for (const each of above) expect(each).toBeLessThanOrEqual(bound)
  // Without the limits of the services, the quota units of each mailbox would exceed the bound.
  for (const requests of used.values())
    expect(requests.reduce((sum, { units }) => sum + units, 0)).toBeGreaterThan(1.5 * bound)
}, 1_200_000)

/** Different states of the submissions in the outbox. */
async function statesOf(): Promise<string[]> {
  const rows = await world.database.query<{ state: string }>('select distinct state from outbox')
  return rows.map(({ state }) => state)
}
