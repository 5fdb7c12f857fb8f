import type { Bus } from '@posthorn/bus'
import type {
  Credentials,
  getCredentials,
  getGatewayCredentials,
} from '@posthorn/contracts/commands/credentials'
import type { CommandRequest } from '@posthorn/contracts/define'
import { AppError } from '@posthorn/errors'
import type { AttemptFailure } from './classify-reply.ts'
import { AttemptError, PreAttemptError } from './transport.ts'

export interface CredentialsDeps {
  bus: Pick<Bus, 'request'>
  /** Timeout of a credentials request to auth-bridge, including its upstream calls. */
  credentialsMs: number
  signal: AbortSignal
}

/**
 * Requests the login of an account or gateway (shared SMTP server) from auth-bridge.
 *
 * @throws AttemptError if auth-bridge refuses the login; PreAttemptError if auth-bridge is
 * unavailable
 */
export function requestCredentials<C extends typeof getCredentials | typeof getGatewayCredentials>(
  { bus, signal, credentialsMs: timeoutMs }: CredentialsDeps,
  command: C,
  request: CommandRequest<C>,
): Promise<Credentials> {
  const work = () => bus.request(command, request, { key: 'credentials', timeoutMs, signal })
  return fromAuthBridge(work, signal, (error) => ({ message: error.message, code: codeOf(error) }))
}

/**
 * Returns the result of a request to auth-bridge. An error in the reply of auth-bridge fails the
 * sending attempt. Without a reply the attempt is not made.
 */
export async function fromAuthBridge<T>(
  request: () => Promise<T>,
  signal: AbortSignal,
  toFailure: (error: AppError) => AttemptFailure,
): Promise<T> {
  try {
    return await request()
  } catch (cause) {
    const hasReplied = cause instanceof AppError && !['unavailable', 'timeout'].includes(cause.kind)
    if (signal.aborted || !hasReplied)
      throw new PreAttemptError('credentials unavailable', { cause })
    throw new AttemptError(toFailure(cause), { cause })
  }
}

function codeOf({ code, kind }: AppError): string {
  if (code === undefined || code === 'AuthenticationFails')
    return kind === 'rejected' ? 'EAUTH' : 'ECREDENTIALS'
  return code
}
