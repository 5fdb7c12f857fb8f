import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test } from '@jest/globals'
import { on } from '@posthorn/bus'
import { listMailboxes } from '@posthorn/contracts/commands/mailboxes'
import { shardOf } from '@posthorn/contracts/shards'
import { hashToken } from '@posthorn/secrets'
import { eventually, serviceProgram } from '@posthorn/testkit'
import { admin, registration, testServers, untilBusIsUp } from './gateway.ts'

const servers = await testServers()
const { env } = servers
const bus = await servers.connectBus()
afterAll(async () => {
  await bus[Symbol.asyncDispose]()
  await servers.stop()
})

function start(
  more: Record<string, string> = {},
): ChildProcess & { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream } {
  const child = spawn(process.execPath, serviceProgram('api-gateway'), {
    env: { ...env, SVC_LOG_LEVEL: 'info', ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return child
}

test.each([
  ['SVC_TIMEOUT', 'soon', 'SVC_TIMEOUT: must be a duration'],
  ['DATABASE_URL', '', 'DATABASE_URL: must be set'],
  ['SVC_TRUSTED_PROXIES', '10.0.0.0/8, proxy', 'SVC_TRUSTED_PROXIES: must be IP addresses'],
  ['SVC_SETTINGS', '{"webhooks":"x"}', 'SVC_SETTINGS: "webhooks" must be a valid'],
  ['SVC_PREPARED_TOKEN', 'short', 'SVC_PREPARED_TOKEN: must be 32 to 256'],
  ['SVC_SECRET', '', 'SVC_SECRET_PUBLIC_KEY: must be set, or SVC_SECRET'],
])(
  'start: an invalid %s is named and the process exits with 1',
  async (...[name, value, reason]) => {
    const child = start({ [name]: value })
    const [output, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    expect([code, output]).toEqual([1, expect.stringContaining(reason)])
  },
)

/** Timeout for the start of an api-gateway as a child process, which is slow on a busy machine. */
const startTimeout = { timeoutMs: 120_000 }

test('SIGTERM: requests in flight complete, the process exits with 0, the log has no token and the reasons of 401', async () => {
  const release = Promise.withResolvers<void>()
  const received = Promise.withResolvers<void>()
  await bus.serve({
    queue: 'private',
    keys: [`shard.${shardOf('slow')}`],
    handlers: [
      on(listMailboxes, async () => {
        received.resolve()
        await release.promise
        return { mailboxes: [] }
      }),
    ],
  })
  const settings = {
    ofAnotherRelease: 1,
    smtpServerPassword: 'password of the proxy, of 32 characters',
  }
  // The timeouts of the API request and of the shutdown exceed the duration of this test, however
  // busy the machine is.
  const timeouts = { SVC_TIMEOUT: '5m', SVC_SHUTDOWN_TIMEOUT: '5m' }
  const child = start({ SVC_SETTINGS: JSON.stringify(settings), ...timeouts })
  const closed = once(child, 'close')
  const lines: string[] = []
  createInterface(child.stdout).on('line', (line) => lines.push(line))
  const port = await eventually(() => {
    const line = lines.find((line) => line.includes('"listening"')) ?? '{}'
    return (JSON.parse(line) as { port?: number }).port ?? null
  }, startTimeout)
  const url = `http://127.0.0.1:${port}`
  await eventually(
    async () => expect((await fetch(`${url}/health/ready`)).status).toBe(200),
    startTimeout,
  )
  // api-gateway is ready without RabbitMQ, but then rejects the request for the mailboxes.
  await untilBusIsUp(url)
  const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/json' }
  await fetch(`${url}/v1/account`, {
    method: 'POST',
    headers,
    body: JSON.stringify(registration('slow')),
  })
  const expired = 'e'.repeat(64)
  await servers.db
    .insertInto('tokens')
    .values({ id: hashToken(expired), scopes: ['api'], expiresAt: new Date(0) })
    .execute()
  const refused = async (more: Record<string, string>) => {
    const response = await fetch(`${url}/v1/accounts`, { headers: more })
    return [response.status, await response.json()]
  }
  const body = { statusCode: 401, error: 'Unauthorized' }
  expect(await refused({})).toEqual([401, { ...body, message: 'Unauthorized' }])
  const bad = { ...body, message: 'Bad token', attributes: { error: 'Bad token' } }
  for (const token of ['f'.repeat(64), expired])
    expect(await refused({ authorization: `Bearer ${token}` })).toEqual([401, bad])
  const slow = fetch(`${url}/v1/account/slow/mailboxes?access_token=${admin}`)
  await received.promise

  child.kill('SIGTERM')
  await expect(
    eventually(async () =>
      fetch(`${url}/health/live`).then(
        () => false,
        () => true,
      ),
    ),
  ).resolves.toBe(true)
  release.resolve()
  expect(await (await slow).json()).toEqual({ mailboxes: [] })
  // All log lines of the child process have arrived when the process has ended.
  expect(await closed).toEqual([0, null])
  const log = lines.join('\n')
  expect(log).toContain('"route":"/v1/account/:account/mailboxes"')
  expect(log).toContain('"settings":["ofAnotherRelease"]')
  // The log line of a response with status 401 contains the reason, which the response does not
  // contain.
  const reasons = lines.flatMap((line) => /"status":401.*"reason":"([^"]*)"/.exec(line)?.[1] ?? [])
  expect(reasons).toEqual(['no token', 'unknown token', 'expired token'])
  const { password } = new URL(env.DATABASE_URL)
  for (const secret of [admin, env.SVC_SECRET, 'pass of slow', 'password of the proxy', password])
    expect(log).not.toContain(secret)
})
