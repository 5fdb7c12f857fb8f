import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'

const processes = new Set<{ kill(signal: NodeJS.Signals): boolean }>()
afterAll(() => processes.forEach((process) => process.kill('SIGKILL')))

/** Starts the test service run-main.ts as a process. */
function start(env: Record<string, string>) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'run-main.ts')], {
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: 'postgres://localhost/none',
      AMQP_URL: 'amqp://localhost',
      TEST_CLOSE_MS: '0',
      TEST_UNFINISHED: '0',
      ...env,
    },
  })
  processes.add(child)
  const closed = once(child, 'close')
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => (output += String(chunk)))
  return {
    async until(text: string) {
      await eventually(() => expect(output).toContain(text), { timeoutMs: 60_000 })
    },
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    async end() {
      const [code, signal] = (await closed) as [number | null, NodeJS.Signals | null]
      return { code, signal, output }
    },
  }
}

test.each(['SIGTERM', 'SIGINT'] as const)('run: %s, disposes and exits with 0', async (signal) => {
  const process = start({ TEST_CLOSE_MS: '50' })
  await process.until('started')
  process.kill(signal)
  expect(await process.end()).toEqual({ code: 0, signal: null, output: 'started\nstopping\n' })
})

test('run: work given up, logs the counts and exits with 1', async () => {
  const process = start({ TEST_UNFINISHED: '3' })
  await process.until('started')
  process.kill('SIGTERM')
  const { code, output } = await process.end()
  expect([code, output]).toEqual([1, expect.stringContaining('"unfinished":{"items":3}')])
  expect(output).toContain('"msg":"shutdown interrupted work"')
})

test('run: shutdown timeout exceeded, logs the counts and exits with 1', async () => {
  const process = start({
    TEST_CLOSE_MS: '600000',
    TEST_UNFINISHED: '2',
    SVC_SHUTDOWN_TIMEOUT: '1s',
  })
  await process.until('started')
  process.kill('SIGTERM')
  const { code, output } = await process.end()
  expect([code, output]).toEqual([1, expect.stringContaining('"unfinished":{"items":2}')])
})

test('run: second signal, exits immediately with 1', async () => {
  const process = start({ TEST_CLOSE_MS: '600000', SVC_SHUTDOWN_TIMEOUT: '1h' })
  await process.until('started')
  process.kill('SIGTERM')
  await process.until('stopping')
  process.kill('SIGTERM')
  expect(await process.end()).toMatchObject({ code: 1, signal: null })
})

test.each([
  ['SVC_DRAIN_DELAY', '-1', 'must be a duration such as 30s, 10m or 3d, got "-1"'],
  ['SVC_DRAIN_DELAY', '61m', 'must be between 0 and 1h, got "61m"'],
  ['SVC_SHUTDOWN_TIMEOUT', '2h', 'must be between 1s and 1h, got "2h"'],
  ['SVC_SHUTDOWN_TIMEOUT', '0', 'must be between 1s and 1h, got "0"'],
])(
  'run: %s=%s, names the variable, starts nothing and exits with 1',
  async (name, value, reason) => {
    const { code, output } = await start({ [name]: value }).end()
    expect([code, output]).toEqual([1, `${name}: ${reason}\n`])
  },
)
