import { spawn } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { acquireCommandLock } from './command-lock.ts'
import { identify, isAlive, type ProcessId } from './process-id.ts'
import { recordProcess, stopRecorded, listEnded, listRunning } from './run-record.ts'

const dir = await mkdtemp(join(tmpdir(), 'posthorn-record-'))
const started: ProcessId[] = []
afterAll(async () => {
  for (const id of started) if (isAlive(id)) process.kill(id.pid, 'SIGKILL')
  await rm(dir, { recursive: true })
})

function sleeper(): ProcessId {
  const { pid = 0 } = spawn('sleep', ['60'], { stdio: 'ignore' })
  const id = identify(pid) ?? { pid, started: 'gone' }
  started.push(id)
  return id
}

test('stopRecorded: stops a recorded process once', async () => {
  const file = join(dir, 'a/record')
  const [server, service] = [sleeper(), sleeper()]
  recordProcess(file, { ...server, signal: 'SIGTERM', name: 'postgres' })
  recordProcess(file, { ...service, signal: 'SIGTERM', name: 'service sender' })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(listRunning(file).map(({ name }) => name)).toEqual(['postgres', 'service sender'])
  expect(await stopRecorded(file)).toBe(2)
  expect([isAlive(server), isAlive(service)]).toEqual([false, false])
  expect(await stopRecorded(file)).toBe(0)
})

test('stopRecorded: ignores another process with a recorded process id', async () => {
  const file = join(dir, 'b')
  const stranger = sleeper()
  recordProcess(file, { pid: stranger.pid, started: '1', signal: 'SIGKILL', name: 'long gone' })
  expect(listRunning(file)).toEqual([])
  expect(listEnded(file)).toHaveLength(1)
  expect(await stopRecorded(file)).toBe(0)
  expect(isAlive(stranger)).toBe(true)
})

test('acquireCommandLock: rejects while the holder runs', async () => {
  const file = join(dir, 'lock')
  const held = await acquireCommandLock(file, 'the command')
  await expect(acquireCommandLock(file, 'the command')).rejects.toThrow(
    `the command is already running (process ${process.pid})`,
  )
  await held[Symbol.asyncDispose]()
  await (await acquireCommandLock(file, 'the command'))[Symbol.asyncDispose]()
})

test('acquireCommandLock: replaces the lock of a dead process', async () => {
  const file = join(dir, 'stale')
  recordProcess(file, { pid: process.pid, started: '1', signal: 'SIGTERM', name: '' })
  await (await acquireCommandLock(file, 'the command'))[Symbol.asyncDispose]()
})
