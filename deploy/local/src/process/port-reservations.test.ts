import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { PortReservations } from './port-reservations.ts'
import { identify } from './process-id.ts'

const dir = await mkdtemp(join(tmpdir(), 'posthorn-reservations-'))
afterAll(() => rm(dir, { recursive: true, force: true }))

test('PortReservations: a port of another process is refused until that process has ended', async () => {
  const other = spawn('sleep', ['60'])
  await once(other, 'spawn')
  await writeFile(join(dir, '3000'), JSON.stringify(identify(other.pid ?? 0)))
  await using reservations = new PortReservations(dir)
  expect(await reservations.take(3_000)).toBe(false)
  other.kill('SIGKILL')
  await once(other, 'exit')
  expect(await reservations.take(3_000)).toBe(true)
})

test('PortReservations: two systems never take one port, disposal ends reservations', async () => {
  await using first = new PortReservations(dir)
  await using second = new PortReservations(dir)
  expect(await Promise.all([first.take(3_001), second.take(3_001)])).toContain(true)
  const taken = [await first.take(3_001), await second.take(3_001)]
  expect(taken.filter(Boolean)).toHaveLength(1)
  await first[Symbol.asyncDispose]()
  await second[Symbol.asyncDispose]()
  expect(await readdir(dir)).toEqual([])
})
