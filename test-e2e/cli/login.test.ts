import { once } from 'node:events'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { useSharedWorld } from '../shared-world.ts'
import { examplesOf } from './examples.ts'
import { fillIn } from './fill-in.ts'
import { runPosthorn, startPosthorn } from './run-posthorn.ts'

const world = await useSharedWorld()
afterAll(() => world[Symbol.asyncDispose]())
const cwd = await mkdtemp(join(tmpdir(), 'posthorn-cli-'))
afterAll(() => rm(cwd, { recursive: true }))
const run = (line: string, env: Record<string, string> = {}) => runPosthorn(line, { cwd, env })
const config = join(cwd, '.config', 'posthorn', 'config.json')
await writeFile(join(cwd, 'token.txt'), `${world.token}\n`)
const lineOf = (name: string) =>
  examplesOf(name)
    .map(({ line }) => fillIn(line, { 'https://posthorn.example': world.url }))
    .join(' && ')

test('login: stores URL and token for the other commands, logout removes both', async () => {
  const { code, stdout, stderr } = await run(lineOf('login'))
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain(world.url)
  expect(stdout).not.toContain(world.token)
  expect((await stat(config)).mode & 0o777).toBe(0o600)
  expect(await run('posthorn status')).toMatchObject({ code: 0, stderr: '' })
  expect(await run(lineOf('logout'))).toMatchObject({ code: 0, stdout: `removed ${config}\n` })
  expect(await run('posthorn status')).toMatchObject({ code: 2 })
  expect(await run('posthorn logout')).toMatchObject({ code: 0, stdout: 'no login is stored\n' })
})

test('login: a token that the server rejects is not stored', async () => {
  const token = { POSTHORN_TOKEN: 'f'.repeat(64) }
  expect(await run(`posthorn login --url ${world.url}`, token)).toMatchObject({
    code: 1,
    stdout: '',
  })
  await expect(stat(config)).rejects.toMatchObject({ code: 'ENOENT' })
})

test('login: without a terminal and a token, names the option to use', async () => {
  expect(await run('posthorn login')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--url'),
  })
  expect(await run(`posthorn login --url ${world.url}`)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--token-file'),
  })
})

test('login: on a terminal, asks for URL and token and does not show the token', async () => {
  const line = `exec script -qec '"$POSTHORN_NODE" "$POSTHORN_PROGRAM" login' /dev/null`
  const child = startPosthorn(line, { cwd, env: { SHELL: '/bin/sh' } })
  let screen = ''
  child.stdout?.on('data', (chunk) => (screen += String(chunk)))
  const closed = once(child, 'close')
  await eventually(() => screen.includes('URL of the server:'))
  child.stdin?.write(`${world.url}\r`)
  await eventually(() => screen.includes('Access token:'))
  child.stdin?.write(`${world.token}\r`)
  expect((await closed)[0]).toBe(0)
  expect(screen).toContain(`stored  ${config}`)
  expect(screen).not.toContain(world.token)
  expect(await run('posthorn logout')).toMatchObject({ code: 0 })
})

test.each([
  { scopes: ['api'], code: 0, text: 'has no scope `*`' },
  {
    scopes: ['api'],
    account: 'anna',
    code: 0,
    text: 'The token has limits (Unauthorized account)',
  },
  { scopes: ['imap-proxy'], account: 'anna', code: 1, text: 'has no scope `api`' },
])('login: a token with few rights says so: $text', async ({ code, text, ...body }) => {
  await world.register('anna', world.mail.freshUser())
  const { token } = await world.posthorn.createToken({
    body: { description: 'Command line', ...body } as { description: string; scopes: ['api'] },
  })
  const result = await run(`posthorn login --url ${world.url}`, { POSTHORN_TOKEN: token })
  expect(result.stdout + result.stderr).toContain(text)
  expect(result.code).toBe(code)
})
