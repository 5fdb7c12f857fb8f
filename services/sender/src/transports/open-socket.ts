import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { AppError, messageOf } from '@posthorn/errors'
import { type EgressPolicy, resolveAllowed } from '@posthorn/net'
import { DeliveryError, NotAttempted } from '../delivery/delivery-error.ts'

/**
 * A TCP connection to a mail server, to the first of its addresses that answers. The
 * address that was judged is the one connected to. Without Nagle's delay, which makes a session some thirty times slower.
 *
 * @throws DeliveryError; NotAttempted when the signal says so
 */
export async function openSocket(
  { host, port }: Endpoint,
  { timeoutMs, egress, signal }: { timeoutMs: number; egress: EgressPolicy; signal: AbortSignal },
): Promise<Socket> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  try {
    const addresses = await resolveAllowed(host, egress, { signal: deadline })
    return await connectToFirst(
      addresses.map(({ address }) => ({ host: address, port })),
      { deadline, timeoutMs },
    )
  } catch (error) {
    if (signal.aborted) throw new NotAttempted('called off', { cause: signal.reason })
    throw connectError(error, host)
  }
}

/** One address after the other: one that does not answer leaves time for the next ones. */
async function connectToFirst(
  addresses: Endpoint[],
  { deadline, timeoutMs }: { deadline: AbortSignal; timeoutMs: number },
): Promise<Socket> {
  const shareMs = Math.ceil(timeoutMs / Math.max(1, addresses.length))
  let last: unknown = new Error('The host has no address')
  for (const endpoint of addresses) {
    try {
      return await connectTo(endpoint, AbortSignal.any([deadline, AbortSignal.timeout(shareMs)]))
    } catch (error) {
      last = error
    }
    if (deadline.aborted) break
  }
  throw last
}

interface Endpoint {
  host: string
  port: number
}

async function connectTo(endpoint: Endpoint, signal: AbortSignal): Promise<Socket> {
  const socket = connect({
    ...endpoint,
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
