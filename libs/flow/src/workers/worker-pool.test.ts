import { describe, expect, test } from '@jest/globals'
import type { TestRequest } from '../../test/pool-module.ts'
import { QueueFullError } from '../queue-full-error.ts'
import { WorkerPool, type WorkerPoolOptions } from './worker-pool.ts'

const module = new URL('../../test/pool-module.ts', import.meta.url)
const isolations = ['thread', 'process'] as const

function createPool(options: Partial<WorkerPoolOptions> = {}) {
  const defaults = { module, isolation: 'thread', timeoutMs: 10_000, maxHeapMb: 32 } as const
  return new WorkerPool<TestRequest, unknown>({ ...defaults, ...options })
}

const echo = (value: unknown): TestRequest => ({ kind: 'echo', value })

/** Failure kind of a worker error (thread or process), or the error or value itself. */
const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.catch((error: unknown) =>
    error instanceof Error && 'failure' in error ? error.failure : error,
  )

describe.each(isolations)('WorkerPool of isolation %s', (isolation) => {
  test('returns the response of each call', async () => {
    await using pool = createPool({ isolation })
    const values = Array.from({ length: 20 }, (_, index) => ({ index, bytes: new Uint8Array(2) }))
    expect(await Promise.all(values.map((value) => pool.run(echo(value))))).toEqual(values)
  })

  test('passes the start data and nothing else of this process', async () => {
    await using pool = createPool({ isolation, startData: { limit: 3 } })
    expect(await pool.run({ kind: 'startData' })).toEqual({ limit: 3 })
    expect(await pool.run({ kind: 'environment' })).toMatchObject({ env: {} })
  })

  test.each([
    ['loop', 'timeout'],
    ['heap', 'memory'],
    ['throw', 'crash'],
    ['exit', 'crash'],
  ] as const)('a call with the effect %s fails with %s, the next one succeeds', async (...args) => {
    const [kind, failure] = args
    await using pool = createPool({
      isolation,
      maxWorkers: 1,
      timeoutMs: kind === 'loop' ? 300 : 60_000,
    })
    const [failed, next] = await Promise.all([failureOf(pool.run({ kind })), pool.run(echo(1))])
    expect([failed, next]).toEqual([failure, 1])
  })

  test('a call with a timeout of its own is not ended by the timeout of the pool', async () => {
    await using pool = createPool({ isolation, maxWorkers: 1, timeoutMs: 1 })
    const timeoutMs = 60_000
    expect(await pool.run(echo(1), { timeoutMs })).toBe(1)
    await using patient = createPool({ isolation, maxWorkers: 1, timeoutMs: 600_000 })
    expect(await failureOf(patient.run({ kind: 'loop' }, { timeoutMs: 300 }))).toBe('timeout')
  })

  test('a call without CPU time fails with timeout after ten times the limit', async () => {
    await using pool = createPool({ isolation, timeoutMs: 100 })
    expect(await failureOf(pool.run({ kind: 'wait' }))).toBe('timeout')
  })

  test('a cancelled call in flight ends its worker, the next call succeeds', async () => {
    await using pool = createPool({ isolation, maxWorkers: 1 })
    const stop = new AbortController()
    await pool.run(echo('started'))
    const looping = failureOf(pool.run({ kind: 'loop' }, { signal: stop.signal }))
    const next = pool.run(echo('next'))
    stop.abort('cancelled')
    expect(await Promise.all([looping, next])).toEqual(['cancelled', 'next'])
  })

  test('a module that cannot start fails its calls with not-started', async () => {
    await using pool = createPool({ isolation, module: new URL('./missing.ts', module) })
    expect(await failureOf(pool.run(echo(1)))).toBe('not-started')
  })

  test('disposal rejects waiting, running and new calls', async () => {
    const pool = createPool({ isolation, maxWorkers: 1 })
    await pool.run(echo('started'))
    const calls = [pool.run({ kind: 'loop' }), pool.run(echo(1))].map(failureOf)
    await pool[Symbol.asyncDispose]()
    expect(await Promise.all(calls)).toEqual(['disposed', 'disposed'])
    expect(await failureOf(pool.run(echo(1)))).toBe('disposed')
  })

  test('a request that cannot be copied is rejected, and the worker stays', async () => {
    await using pool = createPool({ isolation })
    await expect(pool.run(echo(() => 1))).rejects.toThrow('could not be cloned')
    expect(await pool.run(echo(1))).toBe(1)
  })
})

test('WorkerPool: beyond maxWaiting, rejects with QueueFullError', async () => {
  await using pool = createPool({ maxWorkers: 1, maxWaiting: 1 })
  const calls = [1, 2, 3].map((value) => failureOf(pool.run(echo(value))))
  expect(await Promise.all(calls)).toEqual([1, 2, expect.any(QueueFullError)])
})

test('WorkerPool: a cancelled waiting call frees its place and is never started', async () => {
  await using pool = createPool({ maxWorkers: 1, maxWaiting: 1 })
  const stop = new AbortController()
  let started = 0
  const first = pool.run(echo(1))
  const options = { signal: stop.signal, precondition: () => void started++ }
  const waiting = failureOf(pool.run(echo(2), options))
  stop.abort('cancelled')
  const next = pool.run(echo(3))
  expect(await Promise.all([first, waiting, next])).toEqual([1, 'cancelled', 3])
  expect(await failureOf(pool.run(echo(4), options))).toBe('cancelled')
  expect(started).toBe(0)
})

test('WorkerPool: an error of the precondition rejects the call, which does not start', async () => {
  await using pool = createPool()
  const precondition = () => {
    throw new Error('not needed')
  }
  await expect(pool.run({ kind: 'throw' }, { precondition })).rejects.toThrow('not needed')
  expect(await pool.run(echo(1))).toBe(1)
})

test('WorkerPool: calls of one key leave a worker to the calls of others', async () => {
  await using pool = createPool({ maxWorkers: 2 })
  const stop = new AbortController()
  const options = { key: 'busy', signal: stop.signal }
  const busy = [1, 2, 3].map(() => failureOf(pool.run({ kind: 'loop' }, options)))
  expect(await pool.run(echo(1), { key: 'other' })).toBe(1)
  expect(await pool.run(echo(2))).toBe(2)
  stop.abort('cancelled')
  expect(await Promise.all(busy)).toEqual(['cancelled', 'cancelled', 'cancelled'])
})

test('WorkerPool: moves the parts of a request and a response that are to be transferred', async () => {
  await using pool = createPool()
  const bytes = new Uint8Array(1_000)
  const size = await pool.run({ kind: 'size', bytes }, { transfer: [bytes.buffer] })
  expect([size, bytes.length]).toEqual([1_000, 0])
  const response = await pool.run(echo(new ArrayBuffer(500)))
  expect((response as ArrayBuffer).byteLength).toBe(500)
  await using batching = createPool({ maxBatch: 2 })
  await expect(batching.run(echo(1), { transfer: [new ArrayBuffer(1)] })).rejects.toThrow(TypeError)
})

test.each(['loop', 'heap', 'throw'] as const)(
  'WorkerPool: of one message, only the call with the effect %s fails',
  async (kind) => {
    const timeoutMs = kind === 'loop' ? 500 : 60_000
    await using pool = createPool({ maxWorkers: 1, maxBatch: 8, timeoutMs })
    const requests: TestRequest[] = [echo(1), echo(2), { kind }, echo(3), echo(4)]
    await pool.run(echo(0))
    const results = await Promise.all(requests.map((request) => failureOf(pool.run(request))))
    const failure = { loop: 'timeout', heap: 'memory', throw: 'crash' }[kind]
    expect(results).toEqual([1, 2, failure, 3, 4])
  },
)

test('WorkerPool: ends idle workers and starts another one for the next call', async () => {
  await using pool = createPool({ isolation: 'process', idleMs: 1 })
  const pid = (await pool.run({ kind: 'pid' })) as number
  await hasEnded(pid)
  expect(await pool.run({ kind: 'pid' })).not.toBe(pid)
})

test('WorkerPool: replaces an idle worker that the operating system ended', async () => {
  await using pool = createPool({ isolation: 'process', maxWorkers: 1 })
  const pid = (await pool.run({ kind: 'pid' })) as number
  process.kill(pid, 'SIGKILL')
  await hasEnded(pid)
  expect(await pool.run(echo(1))).toBe(1)
})

/** Resolves when no process with the id `pid` exists, because the worker process has ended. */
async function hasEnded(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0)
    } catch {
      return
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
