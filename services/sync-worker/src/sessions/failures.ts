import { type LastError, matches, TokenRequestInfo } from '@posthorn/contracts'
import { AppError, messageOf } from '@posthorn/errors'
import type { StatusTrigger } from './status-transition.ts'

/** Servers may write what they like: this much of it is kept. */
const maxText = 1_000

/**
 * What a failure says about the account: its credentials were refused, or its server (or whoever knows its credentials: ETokenRefresh,
 * HTTPRequestError) could not be used. Undefined where it says nothing about it, because the trouble is ours (Postgres, RabbitMQ, a bug).
 * Which answers of a server count as refused credentials is decided where they are read: `login-refusal.ts` of backends.
 */
export function failureOf(
  error: unknown,
): Extract<StatusTrigger, { error: LastError }> | undefined {
  if (!(error instanceof AppError)) return undefined
  switch (error.kind) {
    case 'unauthorized':
      return { kind: 'authFailed', error: describe(error), ...(isAmbiguous(error) && unsure) }
    case 'unreachable':
    case 'rejected':
    case 'forbidden':
      return { kind: 'connectFailed', error: describe(error) }
    default:
      return undefined
  }
}

const unsure = { unsure: true } as const

/** Exchange lets in whom it then does not know: where a token is for another mailbox, and for minutes when its back-end is away. */
function isAmbiguous(error: AppError): boolean {
  return /authenticated but not connected/i.test(responseOf(error) ?? '')
}

function responseOf({ extras }: AppError): string | undefined {
  const answer = extras.info?.['response']
  return typeof answer === 'string' && answer !== '' ? answer : undefined
}

function describe(error: AppError): LastError {
  const response = responseOf(error) ?? messageOf(error)
  return {
    response: response.slice(0, maxText),
    ...(error.code === undefined ? {} : { serverResponseCode: error.code }),
    ...(response === error.message ? {} : { description: error.message.slice(0, maxText) }),
    ...tokenRequestOf(error),
  }
}

/** What a token endpoint was asked and said, where it was that which refused. */
function tokenRequestOf({ extras }: AppError): Pick<LastError, 'tokenRequest'> {
  const tokenRequest = extras.info?.['tokenRequest']
  return matches(TokenRequestInfo, tokenRequest) ? { tokenRequest } : {}
}
