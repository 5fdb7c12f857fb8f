import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { startWorld } from '../world.ts'
import { examplesOf } from './examples.ts'
import { connectionOf, jsonLines, runPosthorn } from './run-posthorn.ts'

// Accounts leave an instance and come back: export for the key of the instance itself.

const cwd = await mkdtemp(join(tmpdir(), 'posthorn-transfer-'))
afterAll(() => rm(cwd, { recursive: true }))
const printed = await runPosthorn('posthorn keys --format json', { cwd })
const keys = JSON.parse(printed.stdout) as { SVC_SECRET: string; SVC_SECRET_PUBLIC_KEY: string }
const publicKey = keys.SVC_SECRET_PUBLIC_KEY
const world = await startWorld({
  keys: { secret: keys.SVC_SECRET, publicKey },
  envByService: { 'auth-bridge': { SVC_ACCOUNT_EXPORT_KEYS: publicKey } },
})
afterAll(() => world[Symbol.asyncDispose]())
const { posthorn } = world
const run = (line: string) => runPosthorn(line, { cwd, env: connectionOf(world) })
const accounts = ['anna', 'ben', 'carl']
await Promise.all(accounts.map((account) => world.connectAccount(account)))
await writeFile(join(cwd, 'other-instance.key'), `${publicKey}\n`)

test.each(examplesOf('keys'))('$line', async ({ line }) => {
  expect(await run(line)).toMatchObject({ code: 0, stdout: expect.stringContaining(publicKey) })
})

test('accounts export, import: the examples move accounts, which can log in', async () => {
  const [exporting = '', importing = ''] = examplesOf('accounts')
    .filter(({ command }) => / (ex|im)port$/.test(command))
    .map(({ line }) => line)
  expect(await run(exporting)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('exported 3 accounts'),
  })
  const text = await readFile(join(cwd, 'accounts.ndjson'), 'utf8')
  expect(jsonLines<{ account: string }>({ stdout: text }).map(({ account }) => account)).toEqual(
    accounts,
  )
  expect(text).not.toContain('"secret"')
  expect(await run(importing)).toMatchObject({
    code: 0,
    stdout: 'imported 0 accounts, 3 exist already, 0 were rejected\n',
  })
  for (const account of accounts) await posthorn.deleteAccount({ account })
  expect(await run(importing)).toMatchObject({
    code: 0,
    stdout: 'imported 3 accounts, 0 exist already, 0 were rejected\n',
  })
  for (const account of accounts) {
    expect(await posthorn.getAccount({ account })).toMatchObject({ stateDetail: 'paused' })
    await posthorn.updateAccount({ account, body: { paused: false } })
  }
  await eventually(async () =>
    expect((await posthorn.listAccounts({ state: 'connected' })).total).toBe(accounts.length),
  )
})

test('accounts export: an unknown account, a key that is not listed', async () => {
  expect(await run(`posthorn accounts export anna nobody --for ${publicKey}`)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('1 of the accounts do not exist'),
  })
  const { stdout: other } = await run('posthorn keys --format json')
  const { SVC_SECRET_PUBLIC_KEY: unlisted } = JSON.parse(other) as typeof keys
  expect(await run(`posthorn accounts export --for ${unlisted}`)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('SVC_ACCOUNT_EXPORT_KEYS'),
  })
  expect(await run('posthorn accounts export')).toMatchObject({ code: 2, stdout: '' })
})

test('accounts import: a changed secret is rejected, a line without an account is wrong', async () => {
  const text = await readFile(join(cwd, 'accounts.ndjson'), 'utf8')
  await posthorn.deleteAccount({ account: 'anna' })
  const [line = ''] = text.split('\n')
  await writeFile(join(cwd, 'changed.ndjson'), line.replaceAll('anna', 'dora'))
  expect(await run('posthorn accounts import changed.ndjson')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('dora: '),
  })
  await writeFile(join(cwd, 'wrong.ndjson'), 'nonsense\n')
  expect(await run('posthorn accounts import wrong.ndjson')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('line 1'),
  })
  await expect(posthorn.getAccount({ account: 'dora' })).rejects.toMatchObject({ status: 404 })
})
