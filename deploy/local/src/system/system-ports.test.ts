import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { PortReservations } from '../process/port-reservations.ts'
import { freePort } from '../process/ports.ts'
import { allocateSystemPorts } from './system-ports.ts'

const dir = await mkdtemp(join(tmpdir(), 'posthorn-ports-'))
afterAll(() => rm(dir, { recursive: true, force: true }))

test('allocateSystemPorts: systems that start at the same time have no port in common', async () => {
  const apiFrom = await freePort()
  await using one = new PortReservations(join(dir, 'reserved'))
  await using other = new PortReservations(join(dir, 'reserved'))
  const allocated = await Promise.all(
    [one, other].map((reservations, at) =>
      allocateSystemPorts({
        dir: join(dir, `system-${at}`),
        wanted: {},
        apiFrom,
        processes: ['api-gateway', 'sender'],
        bind: '127.0.0.1',
        reservations,
      }),
    ),
  )
  const ports = allocated.flatMap(({ ports: byUse, health }) => [
    ...Object.values(byUse),
    health['sender'],
  ])
  expect(new Set(ports).size).toBe(ports.length)
  expect(allocated.map(({ ports: { api } }) => api)).toContain(apiFrom)
})
