import { afterAll, expect, test } from '@jest/globals'
import type { ExportAccountsResult } from '@posthorn/client'
import { eventually, newSealingKeys, tapBroker } from '@posthorn/testkit'
import { Canaries, readLogs } from '../canaries.ts'
import { registration, startWorld, untilConnected } from '../world.ts'

// Two instances of Posthorn with different keys: accounts are exported from the first instance and
// imported into the second instance. The second instance then logs in to the mail server with the
// moved password.

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const keys = { old: newSealingKeys(), new: newSealingKeys() }
const env = { SVC_LOG_LEVEL: 'trace' }
const target = stack.use(
  await startWorld({
    keys: keys.new,
    env,
    names: ['api-gateway', 'auth-bridge', 'sync-worker', 'webhook-dispatcher'],
  }),
)
const source = stack.use(
  await startWorld({
    keys: keys.old,
    env,
    envByService: { 'auth-bridge': { SVC_ACCOUNT_EXPORT_KEYS: keys.new.publicKey } },
    names: ['api-gateway', 'auth-bridge'],
  }),
)
const taps = await Promise.all(
  [source, target].map(async ({ amqpUrl }) =>
    stack.use(await tapBroker(amqpUrl, { credentials: ['credentials'], events: ['#'] })),
  ),
)
const canaries = new Canaries()
const accounts = ['anna', 'ben', 'carl']
const notifyFrom = new Date().toISOString()

for (const account of accounts) {
  const registered = registration(account, target.mail.freshUser())
  const auth = { user: account, pass: canaries.get(`SMTP password of ${account}`) }
  await source.posthorn.createAccount({
    body: {
      ...registered,
      smtp: { ...registered.smtp, auth },
      paused: true,
      webhooks: target.receiver.url,
      webhooksCustomHeaders: [{ key: 'X-Key', value: canaries.get(`header of ${account}`) }],
    },
  })
}

/** Exports all accounts of the first instance, one account per page. */
async function exportAll(publicKey: string): Promise<ExportAccountsResult[]> {
  const pages: ExportAccountsResult[] = []
  for (let cursor: string | undefined; ;) {
    const page = await source.posthorn.exportAccounts({
      body: { publicKey, pageSize: 1, ...(cursor !== undefined && { cursor }) },
    })
    pages.push(page)
    if (page.nextCursor === null) return pages
    cursor = page.nextCursor
  }
}

test('moved accounts: the new instance logs in with the passwords of the old one', async () => {
  const [key] = (await target.posthorn.listKeys()).keys
  expect(key).toMatchObject({ publicKey: keys.new.publicKey, current: true })
  const pages = await exportAll(keys.new.publicKey)
  expect(pages.map(({ accounts: [transfer] }) => transfer?.account)).toEqual(accounts)
  const body = { accounts: pages.flatMap((page) => page.accounts), paused: false, notifyFrom }
  const { results } = await target.posthorn.importAccounts({ body })
  expect(results).toEqual(accounts.map((account) => ({ account, result: 'imported' })))
  for (const account of accounts) await untilConnected(target, account)
  const again = await target.posthorn.importAccounts({ body })
  expect(again.results).toEqual(accounts.map((account) => ({ account, result: 'exists' })))
  expect(canaries.find(JSON.stringify(pages))).toEqual([])
})

test('moved accounts: webhooks of the new instance have the secret header', async () => {
  const { request } = await target.webhook(
    ({ event, account }) => event === 'accountAdded' && account === 'anna',
  )
  expect(request.headers['x-key']).toBe(canaries.get('header of anna'))
})

test('exportAccounts: 403 for another key, also for the own key of the instance', async () => {
  for (const publicKey of [keys.old.publicKey, newSealingKeys().publicKey])
    await expect(source.posthorn.exportAccounts({ body: { publicKey } })).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining('SVC_ACCOUNT_EXPORT_KEYS'),
    })
})

/** Text of all logs of both instances. */
async function readAllLogs(): Promise<string> {
  const logs = await Promise.all([source, target].map(({ logDir }) => readLogs(logDir)))
  return logs.flatMap((files) => Object.values(files)).join('\n')
}

test('moved accounts: exports are logged, no secret is in logs or bus messages', async () => {
  const lines = [
    'accounts sealed for another instance',
    'account export refused, key is not listed',
  ]
  await eventually(async () => {
    const logs = await readAllLogs()
    return lines.every((line) => logs.includes(line))
  })
  const texts = [await readAllLogs(), ...taps.flatMap(({ messages }) => messages)]
  expect(taps.map(({ messages }) => messages.length > 0)).toEqual([true, true])
  expect(canaries.find(texts.join('\n'))).toEqual([])
})
