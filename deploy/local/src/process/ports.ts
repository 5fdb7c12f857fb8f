import { once } from 'node:events'
import { createServer } from 'node:net'

// Below Linux's range for outgoing connections (32768 and up): otherwise a client that keeps trying to reach a stopped server could be
// given the server's own port as its source, connect to itself, and keep the server from coming back.
const lowest = 15_000
const highest = 32_000

/** Ports nobody listens on, to be listened on soon. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest))
    if (await isFree(port)) ports.add(port)
  }
  return [...ports]
}

export async function freePort(): Promise<number> {
  return (await freePorts(1))[0] ?? 0
}

/** The first port from `wanted` upwards that nobody listens on. */
export async function freePortFrom(wanted: number): Promise<number> {
  for (let port = wanted; port < wanted + 200; port++) if (await isFree(port)) return port
  throw new Error(`no free port from ${wanted} to ${wanted + 199}`)
}

/** Whether nobody listens on it on loopback. */
export async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}
