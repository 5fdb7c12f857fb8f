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
 * Creates the client that requests credentials from auth-bridge. The secret in `worker` proves to
 * auth-bridge that this process holds the shard of the account.
 */
export function createCredentialsClient(
  bus: Pick<Bus, 'whenUp' | 'request'>,
  worker: { id: string; proof: string },
) {
  return {
    /**
     * Waits for the connection to RabbitMQ, which may be established later than this service
     * starts.
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
    /** Requests the credentials of an account. `fresh` replaces a cached access token. */
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

/** Converts the error of a failed credentials request to an error that the account status shows. */
function toAccountError(error: AppError): AppError {
  const { kind, message, code, extras } = error
  const options = { ...defined({ code }), extras, cause: error }
  // The OAuth2 application was deleted or changed. An operator has to repair the application; a new
  // login of the account's owner would not help.
  if (isApplicationError(code)) return new AppError('unreachable', message, options)
  // The account has no credentials, or the provider rejected its grant. The owner of the account
  // has to log in again.
  if (kind === 'rejected') return new AppError('unauthorized', message, options)
  return kind === 'not-found' ? new AppError('unauthorized', message, { cause: error }) : error
}
