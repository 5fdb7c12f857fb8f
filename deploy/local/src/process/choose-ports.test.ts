import { expect, test } from '@jest/globals'
import { choosePorts, type PortRequest } from './choose-ports.ts'

/** Source of ports with the next free ports in order, and ports that other processes occupy. */
function source({ free = [20_000, 20_001, 20_002], occupied = [] as number[] } = {}) {
  const left = [...free]
  return {
    take: async (port: number) => !occupied.includes(port),
    takeAny: async (from?: number) => from ?? left.shift() ?? 0,
  }
}

const api: PortRequest = { use: 'the API', isFixed: true, variable: 'POSTHORN_PORT' }
const smtp: PortRequest = { use: 'smtp-proxy', isFixed: true, variable: 'POSTHORN_SMTP_PROXY_PORT' }
const health: PortRequest = { use: 'health of smtp-proxy', isFixed: false }

test('choosePorts: a free port is never a stored one, whose server does not listen yet', async () => {
  const stored = { ...smtp, stored: 20_000 }
  expect(await choosePorts({ health, stored }, source())).toEqual({
    health: 20_001,
    stored: 20_000,
  })
})

test('choosePorts: keeps stored ports, a variable replaces one', async () => {
  const requests = {
    api: { ...api, stored: 3_000 },
    smtp: { ...smtp, stored: 16_000, wanted: 2_525 },
    health: { ...health, stored: 16_001 },
  }
  expect(await choosePorts(requests, source())).toEqual({ api: 3_000, smtp: 2_525, health: 16_001 })
})

test('choosePorts: a stored port that equals that of a variable or another one is replaced', async () => {
  const requests = {
    api: { ...api, wanted: 16_000 },
    smtp: { ...smtp, stored: 16_000 },
    first: { ...health, stored: 16_001 },
    second: { ...health, stored: 16_001 },
  }
  expect(await choosePorts(requests, source())).toEqual({
    api: 16_000,
    smtp: 20_000,
    first: 16_001,
    second: 20_001,
  })
})

test('choosePorts: replaces an occupied port unless clients know it', async () => {
  const occupied = source({ occupied: [16_000] })
  expect(await choosePorts({ health: { ...health, stored: 16_000 } }, occupied)).toEqual({
    health: 20_000,
  })
  const remedy =
    'another process listens on port 16000 of smtp-proxy: stop it, or set POSTHORN_SMTP_PROXY_PORT to another port'
  await expect(choosePorts({ smtp: { ...smtp, stored: 16_000 } }, occupied)).rejects.toThrow(remedy)
  await expect(choosePorts({ smtp: { ...smtp, wanted: 16_000 } }, occupied)).rejects.toThrow(remedy)
})

test('choosePorts: chooses the first port from the lowest one that no other use has', async () => {
  const requests = { api: { ...api, from: 3_000 }, smtp: { ...smtp, wanted: 3_000 } }
  expect(await choosePorts(requests, source())).toEqual({ api: 3_001, smtp: 3_000 })
})

test('choosePorts: rejects two variables with one port', async () => {
  const requests = { api: { ...api, wanted: 3_000 }, smtp: { ...smtp, wanted: 3_000 } }
  await expect(choosePorts(requests, source())).rejects.toThrow(
    'smtp-proxy and the API cannot both have port 3000',
  )
})
