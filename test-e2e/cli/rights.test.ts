import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import type { CreateTokenInput } from '@posthorn/client'
import { eventually } from '@posthorn/testkit'
import { useSharedWorld } from '../shared-world.ts'
import { runInProcess } from './run-in-process.ts'
import { connectionOf, jsonLines, type PosthornResult } from './run-posthorn.ts'

const world = await useSharedWorld()
afterAll(() => world[Symbol.asyncDispose]())
const { posthorn } = world
const cwd = await mkdtemp(join(tmpdir(), 'posthorn-cli-'))
afterAll(() => rm(cwd, { recursive: true }))
await world.connectAccount('anna')
const ben = world.mail.freshUser()
await world.register('ben', ben)
await writeFile(join(cwd, 'account.json'), '{"account":"carl","name":"Carl"}')
await posthorn.uploadMessage({
  account: 'anna',
  body: { path: 'INBOX', subject: 'Invoice', text: 'It is on its way.' },
})
const message = await eventually(async () => {
  const { messages } = await posthorn.listMessages({ account: 'anna', path: 'INBOX' })
  return messages.find(({ subject }) => subject === 'Invoice')?.id ?? false
})

const tokenIds: string[] = []
afterAll(async () => {
  for (const token of tokenIds) await posthorn.deleteToken({ token }).catch(() => undefined)
})

/**
 * Creates an access token that is deleted at the end of the test file, unless a test has deleted
 * the token.
 */
async function createToken(body: CreateTokenInput['body']): Promise<{ id: string; token: string }> {
  const created = await posthorn.createToken({ body })
  tokenIds.push(created.id)
  return created
}

const { token: bound } = await createToken({ account: 'anna' })
const { token: reader } = await createToken({
  permissions: { actions: ['read'], groups: ['message'] },
})
const run = (line: string, token: string): Promise<PosthornResult> =>
  runInProcess(`posthorn ${line}`, {
    cwd,
    env: connectionOf({ url: world.url, token }),
    files: ['account.json'],
  })
const send = `send anna --to ${ben.address} --subject Hello --text x`
const failure = (problem: string, remedy: string) => ({
  code: 1,
  stdout: '',
  stderr: expect.stringMatching(new RegExp(`^posthorn: ${problem} \\(403\\)\n.*${remedy}.*\n`)),
})

test.each([
  'accounts show anna --quota',
  'accounts reconnect anna --wait',
  'accounts sync anna',
  'messages list anna --search way',
  `messages source anna ${message}`,
  send,
  'exports start anna --wait',
  'exports list anna',
  'tokens list --account anna',
])('token of an account: posthorn %s works', async (line) => {
  const { code, stdout, stderr } = await run(line, bound)
  expect(stderr).not.toContain('posthorn:')
  expect(code).toBe(0)
  expect(stdout).not.toBe('')
})

test.each([
  'status',
  'accounts list',
  'accounts add --file account.json',
  'accounts delete ben --yes',
  'messages list ben',
  'send ben --to x@mail.test --subject x --text x',
  'outbox list',
  'events tail',
  'settings set notifyText=true',
  'tokens create',
])('token of an account: posthorn %s fails, the token is bound', async (line) => {
  const result = await run(line, bound)
  expect(result).toMatchObject(failure('Unauthorized account', 'bound to another account'))
})

test.each(['exports list', 'webhooks failed', 'webhooks replay --all', 'keys list'])(
  'token without the scope *: posthorn %s fails and names the scope',
  async (line) => {
    const problem = failure('Unauthorized scope', 'no scope `\\*`')
    expect(await run(line, bound)).toMatchObject(problem)
    expect(await run(line, reader)).toMatchObject(problem)
  },
)

test('token of an account: send --wait sends the message and says that the wait failed', async () => {
  const { code, stderr, stdout } = await run(`${send} --wait`, bound)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  const [, queueId = ''] = /^queued (\S+)$/m.exec(stderr) ?? []
  expect(stderr).toContain(`the message ${queueId} is queued`)
  const entry = await eventually(async () => {
    const { state } = await posthorn.getOutboxEntry({ queueId })
    return state === 'sent' && state
  })
  expect(entry).toBe('sent')
})

test('token with permissions: reads messages of all accounts', async () => {
  const listed = await run('messages list anna --json', reader)
  expect(jsonLines<{ id: string }>(listed).map(({ id }) => id)).toContain(message)
  expect(await run('messages list ben', reader)).toMatchObject({ code: 0, stderr: '' })
  expect(await run(`messages show anna ${message}`, reader)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('It is on its way.'),
  })
})

test.each([
  ['status', 'read', 'diagnostics'],
  ['accounts list', 'read', 'account'],
  ['accounts sync anna', 'write', 'account'],
  ['accounts delete anna --yes', 'destructive', 'account'],
  [send, 'send', 'submit'],
  ['outbox list', 'read', 'outbox'],
  ['exports start anna', 'write', 'export'],
  ['events tail', 'read', 'events'],
])(
  'token with permissions: posthorn %s fails and names the permission',
  async (line, ...needed) => {
    const [action, group] = needed
    const remedy = `action \`${action}\` of the group \`${group}\``
    expect(await run(line, reader)).toMatchObject(failure('Unauthorized permission', remedy))
  },
)

test('login: a token with few rights is stored with a remark', async () => {
  for (const token of [bound, reader]) {
    const result = await run('login', token)
    expect(result).toMatchObject({ code: 0, stderr: '' })
    expect(result.stdout).toContain('some commands will fail')
    expect(result.stdout).not.toContain(token)
  }
})

test('a token that was deleted or has expired: every command names posthorn login', async () => {
  const { id, token: deleted } = await createToken({})
  await run(`tokens revoke ${id.slice(0, 12)} --yes`, world.token)
  const { token: expired } = await createToken({
    expires: new Date(Date.now() + 1_000).toISOString(),
  })
  await eventually(async () => (await run('accounts list', expired)).code === 1)
  for (const token of [deleted, expired])
    for (const line of ['status', 'messages list anna', 'login'])
      expect(await run(line, token)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/^posthorn: Bad token \(401\)\n.*`posthorn login`/),
      })
})
