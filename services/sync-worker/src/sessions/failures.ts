import type { LastError } from '@posthorn/contracts'
import { AppError, messageOf } from '@posthorn/errors'
import type { Happening } from './states.ts'

/** Servers may write what they like: this much of it is kept. */
const maxText = 1_000

/**
 * What a failure says about the account: its credentials were refused, or its server could not be used. Undefined where it says nothing
 * about it, because the trouble is ours (Postgres, RabbitMQ, a bug).
 */
export function failureOf(error: unknown): Extract<Happening, { error: LastError }> | undefined {
  if (!(error instanceof AppError)) return undefined
  switch (error.kind) {
    case 'unauthorized':
      return { kind: 'authFailed', error: describe(error) }
    case 'unreachable':
    case 'rejected':
    case 'forbidden':
      return { kind: 'connectFailed', error: describe(error) }
    default:
      return undefined
  }
}

function describe(error: AppError): LastError {
  const answer = error.extras.info?.['response']
  const response = typeof answer === 'string' && answer !== '' ? answer : messageOf(error)
  return {
    response: response.slice(0, maxText),
    ...(error.code === undefined ? {} : { serverResponseCode: error.code }),
    ...(response === error.message ? {} : { description: error.message.slice(0, maxText) }),
  }
}
