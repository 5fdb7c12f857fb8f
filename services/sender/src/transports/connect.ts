import { AppError, messageOf } from '@posthorn/errors'
import { type EgressPolicy, type OpenedSocket, openSocket } from '@posthorn/net'
import { AttemptError, PreAttemptError } from './stage-errors.ts'
import type { Destination } from './transport.ts'

/**
 * A connection to the server of a target, the way the target says.
 *
 * @throws DeliveryError; NotAttempted when the signal says so
 */
export async function connectDestination(
  { host, port, proxy, localAddresses }: Destination,
  { timeoutMs, egress, signal }: { timeoutMs: number; egress: EgressPolicy; signal: AbortSignal },
): Promise<OpenedSocket> {
  const way = { localAddresses, ...(proxy === undefined ? {} : { proxy }) }
  try {
    return await openSocket({ host, port }, { timeoutMs, egress, signal, ...way })
  } catch (error) {
    if (signal.aborted) throw new PreAttemptError('called off', { cause: signal.reason })
    throw connectError(error, host)
  }
}

function connectError(error: unknown, host: string): AttemptError {
  const { name, code } = error as NodeJS.ErrnoException
  const late = name === 'TimeoutError' || name === 'AbortError'
  const message = late ? `Connection to ${host} timed out` : messageOf(error)
  const known = error instanceof AppError ? error.code : code
  return new AttemptError(
    { message, code: late ? 'ETIMEDOUT' : (known ?? 'ECONNECTION'), command: 'CONN' },
    { cause: error },
  )
}
