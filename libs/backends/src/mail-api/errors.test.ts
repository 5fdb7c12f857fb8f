import { describe, expect, test } from '@jest/globals'
import { type ErrorKind, errorFromWire, errorToWire, isPermanent } from '@posthorn/errors'
import { MailApiError, type MailApiErrorOptions, type MailApiFailure } from './errors.ts'

const text = 'text of the provider'

/**
 * Error of a mail API as api-gateway gets the error from a worker. libs/http turns its kind into a
 * status.
 */
function received(failure: MailApiFailure, options: MailApiErrorOptions) {
  const wire = errorToWire(new MailApiError(failure, text, options))
  const { kind, code, message, status, extras } = errorFromWire(wire)
  return { kind, code, message, status, extras }
}

describe('MailApiError of Microsoft Graph: kind and code of the interface', () => {
  test.each<[MailApiFailure, status: number, { kind: ErrorKind; code: string | undefined }]>([
    ['message-missing', 404, { kind: 'not-found', code: 'MessageNotFound' }],
    ['part-missing', 404, { kind: 'not-found', code: 'MessageNotFound' }],
    ['folder-missing', 404, { kind: 'not-found', code: 'FolderNotFound' }],
    ['trash-missing', 404, { kind: 'not-found', code: 'TrashNotFound' }],
    ['unreadable-id', 400, { kind: 'invalid', code: 'InvalidMessageId' }],
    ['access-denied', 403, { kind: 'forbidden', code: 'AccessDenied' }],
    ['mailbox-full', 507, { kind: 'rate-limited', code: 'QuotaExceeded' }],
    ['stale-page', 400, { kind: 'invalid', code: 'SearchCursorExpired' }],
    ['mailbox-disabled', 404, { kind: 'forbidden', code: 'MailboxNotEnabled' }],
    ['invalid-recipients', 400, { kind: 'invalid', code: 'InvalidRecipients' }],
    ['too-large', 400, { kind: 'too-large', code: 'MessageTooLarge' }],
    ['send-denied', 403, { kind: 'forbidden', code: 'SendAsDenied' }],
    ['unsupported-term', 400, { kind: 'invalid', code: 'UnsupportedSearchTerm' }],
    ['unsupported-operation', 400, { kind: 'invalid', code: 'UnsupportedOperation' }],
    ['unavailable', 500, { kind: 'unreachable', code: 'ConnectionError' }],
    ['folder-exists', 409, { kind: 'rejected', code: 'ALREADYEXISTS' }],
    ['refused', 409, { kind: 'rejected', code: undefined }],
    ['refused', 412, { kind: 'rejected', code: undefined }],
    ['rate-limited', 429, { kind: 'rate-limited', code: undefined }],
  ])('%s with %i is %j', (failure, status, members) => {
    const error = { ...members, message: text, status, extras: {} }
    expect(received(failure, { status })).toEqual(error)
  })
})

describe('MailApiError of Gmail: status of the provider and no code', () => {
  test.each<[MailApiFailure, status: number]>([
    ['refused', 400],
    ['refused', 412],
    ['folder-exists', 409],
    ['stale-page', 400],
    ['unreadable-id', 400],
    ['label-missing', 400],
    ['access-denied', 403],
    ['mailbox-disabled', 400],
    ['too-large', 413],
    ['unavailable', 500],
    ['unavailable', 503],
  ])('%s with %i is passed through', (failure, status) => {
    expect(received(failure, { status, passesStatus: true })).toEqual({
      kind: 'provider',
      code: undefined,
      message: 'OAuth2 request failed',
      status,
      extras: { info: { response: text } },
    })
  })

  test.each<[MailApiFailure, status: number, object]>([
    ['message-missing', 404, { kind: 'not-found', code: 'MessageNotFound' }],
    ['part-missing', 404, { kind: 'not-found', code: 'MessageNotFound' }],
    ['folder-missing', 404, { kind: 'not-found', code: 'FolderNotFound' }],
    ['rate-limited', 403, { kind: 'rate-limited', code: undefined, extras: { ttl: 3 } }],
    ['watch-refused', 403, { kind: 'rejected', code: 'SubscriptionSetupError' }],
  ])('%s with %i is translated', (failure, status, members) => {
    const options = { status, passesStatus: true, retryAfterMs: 2_500 }
    expect(received(failure, options)).toMatchObject({ ...members, message: text })
  })

  test.each<[MailApiFailure, ErrorKind, code: string]>([
    ['unavailable', 'unreachable', 'ConnectionError'],
    ['unsupported-operation', 'invalid', 'UnsupportedOperation'],
    ['unsupported-term', 'invalid', 'UnsupportedSearchTerm'],
  ])('%s without a response is %s %s', (failure, kind, code) => {
    expect(received(failure, { passesStatus: true })).toMatchObject({ kind, code })
  })

  test('a 5xx is temporary, a 4xx permanent', () => {
    const isFinal = (status: number) =>
      isPermanent(new MailApiError('refused', text, { status, passesStatus: true }))
    expect([400, 409, 500, 503].map(isFinal)).toEqual([true, true, false, false])
  })
})

test('MailApiError: token-rejected has the text of the interface and that of the provider', () => {
  for (const passesStatus of [true, false])
    expect(received('token-rejected', { status: 401, passesStatus })).toMatchObject({
      kind: 'forbidden',
      code: 'OAuthTokenRejected',
      message: 'OAuth2 request failed',
      extras: { info: { response: text } },
    })
})
