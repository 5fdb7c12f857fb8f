import { createServer } from 'node:net'
import { expect, test } from '@jest/globals'
import { listen, stopListening } from './listening.ts'

test('listen: a port that clients do not use as source, and that no later server gets', async () => {
  const ports = new Set<number>()
  for (let count = 0; count < 20; count++) {
    const server = createServer()
    const port = await listen(server)
    // Port numbers below the ephemeral ports of Linux, which start at 32,768.
    expect(port).toBeLessThan(32_768)
    ports.add(port)
    await stopListening(server, () => undefined)
  }
  expect(ports.size).toBe(20)
})

test('listen: a server that was closed gets its port again', async () => {
  const server = createServer()
  const port = await listen(server)
  await stopListening(server, () => undefined)
  expect(await listen(server, port)).toBe(port)
  await stopListening(server, () => undefined)
})
