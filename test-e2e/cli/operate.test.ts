import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { Posthorn } from '@posthorn/client'
import { testOpenIdProvider } from '@posthorn/testkit'
import { createOpenIdApp } from '../openid-app.ts'
import { startWorld } from '../world.ts'
import { examplesOf } from './examples.ts'
import { connectionOf, jsonLines, runPosthorn } from './run-posthorn.ts'

// The test uses its own system, because the commands change settings of the system.
const world = await startWorld()
const { posthorn } = world
const provider = await testOpenIdProvider()
const cwd = await mkdtemp(join(tmpdir(), 'posthorn-cli-'))
const env = connectionOf(world)
const app = await createOpenIdApp(world, {
  provider,
  dovecot: world.mail,
  redirectUrl: `${world.url}/oauth`,
})
await world.register('anna', world.mail.freshUser())
await writeFile(join(cwd, 'secret.txt'), `${world.serviceSecret}\n`)
await writeFile(join(cwd, 'settings.yaml'), 'webhooksAttemptLog: true\nserviceSecret: "******"\n')
let tokenId = ''
beforeEach(async () => {
  tokenId = (await posthorn.createToken({ body: { description: 'example' } })).id
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await provider.close()
  await rm(cwd, { recursive: true })
})
const run = (line: string, stdin?: string) =>
  runPosthorn(line, { cwd, env, ...(stdin === undefined ? {} : { stdin }) })

test.each(examplesOf('tokens', 'settings', 'oauth2'))('$line', async ({ line }) => {
  const withIds = line
    .replace('9f86d081884c', tokenId.slice(0, 12))
    .replace('AAABiL8tBxsAAAAB', app)
  expect(await run(withIds)).toMatchObject({
    code: 0,
    stderr: expect.not.stringContaining('posthorn:'),
  })
})

test('tokens: create prints the value only, list and show do not, revoke ends it', async () => {
  const created = await run(
    'posthorn tokens create --account anna --actions read --groups message --expires 1h',
  )
  expect(created.stdout).toMatch(/^[\da-f]{64}\n$/)
  expect(created.stderr).toContain('not shown again')
  const token = created.stdout.trim()
  const client = new Posthorn({ url: world.url, token, retryForMs: 0 })
  await client
    .listMessages({ account: 'anna', path: 'INBOX' })
    .catch((error: unknown) => expect(error).not.toMatchObject({ status: 401 }))
  const [row] = jsonLines<{ id: string }>(await run('posthorn tokens list --account anna --json'))
  const id = String(row?.id)
  const table = await run('posthorn tokens list')
  expect(table.stdout).toContain(id.slice(0, 12))
  const shown = await run(`posthorn tokens show ${id.slice(0, 12)}`)
  expect(shown.stdout).toMatch(/actions +read\n/)
  for (const { stdout } of [table, shown]) expect(stdout).not.toContain(token)
  expect(await run(`posthorn tokens show ${token}`)).toMatchObject({
    code: 1,
    stderr: expect.not.stringContaining(token),
  })
  expect(await run(`posthorn tokens revoke ${id}`)).toMatchObject({ code: 2 })
  expect(await run(`posthorn tokens revoke ${id.slice(0, 12)} --yes`)).toMatchObject({ code: 0 })
  await expect(client.listMessages({ account: 'anna', path: 'INBOX' })).rejects.toMatchObject({
    status: 401,
  })
  expect(await run('posthorn tokens create --scopes nonsense')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('scopes'),
  })
})

test('settings: get, set and a file that was stored before', async () => {
  await run(`posthorn settings set webhooksAttemptLogDays=3 serviceUrl=https://mail.example`)
  const { stdout } = await run('posthorn settings get serviceUrl webhooksAttemptLogDays')
  expect(stdout).toMatch(
    /^SETTING +VALUE\nserviceUrl +https:\/\/mail\.example\nwebhooksAttemptLogDays +3\n$/,
  )
  await run('posthorn settings get --json > stored.json')
  expect((await run('posthorn settings diff stored.json')).stdout).toBe('no differences\n')
  expect(await readFile(join(cwd, 'stored.json'), 'utf8')).not.toContain(world.serviceSecret)
  await run('posthorn settings set webhooksAttemptLogDays=null')
  const diff = await run('posthorn settings diff stored.json')
  expect(diff.stdout).toBe('webhooksAttemptLogDays: null -> 3\n')
  expect(await run('posthorn settings apply stored.json')).toMatchObject({ code: 2 })
  expect(await posthorn.getSettings({ webhooksAttemptLogDays: true })).toEqual({
    webhooksAttemptLogDays: null,
  })
  expect(await run('posthorn settings apply stored.json --yes')).toMatchObject({ code: 0 })
  expect(await posthorn.getSettings({ webhooksAttemptLogDays: true })).toEqual({
    webhooksAttemptLogDays: 3,
  })
})

test('settings: a secret is no argument and not printed', async () => {
  const refused = await run('posthorn settings set serviceSecret=hush')
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('set-secret') })
  expect(refused.stderr).not.toContain('hush')
  expect(
    await run('posthorn settings set-secret openAiAPIKey --value-file -', 'sk-hush\n'),
  ).toMatchObject({ code: 0, stdout: 'changed openAiAPIKey\n' })
  expect((await run('posthorn settings get openAiAPIKey')).stdout).toContain('(secret)')
  const diff = await run('posthorn settings diff -', 'openAiAPIKey: sk-other\n')
  expect(diff.stdout).toBe('openAiAPIKey: (secret) -> (secret)\n')
  expect(await run('posthorn settings set-secret openAiAPIKey')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--value-file'),
  })
})

test('settings: errors name the setting', async () => {
  expect(await run('posthorn settings set nonsense=1')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('nonsense'),
  })
  expect(await run('posthorn settings set webhooksAttemptLogDays=many')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('webhooksAttemptLogDays'),
  })
})

test('oauth2 verify: fails if a step of the test fails', async () => {
  const { id } = await posthorn.createOAuth2App({
    body: {
      name: 'Unreachable provider',
      provider: 'generic',
      enabled: true,
      issuer: 'http://127.0.0.1:1',
      clientId: 'a',
      clientSecret: 'hush',
      redirectUrl: `${world.url}/oauth`,
    },
  })
  const result = await run(`posthorn oauth2 verify ${id}`)
  expect(result).toMatchObject({ code: 1, stdout: expect.stringMatching(/^fail /m) })
  expect(result.stderr).toContain('failed the step')
  expect((await run(`posthorn oauth2 show ${id}`)).stdout).not.toContain('hush')
})
