import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { newSealingKeys } from '@posthorn/testkit'
import { registration, startWorld } from '../world.ts'
import { examplesOf } from './examples.ts'
import { fillIn } from './fill-in.ts'
import { connectionOf, jsonLines, runPosthorn } from './run-posthorn.ts'

// The test system may export accounts for its own key, so that the same system imports the
// accounts.

const keys = newSealingKeys()
const world = await startWorld({
  keys,
  envByService: { 'auth-bridge': { SVC_ACCOUNT_EXPORT_KEYS: keys.publicKey } },
  names: ['api-gateway', 'auth-bridge'],
})
afterAll(() => world[Symbol.asyncDispose]())
const { posthorn } = world
const cwd = await mkdtemp(join(tmpdir(), 'posthorn-cli-'))
afterAll(() => rm(cwd, { recursive: true }))
const run = (line: string) => runPosthorn(line, { cwd, env: connectionOf(world) })
const user = world.mail.freshUser()
const accounts = Array.from({ length: 120 }, (_, index) => `moved-${1_000 + index}`)
for (const account of accounts)
  await posthorn.createAccount({ body: { ...registration(account, user), paused: true } })
const lineOf = (command: string) => {
  const [example] = examplesOf('accounts').filter((each) => each.command === command)
  return fillIn(example?.line ?? '', {
    mB3v0lqX1oJ9W5xEJt8d3k0Yw7uQ2nZc4sT6rF5aGhI: keys.publicKey,
  })
}

test.each(examplesOf('keys'))('$line', async ({ line }) => {
  expect(await run(line)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(keys.publicKey),
  })
})

test('accounts export: all accounts, without a secret in plaintext', async () => {
  expect(await run(lineOf('accounts export'))).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringContaining('exported 120 accounts'),
  })
  const text = await readFile(join(cwd, 'accounts.ndjson'), 'utf8')
  expect(jsonLines<{ account: string }>({ stdout: text }).map(({ account }) => account)).toEqual(
    accounts,
  )
  expect(text).not.toContain(user.pass)
})

test('accounts import: registers the accounts, a repeat changes nothing', async () => {
  for (const account of accounts) await posthorn.deleteAccount({ account })
  const first = await run(lineOf('accounts import'))
  expect(first.stderr).toContain('120 accounts imported, 0 existed, 0 rejected')
  expect(first.code).toBe(0)
  expect(await posthorn.getAccount({ account: 'moved-1119' })).toMatchObject({ paused: true })
  const again = await run(`${lineOf('accounts import')} --json`)
  expect(jsonLines(again)).toEqual(accounts.map((account) => ({ account, result: 'exists' })))
  expect(again.code).toBe(0)
})

test('accounts export: an account that does not exist is named, exit code 1', async () => {
  const result = await run(`posthorn accounts export moved-1000 absent --for ${keys.publicKey}`)
  expect(jsonLines(result)).toEqual([expect.objectContaining({ account: 'moved-1000' })])
  expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining('not exported: absent') })
})

test('accounts import: rejected accounts and broken lines, exit code 1', async () => {
  const text = await readFile(join(cwd, 'accounts.ndjson'), 'utf8')
  const [line = ''] = text.split('\n')
  await writeFile(join(cwd, 'other.ndjson'), line.replaceAll('moved-1000', 'renamed'))
  const rejected = await run('posthorn accounts import other.ndjson')
  expect(rejected.stdout).toMatch(/^renamed +rejected +\S/m)
  expect(rejected).toMatchObject({ code: 1, stderr: expect.stringContaining('1 account rejected') })
  await writeFile(join(cwd, 'broken.ndjson'), `${line}\n{`)
  expect(await run('posthorn accounts import broken.ndjson')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('line 2 is not valid JSON'),
  })
  expect(await run('posthorn accounts import absent.ndjson')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('absent.ndjson cannot be read'),
  })
  expect(await run('posthorn accounts import x --application a')).toMatchObject({ code: 2 })
})
