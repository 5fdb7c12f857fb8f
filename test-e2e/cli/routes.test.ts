import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { useSharedWorld } from '../shared-world.ts'
import { examplesOf } from './examples.ts'
import { connectionOf, jsonLines, runPosthorn } from './run-posthorn.ts'

const world = await useSharedWorld()
const { posthorn } = world
const cwd = await mkdtemp(join(tmpdir(), 'posthorn-cli-'))
const env = connectionOf(world)
const run = (line: string, stdin?: string) =>
  runPosthorn(line, { cwd, env, ...(stdin === undefined ? {} : { stdin }) })

const targetUrl = 'https://hooks.example/invoices'
const invoices = { name: 'Invoices', targetUrl, content: { fn: 'return false' } }
const file = `# routes of the installation
- name: Invoices
  targetUrl: ${targetUrl}
  content:
    fn: |
      return payload.event === 'messageNew'
- name: Chat
  targetUrl: https://chat.example/hook
  customHeaders: [{ key: X-Key, value: hush }]
`

async function deleteRoutes(): Promise<void> {
  const { webhooks } = await posthorn.listWebhookRoutes({ pageSize: 100 })
  for (const { id } of webhooks) await posthorn.deleteWebhookRoute({ webhookRoute: id })
}

beforeEach(async () => {
  await deleteRoutes()
  await posthorn.createWebhookRoute({ body: invoices })
  const payload = { event: 'messageNew', account: 'anna' }
  const content = {
    fn: 'logger.info("seen"); return true',
    map: 'return { text: payload.account }',
  }
  await writeFile(join(cwd, 'route-test.yaml'), JSON.stringify({ content, payload }))
  await writeFile(join(cwd, 'routes.yaml'), file)
})
afterAll(async () => {
  await deleteRoutes()
  await world[Symbol.asyncDispose]()
  await rm(cwd, { recursive: true })
})

test.each(examplesOf('routes'))('$line', async ({ line }) => {
  expect(await run(line)).toMatchObject({
    code: 0,
    stderr: expect.not.stringContaining('posthorn:'),
  })
})

test('routes list, show, errors, delete: by id and by name', async () => {
  const [route] = (await posthorn.listWebhookRoutes()).webhooks
  expect(jsonLines(await run('posthorn routes list --json'))).toEqual([route])
  const byName = await run('posthorn routes show Invoices')
  expect(byName.stdout).toContain('  return false')
  expect((await run(`posthorn routes show ${route?.id}`)).stdout).toBe(byName.stdout)
  expect(await run('posthorn routes show nothing')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('routes list'),
  })
  await posthorn.createWebhookRoute({ body: invoices })
  expect(await run('posthorn routes delete Invoices --yes')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('several routes'),
  })
  expect(await run(`posthorn routes delete ${route?.id}`)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--yes'),
  })
  expect(await run(`posthorn routes delete ${route?.id} --yes`)).toMatchObject({ code: 0 })
})

test('routes test: the result, and a failed function', async () => {
  const passed = await run('posthorn routes test route-test.yaml')
  expect(passed.stdout).toContain('seen')
  expect(passed.stdout).toContain('"text": "anna"')
  const failing = JSON.stringify({ content: { fn: 'throw new Error("oh")' }, payload: {} })
  expect(await run('posthorn routes test - --json', failing)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('"applies":false'),
    stderr: expect.stringContaining('oh'),
  })
  expect(await run('posthorn routes test -', 'content: 1')).toMatchObject({ code: 1 })
  expect(await run('posthorn routes test -', '{"a": [')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no YAML or JSON'),
  })
})

test('routes apply: creates, updates and deletes, and a second run writes only secrets', async () => {
  await posthorn.createWebhookRoute({ body: { name: 'Old', targetUrl } })
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
  await posthorn.createWebhookRoute({ body: { name: 'Temporary', targetUrl, expiresAt } })
  const names = async () => (await posthorn.listWebhookRoutes()).webhooks.map(({ name }) => name)
  const before = await names()
  const dry = await run('posthorn routes apply routes.yaml --dry-run')
  expect(dry.stdout).toBe('update  Invoices  (content.fn)\ncreate  Chat\ndelete  Old\n')
  expect(await run('posthorn routes apply routes.yaml')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--yes'),
  })
  expect(await names()).toEqual(before)
  const applied = await run('posthorn routes apply routes.yaml --yes --json')
  expect(jsonLines(applied)).toMatchObject([
    { action: 'update', name: 'Invoices' },
    { action: 'create', name: 'Chat' },
    { action: 'delete', name: 'Old' },
  ])
  expect(applied.stdout).not.toContain('hush')
  expect(await names()).toEqual(['Invoices', 'Temporary', 'Chat'])
  expect((await run('posthorn routes apply routes.yaml --dry-run')).stdout).toBe(
    'update  Chat  (customHeaders)\n',
  )
  const masked = file.replace('hush', "'******'")
  expect((await run('posthorn routes apply - --dry-run', masked)).stdout).toBe('no differences\n')
})
