import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { commandList } from '@posthorn/cli/commands'
import { uniqueAccount, useSharedWorld } from '../shared-world.ts'
import { examplesOf } from './examples.ts'
import { connectionOf, jsonLines, runPosthorn } from './run-posthorn.ts'

const world = await useSharedWorld()
afterAll(() => world[Symbol.asyncDispose]())
const cwd = await mkdtemp(join(tmpdir(), 'posthorn-cli-'))
afterAll(() => rm(cwd, { recursive: true }))
const env = connectionOf(world)
const run = (line: string, change: Record<string, string> = {}) =>
  runPosthorn(line, { cwd, env: { ...env, ...change } })

test('help: every command has a summary and examples', async () => {
  for (const { path, spec } of commandList()) {
    expect([path, spec.summary]).toEqual([path, expect.stringMatching(/^[A-Z].*\.$/)])
    expect([path, spec.examples.length]).toEqual([path, expect.any(Number)])
    expect(spec.examples.length).toBeGreaterThan(0)
    for (const { line } of spec.examples) expect(line).toContain(path)
  }
  const { stdout, code } = await run('posthorn --help')
  expect(code).toBe(0)
  for (const { path } of commandList()) expect(stdout).toContain(`\n  ${path.split(' ')[0]}`)
})

test('jobs: their help needs no server, other arguments are those of the job', async () => {
  for (const job of [
    'migrate',
    'admin-owner',
    'broker-users',
    'keys',
    'reseal',
    'rotate-link-secret',
  ])
    expect(await run(`posthorn ${job} --help`)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`Usage: posthorn ${job}`),
    })
  expect((await run('posthorn keys --format env')).stdout).toMatch(/^SVC_SECRET=/m)
})

test.each(examplesOf('status'))('$line', async ({ line }) => {
  expect(await run(line)).toMatchObject({ code: 0, stderr: '' })
})

test('exit codes: wrong arguments, unreachable server, refused token', async () => {
  expect(await run('posthorn')).toMatchObject({ code: 2, stdout: '' })
  expect(await run('posthorn nonsense')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('unknown command'),
  })
  expect(await run('posthorn accounts list --limit 0')).toMatchObject({ code: 2 })
  expect(await run('posthorn status --url ftp://x')).toMatchObject({ code: 2 })
  expect(await run('posthorn status', { POSTHORN_URL: '', POSTHORN_TOKEN: '' })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('posthorn login'),
  })
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port } = closed.address() as AddressInfo
  await new Promise((resolve) => closed.close(resolve))
  expect(await run('posthorn status', { POSTHORN_URL: `http://127.0.0.1:${port}` })).toMatchObject({
    code: 3,
    stdout: '',
    stderr: expect.stringContaining('no connection to the server'),
  })
  expect(await run('posthorn status', { POSTHORN_TOKEN: 'f'.repeat(64) })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('posthorn login'),
  })
})

test('output: a table for people, a JSON value per line for programs', async () => {
  const account = uniqueAccount('table')
  await world.register(account, world.mail.freshUser())
  const table = await run(`posthorn accounts list --query ${account}`)
  expect(table.code).toBe(0)
  expect(table.stdout.split('\n')[0]).toMatch(/^ACCOUNT +STATE/)
  expect(table.stdout).toContain(account)
  const json = await run(`posthorn accounts list --query ${account} --json`)
  expect(jsonLines(json)).toEqual([expect.objectContaining({ account })])
  expect(await run(`posthorn accounts list --query ${account}-none`)).toMatchObject({
    stdout: 'no accounts\n',
  })
})

test('output: a reader that closes the pipe ends the program without an error', async () => {
  expect(await run('posthorn --help | true')).toMatchObject({ code: 0, stderr: '' })
  await using api = await startEndlessList()
  expect(await run('posthorn accounts list --json | head -1', api.env)).toEqual({
    code: 0,
    stdout: `${JSON.stringify(api.account)}\n`,
    stderr: '',
  })
})

/**
 * Starts a fake API with a list of accounts that has no end, so that each pipe is full at some
 * time.
 */
async function startEndlessList() {
  const account = { account: 'x'.repeat(200) }
  const accounts = Array.from({ length: 1_000 }, () => account)
  const server = createServer(({ url = '' }, response) => {
    const page = Number(new URL(url, 'http://localhost').searchParams.get('page') ?? 0)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ page, pages: page + 2, accounts }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    account,
    env: { POSTHORN_URL: `http://127.0.0.1:${port}` },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
