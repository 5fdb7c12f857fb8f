import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, type ReceivedRequest } from '@posthorn/testkit'
import { uniqueAccount, useSharedWorld } from '../shared-world.ts'
import { examplesOf } from './examples.ts'
import { connectionOf, jsonLines, runPosthorn } from './run-posthorn.ts'

const world = await useSharedWorld()
const cwd = await mkdtemp(join(tmpdir(), 'posthorn-cli-'))
afterAll(async () => {
  await world.posthorn.updateSettings({ body: { webhooksRetrySchedule: null } })
  await world[Symbol.asyncDispose]()
  await rm(cwd, { recursive: true })
})
const env = connectionOf(world)
const run = (line: string, change: Record<string, string> = {}) =>
  runPosthorn(line, { cwd, env: { ...env, ...change } })

/** Id of a webhook delivery in the examples of the help. */
const exampleId = '0f8fad5b-d9cb-469f-a165-70867728950e'
const accounts = ['first', 'second', 'third'].map((name) => uniqueAccount(name))
const failing: string[] = []
let stored: ReceivedRequest

/**
 * Registers accounts. The only attempt to deliver the event `accountAdded` of each account fails.
 */
beforeAll(async () => {
  await world.posthorn.updateSettings({ body: { webhooksRetrySchedule: [] } })
  world.receiver.replyWith((request) => (isAdded(request) ? { status: 500 } : {}))
  for (const account of accounts) {
    await world.register(account, world.mail.freshUser())
    const id = await eventually(async () => {
      const page = await world.posthorn.listWebhookDeliveries({ account, event: 'accountAdded' })
      return page.deliveries[0]?.id ?? false
    })
    failing.push(id)
  }
  world.receiver.replyWith(() => ({}))
  const request = world.receiver.requests.find(isAdded)
  if (!request) throw new Error('no webhook was received')
  stored = request
  await Promise.all([
    writeFile(join(cwd, 'secret.txt'), `${world.serviceSecret}\n`),
    writeFile(join(cwd, 'headers.txt'), headersOf(stored)),
    writeFile(join(cwd, 'body.json'), stored.body),
    writeFile(join(cwd, 'request.txt'), requestOf(stored.body)),
  ])
})

function isAdded(request: ReceivedRequest): boolean {
  const { event, account } = request.json() as { event: string; account: string }
  return event === 'accountAdded' && accounts.includes(account)
}

function headersOf({ headers }: ReceivedRequest): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${String(value)}\r\n`)
    .join('')
}

function requestOf(body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`POST /hook HTTP/1.1\r\n${headersOf(stored)}\r\n`), body])
}

test('webhooks failed: filters, table and JSON', async () => {
  const [account = ''] = accounts.slice(1)
  const table = await run(`posthorn webhooks failed --account ${account} --event accountAdded`)
  expect(table.stdout.split('\n')[0]).toMatch(/^DELIVERY +TIME +EVENT/)
  expect(table.stdout).toContain(failing[1])
  const json = await run(`posthorn webhooks failed --account ${account} --limit 1 --json`)
  expect(jsonLines(json)).toEqual([expect.objectContaining({ account, state: 'failed' })])
  expect(await run(`posthorn webhooks failed --account ${account} --outcome dns`)).toMatchObject({
    stdout: 'no failed webhook deliveries\n',
  })
  expect(await run('posthorn webhooks failed --since yesterday')).toMatchObject({ code: 2 })
})

test('webhooks show, retry, replay: a delivery is replayed once', async () => {
  const [, second = '', third = ''] = failing
  expect((await run(`posthorn webhooks show ${second}`)).stdout).toContain('outcome    500')
  const waited = await run(`posthorn webhooks retry ${second} --wait --json`)
  expect(jsonLines(waited)).toEqual([expect.objectContaining({ state: 'done', replayed: 1 })])
  expect(await run(`posthorn webhooks retry ${second}`)).toMatchObject({ code: 1, stdout: '' })
  expect(await run('posthorn webhooks replay')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--all'),
  })
  const { account } = await world.posthorn.getWebhookDelivery({ delivery: third })
  const before = world.receiver.requests.length
  const replayed = await run(`posthorn webhooks replay --account ${account} --wait`)
  expect(replayed.code).toBe(0)
  expect(replayed.stdout).toMatch(/^replayed [1-9]/)
  await eventually(() =>
    world.receiver.requests
      .slice(before)
      .some((request) => isAdded(request) && request.body.includes(account)),
  )
  expect(await run(`posthorn webhooks show ${exampleId}`)).toMatchObject({ code: 1 })
})

test('webhooks verify: fails for other bytes, another secret, and an age above --tolerance', async () => {
  const valid = await run('posthorn webhooks verify request.txt --secret-file secret.txt --json')
  expect(jsonLines(valid)).toEqual([expect.objectContaining({ event: 'accountAdded' })])
  await writeFile(
    join(cwd, 'changed.txt'),
    requestOf(Buffer.concat([stored.body, Buffer.from(' ')])),
  )
  const wrong = { code: 1, stdout: '', stderr: expect.stringContaining('no signature matches') }
  expect(await run('posthorn webhooks verify changed.txt --secret-file secret.txt')).toMatchObject(
    wrong,
  )
  const secret = { POSTHORN_WEBHOOK_SECRET: 'other' }
  expect(await run('posthorn webhooks verify request.txt', secret)).toMatchObject(wrong)
  const old = headersOf(stored).replace(/(webhook-timestamp: )\d+/, '$11000000000')
  await writeFile(join(cwd, 'old-headers.txt'), old)
  expect(
    await run(
      'posthorn webhooks verify --headers-file old-headers.txt --body-file body.json --secret-file secret.txt --tolerance 300',
    ),
  ).toMatchObject({ code: 1, stderr: expect.stringContaining('too far from the clock') })
  expect(await run('posthorn webhooks verify --secret-file secret.txt')).toMatchObject({ code: 2 })
  expect(await run('posthorn webhooks verify request.txt')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--secret-file'),
  })
})

// The help examples are tested last, because an example replays all failed deliveries. The examples
// of `webhooks listen` have a test of their own, because that program does not end.
test.each(examplesOf('webhooks').filter(({ command }) => command !== 'webhooks listen'))(
  '$line',
  async ({ line }) => {
    const filled = line.replace(exampleId, failing[0] ?? '').replace('anna', accounts[0] ?? '')
    const result = await run(filled)
    expect(result).toMatchObject({ code: 0, stderr: expect.not.stringContaining('posthorn:') })
  },
)
