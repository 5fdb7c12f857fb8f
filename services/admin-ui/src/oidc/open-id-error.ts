import type { OpenIdFailure } from '@posthorn/contracts/admin/open-id-failures'
import { AppError, type ErrorKind, toAppError } from '@posthorn/errors'

interface OpenIdErrorOptions extends ErrorOptions {
  kind: ErrorKind
  message: string
}

/** Error of a sign-in at the OpenID provider, with the reason that the sign-in page explains. */
export class OpenIdError extends AppError {
  override name = 'OpenIdError'
  readonly failure: OpenIdFailure

  constructor(failure: OpenIdFailure, { kind, message, cause }: OpenIdErrorOptions) {
    super(kind, message, { cause })
    this.failure = failure
  }
}

/** Reason of any error of a sign-in at the OpenID provider, for the sign-in page. */
export function openIdFailureOf(error: unknown): OpenIdFailure {
  if (error instanceof OpenIdError) return error.failure
  switch (toAppError(error).kind) {
    // The person of the sign-in was disabled or deleted in the meantime, so that no session starts.
    case 'unauthorized':
      return 'notAdmitted'
    case 'rate-limited':
      return 'limited'
    case 'unavailable':
      return 'unavailable'
    default:
      return 'failed'
  }
}

/**
 * Fields of the log line about an error of a sign-in at the OpenID provider. The cause of a refused
 * sign-in contains claims of the person, so only its texts and the error code of the provider are
 * logged.
 */
export function logFieldsOf(error: unknown): Record<string, unknown> {
  const failure = openIdFailureOf(error)
  if (failure !== 'refused') return { failure, err: error }
  const cause = error instanceof Error ? error.cause : undefined
  const { code, message, error: providerError } = Object(cause) as Record<string, unknown>
  return { failure, code, problem: message, providerError }
}
