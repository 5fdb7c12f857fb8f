import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { useSharedWorld } from '../shared-world.ts'
import { examplesOf } from './examples.ts'
import { runInProcess } from './run-in-process.ts'
import { connectionOf, runPosthorn } from './run-posthorn.ts'

// Tests of the `posthorn` commands that call the API, against API servers that are not reachable,
// older, or newer.

const world = await useSharedWorld()
afterAll(() => world[Symbol.asyncDispose]())
const cwd = await mkdtemp(join(tmpdir(), 'posthorn-cli-'))
afterAll(() => rm(cwd, { recursive: true }))
const { POSTHORN_TOKEN } = connectionOf(world)

/** Runs a command line of `posthorn` in a new process. */
const runAt = (url: string, line: string) =>
  runPosthorn(line, { cwd, env: { POSTHORN_URL: url, POSTHORN_TOKEN } })

/** Runs a command line of `posthorn` in the test process. */
const runHere = (url: string, line: string) =>
  runInProcess(line, {
    cwd,
    env: { POSTHORN_URL: url, POSTHORN_TOKEN },
    files: Object.keys(files),
  })

/** Files that the examples in the help of `posthorn` name. The contents are valid. */
const files = {
  'token.txt': 'f'.repeat(64),
  'password.txt': 'secret',
  'secret.txt': 'secret',
  'account.json': '{"account": "filed", "name": "Filed"}',
  'accounts.ndjson': '{"account": "moved"}',
  'message.eml': 'Subject: Hello\r\n\r\nHello\r\n',
  'report.txt': 'Report',
  'report.pdf': '%PDF',
  'route-test.yaml': 'content: {fn: "return true"}\npayload: {event: messageNew}\n',
  'routes.yaml': '- {name: Chat, targetUrl: "https://chat.example/hook"}\n',
  'settings.json': '{"notifyText": true}',
  'settings.yaml': 'notifyText: false\n',
}
for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text)
/**
 * Help examples of the `posthorn` commands that call the API first. `import` reads the Redis first,
 * and `login` names its own server.
 */
const groups =
  'status accounts messages events send outbox exports webhooks routes tokens settings oauth2 keys'
const examples = examplesOf(...groups.split(' '))
  .filter(({ command }) => command !== 'webhooks verify')
  // Leaves out the programs that read the output of `posthorn`.
  .map(({ line }) => line.replace(/ \| .*/, ''))

/** Runs an HTTP server during a test. Returns the URL of the server. */
async function serve(stack: AsyncDisposableStack, listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  stack.defer(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/**
 * Runs command lines in the test process, all concurrently, because each command retries for 3 s.
 */
function runAllHere<T>(lines: readonly string[], run: (line: string) => Promise<T>) {
  return Promise.all(lines.map(async (line): Promise<[string, T]> => [line, await run(line)]))
}

/**
 * Runs command lines in the order of the help, at most four at a time, because each line is a
 * process.
 */
async function runAll<T>(lines: readonly string[], run: (line: string) => Promise<T>) {
  const results: [string, T][] = []
  const waiting = [...lines]
  const lane = async () => {
    for (let line = waiting.shift(); line !== undefined; line = waiting.shift())
      results.push([line, await run(line)])
  }
  await Promise.all(Array.from({ length: 4 }, lane))
  return results
}

test('every command: an unreachable server, exit code 3', async () => {
  await using stack = new AsyncDisposableStack()
  // This API server ends each connection, as a broken proxy does.
  const url = await serve(stack, (request) => request.socket.destroy())
  const results = await runAllHere(examples, async (line) => {
    const { code, stderr } = await runHere(url, line)
    return { code, hasReason: stderr.includes('no connection to the server') }
  })
  expect(results).toEqual(results.map(([line]) => [line, { code: 3, hasReason: true }]))
})

test('every command: an operation that the server does not have, exit code 1', async () => {
  await using stack = new AsyncDisposableStack()
  const stats = await world.posthorn.getStats()
  // The older API server has the operation `getStats` only.
  const url = await serve(stack, ({ url: path = '' }, response) => {
    const isKnown = path.startsWith('/v1/stats')
    const body = isKnown
      ? { ...stats, version: '0.9.0' }
      : { statusCode: 404, error: 'Not Found', message: 'Not Found' }
    response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  })
  const results = await runAllHere(
    examples.filter((line) => !line.startsWith('posthorn status')),
    async (line) => {
      const { code, stderr } = await runHere(url, line)
      return { code, namesRelease: /does not have this operation.*0\.9\.0/.test(stderr) }
    },
  )
  expect(results).toEqual(results.map(([line]) => [line, { code: 1, namesRelease: true }]))
})

/** Commands of `posthorn` that change nothing and need no entity. */
const reading = [
  'status',
  'accounts list',
  'outbox list',
  'exports list',
  'webhooks failed',
  'routes list',
  'tokens list',
  'settings get',
  'oauth2 list',
  'keys list',
].map((line) => `posthorn ${line}`)

test('commands that read: a newer server, whose responses have more members', async () => {
  await using stack = new AsyncDisposableStack()
  const url = await serve(stack, (request, response) => {
    void (async () => {
      const { method = 'GET', url: path = '', headers } = request
      const authorization = headers.authorization ?? ''
      const newer = await fetch(`${world.url}${path}`, { method, headers: { authorization } })
      response.writeHead(newer.status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(extend(await newer.json())))
    })()
  })
  const results = await runAllHere(reading, async (line) => {
    const { code, stderr } = await runHere(url, line)
    return { code, stderr }
  })
  expect(results).toEqual(results.map(([line]) => [line, { code: 0, stderr: '' }]))
})

/** Adds an unknown member to each object of an API response, as a newer server may do. */
function extend(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(extend)
  if (value === null || typeof value !== 'object') return value
  const members = Object.entries(value).map(([key, member]) => [key, extend(member)])
  return { ...Object.fromEntries(members), addedLater: { nested: [1] } }
}

test('commands that read: a reader that closes the pipe ends them without an error', async () => {
  const results = await runAll(reading, async (line) => {
    const { code, stderr } = await runAt(world.url, `${line} --json | true`)
    return { code, stderr }
  })
  expect(results).toEqual(results.map(([line]) => [line, { code: 0, stderr: '' }]))
})
