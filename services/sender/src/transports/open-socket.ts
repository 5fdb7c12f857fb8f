import { once } from 'node:events'
import { BlockList, connect, type Socket } from 'node:net'
import { AppError, messageOf } from '@posthorn/errors'
import { resolveAllowed } from '@posthorn/net'
import { DeliveryError } from '../delivery/delivery-error.ts'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Whether the other end is this machine: nobody is in between. */
export function isLoopback({ remoteAddress = '', remoteFamily }: Socket): boolean {
  return loopback.check(remoteAddress, remoteFamily === 'IPv6' ? 'ipv6' : 'ipv4')
}

/**
 * A TCP connection to a mail server, to the first of its addresses that answers. Private networks may be mail servers; metadata
 * addresses never. Without Nagle's delay, which makes a session some thirty times slower.
 *
 * @throws DeliveryError
 */
export async function openSocket(
  host: string,
  port: number,
  { timeoutMs }: { timeoutMs: number },
): Promise<Socket> {
  const deadline = AbortSignal.timeout(timeoutMs)
  try {
    const addresses = await resolveAllowed(host, 'link-local', { signal: deadline })
    let last: unknown = new Error(`${host} has no address`)
    for (const [index, { address }] of addresses.entries()) {
      // An address that does not answer leaves time for the next ones.
      const share = AbortSignal.timeout(Math.ceil(timeoutMs / (addresses.length - index + 1)) + 1)
      const signal = index === addresses.length - 1 ? deadline : AbortSignal.any([deadline, share])
      try {
        return await connectTo(address, port, signal)
      } catch (error) {
        last = error
        if (deadline.aborted) break
      }
    }
    throw last
  } catch (error) {
    throw connectError(error, host)
  }
}

async function connectTo(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  const socket = connect({
    host,
    port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
  })
  try {
    await once(socket, 'connect', { signal })
    return socket
  } catch (error) {
    socket.on('error', () => undefined)
    socket.destroy()
    throw error
  }
}

function connectError(error: unknown, host: string): DeliveryError {
  const { name, code } = error as NodeJS.ErrnoException
  const late = name === 'TimeoutError' || name === 'AbortError'
  const message = late ? `Connection to ${host} timed out` : messageOf(error)
  const known = error instanceof AppError ? error.code : code
  return new DeliveryError(
    { message, code: late ? 'ETIMEDOUT' : (known ?? 'ECONNECTION'), command: 'CONN' },
    { cause: error },
  )
}
