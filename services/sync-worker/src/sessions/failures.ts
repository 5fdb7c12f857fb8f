import { defined } from '@posthorn/contracts/defined'
import type { LastError } from '@posthorn/contracts/schemas/account'
import { TokenRequestInfo } from '@posthorn/contracts/schemas/token-request'
import { matches } from '@posthorn/contracts/validate'
import { AppError, type ErrorKind, messageOf } from '@posthorn/errors'
import type { MailboxRefusal } from '../drivers/account-driver.ts'
import type { StatusTrigger } from './status-transition.ts'

/** Maximum stored characters of an error response from a mail server or provider. */
const maxText = 1_000

/** Kinds of failures of a mail server or provider that do not concern the account's credentials. */
const serverFailures: ReadonlySet<ErrorKind> = new Set([
  'unreachable',
  'rejected',
  'forbidden',
  'provider',
])

/**
 * Converts a failure to a status trigger of the account: rejected credentials, or a server (or its
 * token endpoint) that cannot be used. Undefined for failures of this system (Postgres, RabbitMQ, a
 * bug). `login-response.ts` of libs/backends decides which responses of mail servers mean rejected
 * credentials.
 */
export function failureOf(
  error: unknown,
): Extract<StatusTrigger, { error: LastError }> | undefined {
  if (!(error instanceof AppError)) return undefined
  if (error.kind === 'unauthorized') {
    const failure = { kind: 'authFailed', error: describe(error) } as const
    return isAmbiguous(error) ? { ...failure, ambiguous: true } : failure
  }
  const isServerFailure = serverFailures.has(error.kind)
  return isServerFailure ? { kind: 'connectFailed', error: describe(error) } : undefined
}

/**
 * True if Exchange responded "authenticated but not connected". Either the token belongs to another
 * mailbox, or a back end of Exchange is unavailable for some minutes.
 */
function isAmbiguous(error: AppError): boolean {
  return /authenticated but not connected/i.test(responseOf(error) ?? '')
}

function responseOf({ extras }: AppError): string | undefined {
  const response = extras.info?.['response']
  return typeof response === 'string' && response !== '' ? response : undefined
}

function describe(error: AppError): LastError {
  const response = responseOf(error) ?? messageOf(error)
  const { message } = error
  return {
    response: response.slice(0, maxText),
    ...defined({
      serverResponseCode: error.code,
      description: response === message ? undefined : message.slice(0, maxText),
    }),
    ...tokenRequestOf(error),
  }
}

/**
 * Details of a request that an OAuth2 token endpoint rejected, with the response of the endpoint.
 */
function tokenRequestOf({ extras }: AppError): Pick<LastError, 'tokenRequest'> {
  const tokenRequest = extras.info?.['tokenRequest']
  return matches(TokenRequestInfo, tokenRequest) ? { tokenRequest } : {}
}

/**
 * Builds the trigger of the account status for a full sync pass, with the last mailbox that the
 * mail server refused.
 */
export function syncedTrigger(refusal: MailboxRefusal | undefined): StatusTrigger {
  if (!refusal) return { kind: 'synced' }
  const { path, error } = refusal
  return { kind: 'synced', syncError: { path, error: error.message } }
}
