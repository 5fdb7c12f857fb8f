import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { eventually, freePort, startWebhookReceiver, type WebhookReceiver } from '@posthorn/testkit'
import { uniqueAccount, useSharedWorld } from '../shared-world.ts'
import { examplesOf } from './examples.ts'
import { PosthornProcess } from './posthorn-process.ts'
import { runInProcess } from './run-in-process.ts'
import { connectionOf, jsonLines } from './run-posthorn.ts'

const world = await useSharedWorld()
const application = await startWebhookReceiver()
const cwd = await mkdtemp(join(tmpdir(), 'posthorn-cli-'))
const env = connectionOf(world)
beforeAll(() => writeFile(join(cwd, 'secret.txt'), world.serviceSecret))
afterEach(() => application.replyWith(() => ({})))
afterAll(async () => {
  await application.close()
  await world[Symbol.asyncDispose]()
  await rm(cwd, { recursive: true })
})

/** Starts `posthorn webhooks listen` and waits until its webhook route exists. */
async function listen(line: string, change: Record<string, string> = {}) {
  const args = ['webhooks', 'listen', ...line.split(' ').filter(Boolean)]
  const program = new PosthornProcess(args, { cwd, env: { ...env, ...change } })
  await program.printed('Webhooks are received at')
  return program
}
const listRoutes = async () => (await world.posthorn.listWebhookRoutes()).webhooks
const eventsOf = (account: string, { requests }: Pick<WebhookReceiver, 'requests'>) =>
  requests.filter((request) => (request.json() as { account: string }).account === account)
async function addAccount(): Promise<string> {
  const account = uniqueAccount('listen')
  await world.register(account, world.mail.freshUser())
  return account
}

test.each(examplesOf('webhooks').filter(({ command }) => command === 'webhooks listen'))(
  '$line',
  async ({ line }) => {
    await using program = await listen(line.replace('posthorn webhooks listen', '').trim())
    expect(await listRoutes()).toEqual([
      expect.objectContaining({ expiresAt: expect.any(String), enabled: true }),
    ])
    expect(await program.end('SIGTERM')).toBe(130)
    expect(await listRoutes()).toEqual([])
  },
)

test('forwards bytes and headers unchanged, prints each event, other targets get it as well', async () => {
  await using program = await listen(
    `--forward ${application.url} --events accountAdded --secret-file secret.txt --json`,
  )
  const account = await addAccount()
  await eventually(() => eventsOf(account, application).length > 0)
  const [forwarded] = eventsOf(account, application)
  const usual = await world.webhook(
    (hook) => hook.account === account && hook.event === 'accountAdded',
  )
  expect(forwarded?.body).toEqual(usual.body)
  for (const name of ['webhook-id', 'x-svc-wh-event-id', 'x-svc-wh-signature', 'content-type'])
    expect(forwarded?.headers[name]).toBe(usual.request.headers[name])
  expect(forwarded?.headers).not.toHaveProperty('x-posthorn-listen-key')
  expect(await program.end('SIGINT')).toBe(130)
  expect(jsonLines(program)).toContainEqual(
    expect.objectContaining({ account, event: 'accountAdded', eventId: usual.eventId }),
  )
  expect(await listRoutes()).toEqual([])
})

test('the response of the forward goes back to Posthorn, which repeats a failed webhook', async () => {
  await using program = await listen(`--forward ${application.url} --events accountAdded`)
  let failures = 1
  application.replyWith(() => ({ status: failures-- > 0 ? 503 : 200 }))
  const account = await addAccount()
  await eventually(() => eventsOf(account, application).length === 2)
  const [first, second] = eventsOf(account, application)
  expect(second?.body).toEqual(first?.body)
  expect(program.stderr).toContain('responded 503 to accountAdded')
})

test('without a forward that listens, webhooks wait in Posthorn', async () => {
  const port = await freePort()
  await using program = await listen(`--forward http://127.0.0.1:${port}/ --events accountAdded`)
  const account = await addAccount()
  await program.printed('was not forwarded')
  const [route] = await listRoutes()
  await eventually(async () => {
    const { deliveries } = await world.posthorn.listWebhookDeliveries({
      state: 'due',
      target: route?.id ?? '',
      account,
    })
    return deliveries.some(({ lastStatus }) => lastStatus === 502)
  })
})

test('a wrong secret, and requests that do not come from the route, are rejected', async () => {
  await using program = await listen('--events accountAdded', { POSTHORN_WEBHOOK_SECRET: 'wrong' })
  await addAccount()
  await program.printed('rejected a webhook: no signature matches')
  const [, url = ''] = /received at (\S+)\. /.exec(program.stderr) ?? []
  const response = await fetch(url, { method: 'POST', body: '{"event":"forged"}' })
  expect(response.status).toBe(401)
  await program.printed('does not come from the route')
  expect(program.stdout).toBe('')
})

test('after SIGKILL, the route expires', async () => {
  await using program = await listen('--account none')
  const [route] = await listRoutes()
  const life = Date.parse(route?.expiresAt ?? '') - Date.now()
  expect(life).toBeGreaterThan(0)
  expect(life).toBeLessThanOrEqual(60_000)
  await program.end('SIGKILL')
  await eventually(async () => (await listRoutes()).length === 0, { timeoutMs: 120_000 })
})

test('a route that was deleted is created again', async () => {
  await using program = await listen('--account none')
  const [route] = await listRoutes()
  await world.posthorn.deleteWebhookRoute({ webhookRoute: route?.id ?? '' })
  await program.printed('is created again')
  await eventually(async () =>
    expect(await listRoutes()).toEqual([expect.objectContaining({ enabled: true })]),
  )
  expect(await program.end('SIGINT')).toBe(130)
  expect(await listRoutes()).toEqual([])
})

test('a reader that closes the pipe ends the program and deletes the route', async () => {
  await using program = await listen('--events accountAdded')
  program.child.stdout?.destroy()
  await addAccount()
  await eventually(() => program.child.exitCode !== null)
  expect(program.child.exitCode).toBe(0)
  expect(await listRoutes()).toEqual([])
})

/** Wrong options, with an exit code and a part of the message. */
const wrong: { options: string; change?: Record<string, string>; code: number; message: string }[] =
  [
    { options: '--host 0.0.0.0', code: 2, message: '--public-url' },
    { options: '--forward ftp://x', code: 2, message: 'expected a URL' },
    { options: '--forward http://u:p@x/', code: 2, message: 'without a login' },
    {
      options: '--json',
      change: { POSTHORN_URL: 'http://127.0.0.1:1' },
      code: 3,
      message: 'no connection',
    },
    { options: '--host 192.0.2.1', code: 1, message: 'cannot listen' },
  ]
test.each(wrong)(
  '$options: $message, exit code $code',
  async ({ options, change, code, message }) => {
    const result = await runInProcess(`posthorn webhooks listen ${options}`, {
      cwd,
      env: { ...env, ...change },
      files: [],
    })
    expect(result).toMatchObject({ code, stderr: expect.stringContaining(message) })
    expect(await listRoutes()).toEqual([])
  },
)
