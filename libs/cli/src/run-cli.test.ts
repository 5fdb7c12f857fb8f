import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { json, text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { runCli } from './run-cli.ts'

interface ApiRequest {
  method: string
  path: string
  body: unknown
}
interface ApiResponse {
  status?: number
  body: object
}

const dir = mkdtempSync(join(tmpdir(), 'posthorn-run-'))
const requests: ApiRequest[] = []
let respond: (request: ApiRequest) => ApiResponse = () => ({ body: {} })
const server = createServer((request, response) => void respondTo(request, response))

async function respondTo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '' } = request
  const [path = ''] = url.split('?')
  const body = method === 'GET' ? undefined : await json(request).catch(() => undefined)
  requests.push({ method, path, body })
  const answer = respond({ method, path, body })
  response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(answer.body))
}

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterEach(() => void requests.splice(0))
afterAll(() => {
  server.closeAllConnections()
  server.close()
  rmSync(dir, { recursive: true })
})

interface RunInput {
  stdin?: Readable
  signal?: AbortSignal
  /** Number of terminal columns. If absent, the standard streams are no terminal. */
  columns?: number
}

/** Runs the command line program in this process, with the fake API of this test. */
async function run(args: readonly string[], input: RunInput = {}) {
  const { stdin = Readable.from([]), signal = new AbortController().signal, columns } = input
  const terminal = columns === undefined ? {} : { isTTY: true, columns }
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const outputs = Promise.all([text(stdout), text(stderr)])
  const { port } = server.address() as AddressInfo
  const code = await runCli(args, {
    terminal: {
      stdin: Object.assign(stdin, terminal),
      stdout: Object.assign(stdout, terminal),
      stderr: Object.assign(stderr, terminal),
      env: { HOME: dir, POSTHORN_URL: `http://127.0.0.1:${port}`, POSTHORN_TOKEN: 'token' },
    },
    version: '0',
    jobs: [],
    services: [],
    signal,
  })
  stdout.end()
  stderr.end()
  const [out, errors] = await outputs
  return { code, stdout: out, stderr: errors }
}

test.each([
  'accounts add --file -',
  'accounts add --email a@b.example --imap-host b.example --password-file -',
  'accounts import -',
  'bounce check -',
  'import emailengine x.json --dry-run --secret-file -',
  'login --url http://127.0.0.1:1 --token-file -',
  'routes apply -',
  'routes test -',
  'send anna --to b@b.example --text-file -',
  'send anna --raw -',
  'settings apply -',
  'settings set-secret openAiAPIKey --value-file -',
  'status --token-file -',
  'webhooks listen --secret-file -',
])(
  'posthorn %s: Ctrl-C ends the wait for standard input, exit code 130',
  async (line) => {
    const interrupted = new AbortController()
    const stdin = new Readable({ read: () => interrupted.abort() })
    const result = await run(line.split(' '), { stdin, signal: interrupted.signal })
    expect(result).toEqual({ code: 130, stdout: '', stderr: expect.any(String) })
  },
  20_000,
)

describe('accounts add', () => {
  const file = join(dir, 'account.json')
  beforeAll(() => writeFileSync(file, '{"account":"anna","name":"Anna","imap":{"host":"a"}}'))
  const created = { account: 'anna', state: 'new' }
  const absent = { status: 404, body: { message: 'Account was not found' } }

  test('--update --wait waits for a connection after the change', async () => {
    const syncTimes = ['2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', 'later']
    respond = ({ method }) =>
      method === 'POST'
        ? { body: { account: 'anna', state: 'existing' } }
        : { body: { account: 'anna', state: 'connected', syncTime: syncTimes.shift() } }
    const result = await run(['accounts', 'add', '--file', file, '--update', '--wait'])
    expect(result.code).toBe(0)
    expect(requests.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET', 'GET'])
  })

  test('--file --paused registers a paused account', async () => {
    respond = ({ method }) => (method === 'POST' ? { body: created } : absent)
    expect(await run(['accounts', 'add', '--file', file, '--paused'])).toMatchObject({ code: 0 })
    expect(requests.at(-1)).toMatchObject({ body: { account: 'anna', paused: true } })
  })

  test.each([
    '--email a@b.example',
    '--name Anna',
    '--user anna',
    '--password-file p.txt',
    '--autoconfig',
    '--imap-host a',
    '--imap-port 1',
    '--smtp-host a',
    '--smtp-port 1',
    '--starttls',
    '--any-certificate',
    '--form',
    '--form --redirect-url https://app.example/',
    '--redirect-url https://app.example/',
  ])('--file with %s is a wrong argument', async (options) => {
    const result = await run(['accounts', 'add', '--file', file, ...options.split(' ')])
    expect(result).toMatchObject({ code: 2, stdout: '' })
    expect(requests).toEqual([])
  })
})

test('accounts import: prints results and counts before an error', async () => {
  respond = ({ body }) => {
    const { accounts } = body as { accounts: { account: string }[] }
    if (accounts.length < 100) return { status: 400, body: { message: 'Invalid input' } }
    return { body: { results: accounts.map(({ account }) => ({ account, result: 'imported' })) } }
  }
  const lines = Array.from({ length: 150 }, (_, index) => `{"account":"a${index}"}\n`)
  const stdin = Readable.from([lines.join('')], { objectMode: false })
  const result = await run(['accounts', 'import', '-', '--json'], { stdin })
  expect(result.code).toBe(1)
  expect(result.stdout.split('\n')).toHaveLength(101)
  expect(result.stderr).toContain('100 accounts imported, 0 existed, 0 rejected')
  expect(result.stderr).toContain('Invalid input')
})

test.each<[string[], string]>([
  [['accounts', 'show', ''], 'argument is empty'],
  [['accounts', 'delete', 'anna', '', '--yes'], 'argument is empty'],
  [['tokens', 'revoke', '', '--yes'], 'argument is empty'],
  [['webhooks', 'replay', '--account', ''], 'expected a value'],
  [['exports', 'start', 'anna', '--path', ''], 'expected a value'],
  [['--url', '', 'status'], 'expected a value'],
])('%j: an empty value is a wrong argument, exit code 2', async (args, problem) => {
  const result = await run(args)
  expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(problem) })
  expect(requests).toEqual([])
})

test('send: the subject and the text may be empty', async () => {
  respond = () => ({ body: { queueId: 'q', messageId: 'm' } })
  const line = ['send', 'anna', '--to', 'b@b.example', '--subject', '', '--text', '']
  expect(await run(line)).toMatchObject({ code: 0 })
  expect(requests).toMatchObject([{ body: { subject: '', text: '' } }])
})

test('exports delete: the id .. causes an error and no request', async () => {
  expect(await run(['exports', 'delete', 'anna', '..', '--yes'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('must not be ..'),
  })
  expect(requests).toEqual([])
})

test('accounts import: the API rejects an account, the error has the number of its line', async () => {
  const path = 'accounts.1.name'
  respond = () => ({ status: 400, body: { message: 'x', fields: [{ key: path, path }] } })
  const stdin = Readable.from(['{"account":"a","name":"A"}\n\n{"account":"b"}\n'])
  expect(await run(['accounts', 'import', '-'], { stdin })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('line 3 has a missing or wrong value of name'),
  })
})

test('an unknown path without an API at the URL: the error names the URL as a remedy', async () => {
  respond = () => ({ status: 404, body: { message: 'Not Found' } })
  expect(await run(['status'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('check the URL'),
  })
})

test.each([
  ['accounts list', { accounts: [{ account: 'x'.repeat(200) }] }],
  ['oauth2 list', { apps: [{ id: 'x'.repeat(200) }] }],
  ['routes list', { webhooks: [{ id: 'x'.repeat(200) }] }],
  ['webhooks failed', { deliveries: [{ id: 'x'.repeat(200) }] }],
])('posthorn %s: ids are whole on a narrow terminal', async (line, page) => {
  respond = () => ({ body: { ...page, page: 0, pages: 1, nextCursor: null } })
  const result = await run(line.split(' '), { columns: 40 })
  expect(result.stdout.split('\n').slice(1)).toEqual(['x'.repeat(200), ''])
})

test('confirmation: control characters of an argument do not reach the terminal', async () => {
  const stdin = Object.assign(new PassThrough(), { setRawMode: () => undefined })
  stdin.write('n\r')
  const result = await run(['accounts', 'delete', 'a\u001b[2Jb'], { stdin, columns: 80 })
  expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining('a\u{fffd}[2Jb?') })
  expect(result.stderr).not.toContain('\u001b[2J')
})
