import { gunzipSync } from 'node:zlib'
import { afterAll, expect, test } from '@jest/globals'
import { exportCompleted } from '@posthorn/contracts/events/exports'
import { withClient } from '@posthorn/local/postgres/client'
import { eventually, faultSize } from '@posthorn/testkit'
import { registerApiAccount, untilSynced } from '../audit/connect-account.ts'
import { createApiApps, followRealTime, startProviderFakes } from '../provider-fakes.ts'
import { startWorld } from '../world.ts'

// Exports of Gmail and Microsoft Graph mailboxes whose sync-worker is killed, within the limits of
// the providers.

const count = faultSize({ small: 1_300, full: 20_000 })
/**
 * Maximum time of a sync or an export. The full size of the test needs more than the quota units of
 * a minute.
 */
const maxMs = faultSize({ small: 150_000, full: 600_000 })
/** Limits per mailbox: quota units of Gmail per minute, and requests to Graph per 10 minutes. */
const limits = faultSize({ small: 1_000_000, full: 300_000 })
const graphAddress = 'jane@contoso.example'
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const fakes = stack.use(
  await startProviderFakes({
    mailboxes: [graphAddress],
    limits: { gmailUnits: limits, graphRequests: limits },
  }),
)
// The provider fakes count requests by the virtual clock, which follows the real clock here.
stack.defer(followRealTime(fakes))
const world = stack.use(
  await startWorld({
    names: ['api-gateway', 'auth-bridge', 'sync-worker', 'webhook-dispatcher'],
    env: {
      ...fakes.env,
      SVC_PROVIDER_LIMITS: JSON.stringify({
        gmail: { accountUnits: limits },
        graph: { accountUnits: limits },
      }),
    },
  }),
)
const { posthorn, services } = world
const apps = await createApiApps(world)

const source = (number: number) => {
  const head = `From: a@example.test\r\nSubject: ${number}\r\nMessage-ID: <${number}@example.test>`
  return `${head}\r\n\r\n${'Hello '.repeat(100)}\r\n`
}
const dateOf = (number: number) => Date.UTC(2024, 0, 1) + number * 60_000

function fillGmail(): string {
  const mailbox = fakes.gmail.addMailbox('jane@workspace.example')
  for (let number = 0; number < count; number++)
    mailbox.deliver(source(number), { internalDate: dateOf(number) })
  return mailbox.address
}

function fillGraph(): string {
  const mailbox = fakes.graph.mailboxOf(graphAddress)
  const folders = [0, 1, 2].map((name) => mailbox.addFolder({ name: `Project ${name}` }).id)
  for (let number = 0; number < count; number++) {
    const folderId = folders[number % folders.length] ?? ''
    mailbox.deliver({ raw: Buffer.from(source(number)), folderId, receivedAt: dateOf(number) })
  }
  return graphAddress
}

/** Kills sync-worker once some messages of an export are stored, and starts the worker again. */
async function killWorker(account: string, exportId: string): Promise<void> {
  await eventually(
    async () => {
      const { status, progress } = await posthorn.getExport({ account, exportId })
      expect(status).toBe('processing')
      expect(progress.messagesExported).toBeGreaterThan(0)
    },
    { timeoutMs: maxMs },
  )
  const name = Object.keys(services.pids).find((each) => each.startsWith('sync-worker')) ?? ''
  await services.kill(name)
  await services.start(name)
}

test.each([
  ['gmail', fillGmail],
  ['graph', fillGraph],
] as const)(
  'export of %s, worker killed: each message once, by date',
  async (provider, fill) => {
    const account = provider
    await registerApiAccount(world, { account, app: apps[provider], address: fill() })
    await untilSynced(world, account, maxMs)
    const { exportId } = await posthorn.createExport({
      account,
      body: { startDate: '2020-01-01T00:00:00.000Z', endDate: '2100-01-01T00:00:00.000Z' },
    })
    await killWorker(account, exportId)
    const { data } = await world.webhook(
      ({ event, data }) => event === exportCompleted.name && data.exportId === exportId,
      maxMs,
    )
    expect(data).toMatchObject({ messagesExported: count, messagesSkipped: 0 })
    const url = `${world.url}/v1/account/${account}/export/${exportId}/download`
    const response = await fetch(url, { headers: { authorization: `Bearer ${world.token}` } })
    const lines = gunzipSync(Buffer.from(await response.arrayBuffer()))
      .toString()
      .trimEnd()
      .split('\n')
    const subjects = lines.map((line) => (JSON.parse(line) as { subject: string }).subject)
    expect(subjects).toEqual(Array.from({ length: count }, (_, number) => `${number}`))
    const { rows } = await withClient(world.ownerUrl, (db) =>
      db.query('select event from events where account = $1 and event = $2', [
        account,
        exportCompleted.name,
      ]),
    )
    expect(rows).toHaveLength(1)
    expectNoneRefused()
  },
  3 * maxMs,
)

/** Expects that no request exceeded a limit of its mail provider. */
function expectNoneRefused(): void {
  const requests = [...fakes.gmail.fake.log, ...fakes.graph.server.log]
  const refused = requests.filter(({ status }) => status === 403 || status === 429)
  expect(refused.map(({ operation, status }) => `${status} ${operation}`)).toEqual([])
  expect([...fakes.graph.concurrency.refused.values()]).toEqual([])
}
