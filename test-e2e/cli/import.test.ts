import { createHmac, randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { Sealer, StoreWriter } from '@posthorn/emailengine/test-store'
import { eventually, startTestRedis } from '@posthorn/testkit'
import { readLogs } from '../canaries.ts'
import { startWorld } from '../world.ts'
import { examplesOf } from './examples.ts'
import { PosthornProcess } from './posthorn-process.ts'
import { runInProcess } from './run-in-process.ts'
import { connectionOf, jsonLines, runPosthorn, startPosthorn } from './run-posthorn.ts'

// Imports the store of an EmailEngine instance into a running system, and uses what clients and
// receivers of EmailEngine know: tokens, header names, signatures and links.

const world = await startWorld({ replicas: { 'api-gateway': 2 } })
afterAll(() => world[Symbol.asyncDispose]())
const { posthorn } = world
const redis = await startTestRedis()
afterAll(() => redis.destroy())
const cwd = await mkdtemp(join(tmpdir(), 'posthorn-import-'))
afterAll(() => rm(cwd, { recursive: true }))

const secret = 'the secret of the encryption'
const serviceSecret = randomBytes(16).toString('hex')
const token = { all: randomBytes(32).toString('hex'), bound: randomBytes(32).toString('hex') }
const password = 'secret'
const sealer = new Sealer(secret)
const url = `${redis.url}/0`
const app = 'AAABkqapp0000001'
const template = 'AAABgS-UcAYAAAABAA'
const accounts = 24
const ids = Array.from({ length: accounts }, (_, index) => `moved-${index}`)
await writeFile(join(cwd, 'secret.txt'), `${secret}\n`)

function mailbox(user: string): Record<string, string> {
  const auth = { user, pass: sealer.seal(password) }
  const { host, imapPort, submissionPort } = world.mail
  const server = { host, auth, secure: false, tls: { rejectUnauthorized: false } }
  return {
    name: user,
    email: `${user}@mail.test`,
    imap: JSON.stringify({ ...server, port: imapPort }),
    smtp: JSON.stringify({ ...server, port: submissionPort }),
  }
}

await using writer = await new StoreWriter(url).connect()
const users = Object.fromEntries(ids.map((id) => [id, world.mail.freshUser()]))
for (const id of ids) await writer.account(id, mailbox(users[id]?.user ?? ''))
await writer.account('broken', { imap: '{"host":', name: 'x' })
await writer.application(app, {
  name: 'Acme',
  provider: 'gmail',
  clientId: 'client-id',
  clientSecret: sealer.seal('client-secret-Zq1'),
  redirectUrl: 'https://mail.example.com/oauth',
})
await writer.gateway('relay', { name: 'Relay', host: 'relay.example.com', port: '587' })
await writer.template(template, '', {
  meta: { name: 'Welcome', format: 'html' },
  content: { subject: 'Hello {{params.name}}', text: 'Hi' },
})
await writer.route('route-1', {
  meta: { name: 'All', enabled: true, targetUrl: `${world.receiver.url}/route` },
  content: { fn: 'return payload.event === "messageNew"' },
})
await writer.blocked('news.example.com', 'carol@example.com', {
  recipient: 'carol@example.com',
  account: 'moved-0',
})
await writer.token(token.all, { description: 'all', scopes: ['api', 'metrics'] })
await writer.token(token.bound, { description: 'bound', scopes: ['api'], account: 'moved-1' })
await writer.setting('notifyTextSize', 2_048)
await writer.setting('serviceSecret', sealer.seal(serviceSecret))
await writer.setting('serviceId', 'abc')
await writer.setting(
  'smtpServerPassword',
  sealer.seal('a-password-of-the-smtp-proxy-with-40-chars'),
)

const posthornEnv = connectionOf(world)
/** Runs an import in the test process. */
const runImport = (options: string) =>
  runInProcess(`posthorn import emailengine ${options}`, {
    cwd,
    env: posthornEnv,
    files: ['secret.txt'],
  })

interface Summary {
  counts: Record<string, number | string>[]
}
function countsOf(stdout: string): Record<string, Record<string, number | string>> {
  const { counts } = jsonLines<Summary>({ stdout }).at(-1) ?? { counts: [] }
  return Object.fromEntries(counts.map((row) => [String(row['kind']), row]))
}
const outputs: string[] = []
async function importCounts(options: string) {
  const result = await runImport(`--redis ${url} --secret-file secret.txt ${options} --json`)
  outputs.push(result.stdout, result.stderr)
  expect([result.code, result.stderr]).toEqual([
    1,
    expect.stringContaining('accounts were skipped'),
  ])
  return countsOf(result.stdout)
}
const listed = async () => (await posthorn.listAccounts()).total
const isPaused = async (account: string) => (await posthorn.getAccount({ account })).paused

test('import emailengine: --dry-run reports everything and writes nothing', async () => {
  const settings = await posthorn.getSettings({ notifyTextSize: true, webhooksHeaderAlias: true })
  expect(await importCounts('--dry-run')).toMatchObject({
    applications: { imported: 1 },
    gateways: { imported: 1 },
    routes: { imported: 1 },
    accounts: { imported: accounts, skipped: 1 },
    templates: { imported: 1 },
    blocklists: { imported: 1 },
    tokens: { imported: 2, changed: 1 },
    settings: { imported: 2, skipped: 1 },
    links: { imported: 1 },
  })
  expect(await listed()).toBe(0)
  expect(await posthorn.getSettings({ notifyTextSize: true, webhooksHeaderAlias: true })).toEqual(
    settings,
  )
  expect((await posthorn.listOAuth2Apps()).total).toBe(0)
})

test('import emailengine: continues after a kill, accounts stay paused', async () => {
  const child = startPosthorn(
    `exec env "$POSTHORN_NODE" "$POSTHORN_PROGRAM" import emailengine --redis ${url} --secret-file secret.txt --paused`,
    { cwd, env: posthornEnv },
  )
  const ended = new Promise((resolve) => child.once('close', resolve))
  await eventually(async () => expect(await listed()).toBeGreaterThan(3))
  child.kill('SIGKILL')
  await ended
  const { accounts: counted = {}, ...counts } = await importCounts('--paused')
  // API requests of the killed import that arrived before the kill are completed after the kill.
  expect(Number(counted['unchanged'])).toBeGreaterThan(3)
  expect(Number(counted['unchanged']) + Number(counted['imported'])).toBe(accounts)
  expect(counts['tokens']).toMatchObject({ imported: 2 })
  expect(await listed()).toBe(accounts)
  for (const id of ids) expect([id, await isPaused(id)]).toEqual([id, true])
})

test('import emailengine: Ctrl-C ends the import, which a later run continues', async () => {
  await using other = await new StoreWriter(`${redis.url}/2`).connect()
  const later = Array.from({ length: 150 }, (_, index) => `later-${index}`)
  for (const id of later) await other.account(id, mailbox(id))
  const line = ['import', 'emailengine', '--redis', `${redis.url}/2`]
  const options = ['--secret-file', 'secret.txt', '--paused']
  await using program = new PosthornProcess([...line, ...options], { cwd, env: posthornEnv })
  const total = async () => (await posthorn.listAccounts({ query: 'later-' })).total
  await eventually(async () => expect(await total()).toBeGreaterThan(0))
  expect(await program.end('SIGINT')).toBe(130)
  expect(program.stdout).toBe('')
  const again = await runPosthorn(['posthorn', ...line, ...options].join(' '), {
    cwd,
    env: posthornEnv,
  })
  expect(again.code).toBe(0)
  expect(await total()).toBe(later.length)
})

test('import emailengine: a second run changes nothing', async () => {
  const counts = Object.values(await importCounts('--paused'))
  expect(counts).toEqual(counts.map((each) => ({ ...each, imported: 0, started: 0 })))
  expect(await posthorn.getSettings({ smtpServerPassword: true })).toMatchObject({
    smtpServerPassword: true,
  })
})

test('import emailengine: ids, tokens and the blocklist are those of EmailEngine', async () => {
  expect(await posthorn.getOAuth2App({ app })).toMatchObject({ id: app, name: 'Acme' })
  expect(await posthorn.getTemplate({ template })).toMatchObject({ name: 'Welcome' })
  expect(await posthorn.getGateway({ gateway: 'relay' })).toMatchObject({
    host: 'relay.example.com',
  })
  expect((await posthorn.getBlocklist({ listId: 'news.example.com' })).addresses).toEqual([
    expect.objectContaining({ recipient: 'carol@example.com', account: 'moved-0' }),
  ])
  const as = (value: string, account: string) =>
    fetch(`${world.url}/v1/account/${account}`, { headers: { authorization: `Bearer ${value}` } })
  expect((await as(token.all, 'moved-0')).status).toBe(200)
  expect((await as(token.bound, 'moved-1')).status).toBe(200)
  expect((await as(token.bound, 'moved-0')).status).toBe(403)
  const env = { POSTHORN_URL: world.url, POSTHORN_TOKEN: token.all }
  expect(await runPosthorn('posthorn login --json && posthorn logout', { cwd, env })).toMatchObject(
    {
      code: 0,
      stdout: expect.stringContaining('"scopes":["api"]'),
    },
  )
})

test('import emailengine: --start connects the accounts, receivers see both header names', async () => {
  const counts = await importCounts('--start')
  expect(counts['accounts']).toMatchObject({ imported: 0, started: accounts })
  await eventually(
    async () => expect((await posthorn.listAccounts({ state: 'connected' })).total).toBe(accounts),
    { timeoutMs: 120_000 },
  )
  expect((await importCounts('--start'))['accounts']).toMatchObject({ started: 0 })
  const [user] = Object.values(users)
  if (!user) throw new Error('no user')
  await posthorn.submitMessage({
    account: 'moved-0',
    body: { to: [{ address: user.address }], subject: 'After the move', text: 'x' },
  })
  const { request, body } = await world.webhook(
    ({ event, data, path }) =>
      event === 'messageNew' && path === 'INBOX' && data.subject === 'After the move',
  )
  const signature = createHmac('sha256', serviceSecret).update(body).digest('base64url')
  expect(request.headers).toMatchObject({
    'x-ee-wh-signature': signature,
    'x-svc-wh-signature': signature,
    'x-ee-wh-event-id': request.headers['x-svc-wh-event-id'],
  })
})

test('import emailengine: recipients can unsubscribe by links in mail sent before', async () => {
  const link = { act: 'unsub', acc: 'moved-0', list: 'news.example.com', rcpt: 'dan@example.com' }
  const text = JSON.stringify(link)
  const data = Buffer.from(text).toString('base64url')
  // EmailEngine signs the JSON text of a link, not the base64url form of the text.
  const sig = createHmac('sha256', serviceSecret).update(text).digest('base64url')
  const ports = Object.entries(world.services.ports)
  for (const [name, port] of ports) {
    if (!name.startsWith('api-gateway')) continue
    const response = await fetch(`http://127.0.0.1:${port}/unsubscribe?data=${data}&sig=${sig}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    })
    expect(response.status).toBe(200)
  }
  const { addresses } = await posthorn.getBlocklist({ listId: 'news.example.com' })
  expect(addresses.map(({ recipient }) => recipient)).toContain('dan@example.com')
})

test('import emailengine: no secret is printed or logged', async () => {
  const secrets = [
    secret,
    serviceSecret,
    'client-secret-Zq1',
    'a-password-of-the',
    token.all,
    token.bound,
  ]
  const logs = Object.values(await readLogs(world.logDir))
  expect(logs.join('')).toContain('tokens imported')
  for (const text of [...outputs, ...logs])
    for (const value of secrets) expect(text.includes(value)).toBe(false)
})

test('import emailengine: the examples of the help', async () => {
  await using other = await new StoreWriter(`${redis.url}/1`).connect()
  await other.setting('serviceId', 'abc')
  await other.gateway('second', { name: 'Second', host: 'relay.example.com', port: '587' })
  for (const { line } of examplesOf('import')) {
    const filled = line.replace('redis://127.0.0.1:6379/8', `${redis.url}/1`)
    const { code, stdout } = await runPosthorn(filled, { cwd, env: posthornEnv })
    expect([line, code]).toEqual([line, 0])
    expect(stdout).toMatch(/^KIND +IMPORTED +UNCHANGED/m)
  }
  expect(await posthorn.getGateway({ gateway: 'second' })).toMatchObject({ name: 'Second' })
})

test('import emailengine: wrong sources fail with a remedy and import nothing', async () => {
  for (const [options, code, text] of [
    [`--redis ${url} --secret-file secret.txt`, 2, 'choose one of'],
    [`--redis ${url} --dry-run --start`, 2, 'choose one of'],
    ['--redis redis://user:pass@127.0.0.1:6379 --dry-run', 2, '--redis-file'],
    ['--dry-run', 2, '--redis'],
    ['--redis redis://127.0.0.1:1 --dry-run', 1, 'Redis'],
    [`--redis ${redis.url}/7 --dry-run`, 1, 'no data of EmailEngine'],
    [`--redis ${url} --dry-run`, 1, 'secret'],
    [`absent.json --dry-run`, 1, 'absent.json'],
  ] as const) {
    const result = await runImport(options)
    expect([options, result.code, result.stdout]).toEqual([options, code, ''])
    expect(result.stderr).toContain(text)
    expect(result.stderr).toMatch(/^posthorn: /)
  }
})
