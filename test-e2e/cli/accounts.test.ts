import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import type { AccountRecord } from '@posthorn/client'
import { useSharedWorld } from '../shared-world.ts'
import { registration } from '../world.ts'
import { examplesOf } from './examples.ts'
import { fillIn } from './fill-in.ts'
import { connectionOf, jsonLines, runPosthorn } from './run-posthorn.ts'

const world = await useSharedWorld({ serviceUrl: 'https://posthorn.example' })
afterAll(() => world[Symbol.asyncDispose]())
const cwd = await mkdtemp(join(tmpdir(), 'posthorn-cli-'))
afterAll(() => rm(cwd, { recursive: true }))
const run = (line: string) => runPosthorn(line, { cwd, env: connectionOf(world) })
const user = world.mail.freshUser()
await writeFile(join(cwd, 'password.txt'), `${user.pass}\n`)
await writeFile(
  join(cwd, 'account.json'),
  JSON.stringify({ ...registration('filed', user), paused: true }),
)
const values = {
  'imap.example.com': `${user.host} --imap-port ${user.imapPort} --any-certificate`,
  'smtp.example.com': `${user.host} --smtp-port ${user.submissionPort}`,
  'anna@example.com': `${user.address} --user ${user.user}`,
}
afterAll(async () => {
  for (const account of ['anna', 'ben', 'filed'])
    await world.posthorn.deleteAccount({ account }).catch(() => undefined)
})

// The help examples of the other `accounts` commands need the accounts that the examples of
// `accounts add` register. The examples of `export` and `import` are in `transfer.test.ts`.
const examples = examplesOf('accounts')
  .filter(({ command }) => !['accounts export', 'accounts import'].includes(command))
  .map(({ command, line }) => ({ command, line: fillIn(line, values) }))
  .toSorted((a, b) => order(a.command) - order(b.command))

function order(command: string): number {
  return command === 'accounts add' ? 0 : command === 'accounts delete' ? 2 : 1
}

test.each(examples)('$line', async ({ line }) => {
  const { code, stdout, stderr } = await run(line)
  expect(stderr).not.toContain('posthorn:')
  expect(code).toBe(0)
  expect(stdout).not.toBe('')
  expect(stdout).not.toContain(user.pass)
})

test('accounts delete: without a terminal, needs --yes', async () => {
  expect(await run('posthorn accounts delete filed')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--yes'),
  })
  expect(await world.posthorn.getAccount({ account: 'filed' })).toMatchObject({ account: 'filed' })
})

test('accounts add: an existing account is changed with --update only', async () => {
  expect(await run('posthorn accounts add --file account.json')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--update'),
  })
  const result = await run('posthorn accounts add --file account.json --update --json')
  expect(jsonLines(result)).toEqual([{ account: 'filed', state: 'existing' }])
})

test.each([
  'accounts add x --email x@example.com --password-file password.txt',
  'accounts add x --file account.json --email x@example.com',
  'accounts add x --form',
  'accounts add x --imap-host localhost --imap-port 70000',
])('posthorn %s: is wrong, exit code 2', async (line) => {
  expect(await run(`posthorn ${line}`)).toMatchObject({ code: 2, stdout: '' })
})

test('accounts add --wait: with a wrong password, fails with the last error', async () => {
  const other = world.mail.freshUser()
  await writeFile(join(cwd, 'wrong.txt'), 'wrong')
  const line = [
    `posthorn accounts add ben --user ${other.user} --password-file wrong.txt --wait --timeout 20`,
    `--imap-host ${other.host} --imap-port ${other.imapPort} --any-certificate`,
  ].join(' ')
  const { code, stderr } = await run(line)
  expect(stderr).toMatch(/ben is (authenticationError|connectError) \(.+\) after 20 s/)
  expect(code).toBe(1)
  const shown = await run('posthorn accounts show ben')
  expect(shown.stdout).toMatch(/^last error +\S/m)
  expect(shown.stdout).toMatch(/^action +\S/m)
  const [record] = jsonLines<AccountRecord>(await run('posthorn accounts show ben --json'))
  expect(record?.imap?.auth).toEqual({ user: other.user, pass: '******' })
})

test('accounts show: an account that does not exist, exit code 1', async () => {
  expect(await run('posthorn accounts show unknown')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Account record was not found'),
  })
})
