import type { Bus } from '@posthorn/bus'
import {
  type Credentials,
  getCredentials,
  minCredentialsTimeoutMs,
} from '@posthorn/contracts/commands/credentials'
import { defined } from '@posthorn/contracts/defined'
import { AppError, isApplicationError } from '@posthorn/errors'

export type CredentialsClient = ReturnType<typeof createCredentialsClient>

interface CredentialsOptions {
  protocol: 'imap' | 'api'
  signal: AbortSignal
  fresh?: boolean
}

/**
 * Requests credentials from auth-bridge. `worker` proves that this process holds the account's
 * shard.
 */
export function createCredentialsClient(
  bus: Pick<Bus, 'whenUp' | 'request'>,
  worker: { id: string; proof: string },
) {
  return {
    /**
     * Waits for RabbitMQ, which may connect later than this service starts.
     *
     * @throws AppError `unavailable` after the timeout of a credentials request
     */
    async whenAvailable(signal: AbortSignal): Promise<void> {
      try {
        await bus.whenUp(AbortSignal.any([signal, AbortSignal.timeout(minCredentialsTimeoutMs)]))
      } catch (cause) {
        const message = 'Credentials unavailable: RabbitMQ is not connected'
        throw new AppError('unavailable', message, { cause })
      }
    },
    /** Requests the credentials of an account. With `fresh`, a cached access token is replaced. */
    async request(
      { account }: { account: string },
      { protocol, signal, fresh }: CredentialsOptions,
    ): Promise<Credentials> {
      try {
        return await bus.request(
          getCredentials,
          { account, protocol, entitlement: { worker }, ...(fresh && { fresh }) },
          { key: 'credentials', timeoutMs: minCredentialsTimeoutMs, signal },
        )
      } catch (error) {
        throw error instanceof AppError ? toAccountError(error) : error
      }
    },
  }
}

/** Converts a failed request for credentials to an error of the account. */
function toAccountError(error: AppError): AppError {
  const { kind, message, code, extras } = error
  const options = { ...defined({ code }), extras, cause: error }
  // An operator has to repair a deleted or changed OAuth2 application, not the owner of the
  // account.
  if (isApplicationError(code)) return new AppError('unreachable', message, options)
  // The account has no credentials, or its grant was rejected: the owner has to log in again.
  if (kind === 'rejected') return new AppError('unauthorized', message, options)
  return kind === 'not-found' ? new AppError('unauthorized', message, { cause: error }) : error
}
