import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from '@jest/globals'
import { createGmailApi, gmailOrigin } from '@posthorn/backends/gmail'
import { createGraphApi } from '@posthorn/backends/graph'
import type { CreateMailApi } from '@posthorn/backends/mail-api'
import { ProviderLimiter } from '@posthorn/backends/provider-limiter'
import { defaultProviderLimits, forProviders } from '@posthorn/backends/provider-limits'
import { connectBus } from '@posthorn/bus'
import { cacheSettings } from '@posthorn/db'
import { createHttpCaller } from '@posthorn/net/http-caller'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import { faultSize } from '@posthorn/testkit'
import { startGraphFake } from '@posthorn/testkit/graph-fake'
import { SeededRandom } from '@posthorn/testkit/mail-api-model'
import { formFaults, RandomFaults } from '@posthorn/testkit/providers'
import { startGmailFake } from '@posthorn/testkit/providers/gmail'
import { OutcomeRecorder } from '../src/attempt/outcome-recorder.ts'
import { runAttempt } from '../src/attempt/run-attempt.ts'
import { readConfig } from '../src/config.ts'
import { claimDue } from '../src/store/claims.ts'
import { markDataSent } from '../src/store/outbox.ts'
import { MailApiTransport } from '../src/transports/mail-api/mail-api-transport.ts'
import { apiFixture, idOf } from './api-fixture.ts'
import { idIn } from './killed-senders.ts'

// Tests of sending attempts while the responses of the provider fakes are broken: TEST_SEED repeats
// a run, TEST_STEPS sets the number of messages.

const seed = Number(process.env['TEST_SEED'] ?? 1)
const messages = Number(process.env['TEST_STEPS'] ?? faultSize({ small: 50, full: 150 }))

/** Number of sending attempts of a message with broken provider responses, and without. */
const attempts = { broken: 4, whole: 4 }
const leaseMs = 60_000
const user = 'jane@mail.example'
const log = createLogger('test', 'silent')
const kinds = [...formFaults, 'reset' as const]

const gmail = await startGmailFake()
const graph = await startGraphFake({ mailboxes: [user], limits: { concurrent: 100 } })
const fixture = await apiFixture()
const { db } = fixture
const metrics = createMetrics('test')
const bus = await connectBus({ url: fixture.broker.url, name: 'test', log, metrics })
await bus.whenUp()
afterAll(async () => {
  await bus[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
  await graph[Symbol.asyncDispose]()
  await gmail[Symbol.asyncDispose]()
})
gmail.addMailbox(user)

const gmailOrigins = { [gmailOrigin]: gmail.origin }
const callerOf = (origins: Record<string, string>) =>
  // The egress policy is off: addresses of redirects are private, as the address of the provider
  // fake is.
  createHttpCaller({ policy: 'off', timeoutMs: 60_000, maxResponseBytes: 1_000_000, origins })
const callers = { gmail: callerOf(gmailOrigins), graph: callerOf(graph.origins) }

/** Mail API clients of a new process, without the pauses of earlier processes. */
function createApis(): Record<'gmail' | 'graph', CreateMailApi> {
  const limits = forProviders((provider) => ({
    ...defaultProviderLimits[provider],
    accountUnits: 1e9,
    applicationUnits: 1e9,
  }))
  // Source that lends all quota units: the faults of these tests concern responses, not quotas.
  const source = { take: () => Promise.resolve(), reportPause: () => undefined }
  const limiter = new ProviderLimiter({ limits, service: 'sender', replicas: () => 1, source })
  const delayMs = () => 1
  const common = { limiter, delayMs, findTopic: async () => undefined }
  return {
    gmail: createGmailApi({ ...common, caller: callers.gmail, mappedOrigins: gmailOrigins }),
    graph: createGraphApi({
      ...common,
      caller: callers.graph,
      mappedOrigins: graph.origins,
      findUrls: async () => undefined,
      now: Date.now,
    }),
  }
}

const config = {
  ...readConfig(fixture.env({ SVC_SENDER_FIND_SENT_TIMEOUT: '100ms' })),
  leaseMs,
}
const recorder = new OutcomeRecorder({
  db,
  settings: cacheSettings(db),
  publish: () => Promise.resolve(),
  onFiling: () => undefined,
  log,
})
afterAll(() => recorder[Symbol.asyncDispose]())

/** Runs one sending attempt of a new process. Pauses and delays of earlier attempts have ended. */
async function attempt(queueId: string, account: string): Promise<void> {
  await db.updateTable('sendingLocks').set({ pausedUntil: null }).execute()
  await db
    .updateTable('outbox')
    .set({ nextAttemptAt: new Date(0) })
    .where('queueId', '=', queueId)
    .execute()
  const options = { worker: randomUUID(), dead: [], leaseMs }
  const [submission] = await claimDue(db, [{ queueId, account, byApi: true }], options)
  if (!submission) throw new Error('submission not claimed')
  const api = new MailApiTransport({ ...config, db, bus, mailApis: createApis() })
  await runAttempt(
    {
      db,
      transports: { api, smtp: api },
      recorder,
      writeIntent: async (handover) => (await markDataSent(db, [handover], leaseMs))[0] ?? false,
      journal: { add: () => undefined, remove: () => undefined },
      log,
      timing: { leaseMs, retryBaseMs: 1 },
    },
    submission,
    { signal: new AbortController().signal, onAccepted: () => undefined },
  )
  await db.deleteFrom('sendingLocks').execute()
}

async function attemptWhileQueued(queueId: string, account: string, max: number): Promise<void> {
  const isQueued = async () => (await fixture.row(queueId)).state === 'queued'
  for (let left = max; left > 0 && (await isQueued()); left--) await attempt(queueId, account)
}

test.each([
  ['gmail', gmail.fake, () => gmail.sent.map(({ raw }) => idIn(raw))],
  ['graph', graph.server, () => graph.mailbox.sent.map(idIn)],
] as const)(
  `MailApiTransport: broken responses of %s, seed ${seed}: a message is sent once, or failed and not sent`,
  async (backend, server, sentIds) => {
    const { account } = await fixture.addAccount({ backend })
    fixture.users.set(account, user)
    fixture.tokens.set(account, gmail.grant(user))
    const random = new SeededRandom(seed)
    const faults = new RandomFaults(seed)
    server.on('*', faults.apply)
    const states: Record<string, number> = {}
    for (let count = 1; count <= messages; count++) {
      const queueId = await fixture.submit({ account, maxAttempts: 20 })
      const isOne = random.happens(0.5)
      const kind = kinds[random.below(kinds.length)] as (typeof kinds)[number]
      const probability = random.happens(0.5) ? 0.3 : 1
      const repeats = 1 + random.below(8)
      faults.start({ kinds: isOne ? [kind] : kinds, probability, repeats })
      await attemptWhileQueued(queueId, account, attempts.broken)
      faults.stop()
      await attemptWhileQueued(queueId, account, attempts.whole)
      const { state } = await fixture.row(queueId)
      const sent = sentIds().filter((id) => id === idOf(queueId))
      states[state] = (states[state] ?? 0) + 1
      if (sent.length !== (state === 'sent' ? 1 : 0) || state === 'queued')
        throw new Error(
          `seed ${seed}, message ${count}: ${state}, sent ${sent.length} times, after\n  ` +
            faults.broken.join('\n  '),
        )
    }
    // Most messages are sent, because the faults end while sending attempts remain.
    expect(states['sent'] ?? 0).toBeGreaterThan(messages / 2)
  },
  1_200_000,
)
