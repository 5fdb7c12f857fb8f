import { once } from 'node:events'
import { createServer } from 'node:net'

// Ports of local servers are below Linux's range of ephemeral ports (32768 and up). A client that
// reconnects to a stopped server could otherwise get the server's port as its own source port. The
// client would then connect to itself and block the port.
const lowest = 15_000
const highest = 32_000
/**
 * Number of port ranges. Each Jest worker uses its own range, so that concurrent test files never
 * collide.
 */
const ranges = 4

/**
 * Ports of well-known services within the port ranges. Some mail servers refuse to use these ports.
 */
const refused = [15_671, 15_672, 25_672, 26_379, 27_017, 27_018, 27_019]

/**
 * Ports that this process has returned as free. Such a port is not returned twice, because its
 * server may not listen yet.
 */
const assigned = new Set<number>()

/**
 * Returns one free port per name, which a server must use immediately. Never returns a port twice.
 */
export async function freePorts<Name extends string>(
  ...names: readonly Name[]
): Promise<Record<Name, number>> {
  const entries: [Name, number][] = []
  for (const name of names) entries.push([name, await freePort()])
  return Object.fromEntries(entries) as Record<Name, number>
}

/** Returns a free port, which a server must use immediately. Never returns a port twice. */
export async function freePort(): Promise<number> {
  const worker = Number(process.env['JEST_WORKER_ID'] ?? 0)
  const size = Math.floor((highest - lowest) / ranges)
  const first = lowest + (worker % ranges) * size
  for (;;) {
    const port = first + Math.floor(Math.random() * size)
    if (refused.includes(port) || assigned.has(port)) continue
    if (!(await isFree(port)) || assigned.has(port)) continue
    assigned.add(port)
    return port
  }
}

/** Returns the lowest port from `wanted` on that has no listener. */
export async function freePortFrom(wanted: number): Promise<number> {
  for (let port = wanted; port < wanted + 200; port++) if (await isFree(port)) return port
  throw new Error(`no free port from ${wanted} to ${wanted + 199}`)
}

/** True if no process listens on the port at the address `host`. */
export async function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(port, host)
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}
