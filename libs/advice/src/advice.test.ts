import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { errorStatuses } from '@posthorn/contracts/openapi/error-statuses'
import { accountStates, shownStates } from '@posthorn/contracts/schemas/account-state'
import { webhookTestOutcomes } from '@posthorn/contracts/schemas/webhook-target-test'
import { accountAdvice, adviceFor, adviceTables } from './advice.ts'
import type { AdviceKind, AdviceQuery, AdviceRow } from './advice-row.ts'

const kinds = Object.keys(adviceTables) as AdviceKind[]
const rows = kinds.flatMap((kind) => adviceTables[kind].map((row) => ({ kind, row })))
const named = rows.map(({ kind, row }) => [row.id, kind, row] as const)

/**
 * Errors that fulfil exactly the conditions of an advice table's row: one error per combination of
 * the row's codes, statuses and states.
 */
function queriesOf(kind: AdviceKind, row: AdviceRow): AdviceQuery[] {
  const { codes = [undefined], statuses = [undefined], states = [undefined], example } = row
  return codes.flatMap((code) =>
    statuses.flatMap((status) =>
      states.map((state) => ({
        kind,
        ...(code !== undefined && { code }),
        ...(status !== undefined && { status }),
        ...(state !== undefined && { state }),
        ...(example !== undefined && { response: example }),
      })),
    ),
  )
}

describe('advice tables', () => {
  test('rows: at least 40, each with an own id', () => {
    expect(rows.length).toBeGreaterThan(40)
    const ids = rows.map(({ row }) => row.id)
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  })

  test.each(named)(
    '%s (%s): each code, status, state and example reaches the row',
    (id, kind, row) => {
      for (const query of queriesOf(kind, row))
        expect([query, adviceFor(query).id]).toEqual([query, id])
      expect(row.text === undefined).toBe(row.example === undefined)
    },
  )

  test.each(named)('%s (%s): texts are sentences', (_id, _kind, row) => {
    for (const text of [row.meaning, row.action, row.ownerText]) {
      expect(text).toMatch(/^(?:[A-Z]|`\w).*\.$/)
      expect(text.length).toBeLessThan(260)
    }
    // Advice texts for owners of accounts contain no names of API members, variables or operations,
    // because owners do not know the API.
    expect(row.ownerText).not.toMatch(/[`_/]|OAuth|IMAP(?! in the settings)|SMTP|token/)
  })

  test.each(named)('%s (%s): the guide exists', (_id, _kind, { guide = '' }) => {
    const [page = '', anchor] = guide.split('#')
    const text = readFileSync(join(import.meta.dirname, `../../docs/guides/${page}.md`), 'utf8')
    const anchors = [...text.matchAll(/^#{2,3} (.+)$/gm)].map(([, title = '']) => slug(title))
    if (anchor !== undefined) expect(anchors).toContain(anchor)
  })

  test.each(kinds)('%s: only the last row has no condition', (kind) => {
    const free = adviceTables[kind].filter((row) => queriesOf(kind, row).some(isFree))
    expect(free).toEqual([adviceTables[kind].at(-1)])
  })
})

/**
 * True for a query for advice that names only the subject of the error, such as `account` or
 * `webhook`.
 */
function isFree(query: AdviceQuery): boolean {
  return Object.keys(query).length === 1
}

/** Anchor of a heading in the guides, as the documentation site creates the anchor. */
function slug(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .trim()
    .replaceAll(/\s/g, '-')
}

const words = (text: string) => text.trim().split(/\s+/)
const smtpCodes = [421, 450, 451, 452, 550, 551, 552, 553, 554]
const accountCodes = words(`
  AUTHENTICATIONFAILED AUTHORIZATIONFAILED EXPIRED PRIVACYREQUIRED CONTACTADMIN
  UNAVAILABLE SERVERBUG INUSE LIMIT OVERQUOTA THROTTLED ALREADYEXISTS NONEXISTENT CANNOT
  NOPERM EXPUNGEISSUED CORRUPTION CLIENTBUG TRYCREATE ALERT WEBALERT REFERRAL BYE
  OauthRenewError TokenGenerationError ECONNREFUSED ETIMEDOUT ENOTFOUND ETokenRefresh
  HTTPRequestError SubscriptionSetupError ECONNECTION EEGRESSBLOCKED EPROXY EPROTO
  ECONNRESET ParserErrorExchange DEPTH_ZERO_SELF_SIGNED_CERT AppNotFound InvalidBaseScopes
`)
const sendingCodes = words(`
  EAUTH ENOAUTH EOAUTH2 ETLS EENVELOPE EMESSAGE EPROTOCOL ESMTPUTF8 ELISTLEFT
  EEGRESSBLOCKED SMTPUnavailable AccountNotFound GatewayNotFound InvalidRecipients
  MessageTooLarge SendAsDenied UnsupportedOperation EREFUSED AccessDenied
  MessageSubmissionBlocked MailboxNotEnabled QuotaExceeded OAuthTokenRejected
  ConnectionError EMAILAPI ETIMEDOUT ECONNECTION EPROXY EINTERRUPTED EUNEXPECTED EINTERNAL
  ECREDENTIALS
`)
const graphCodes = words(`
  ErrorItemNotFound ErrorInvalidIdMalformed ErrorAccessDenied ErrorQuotaExceeded
  ErrorExecuteSearchStaleData ErrorMailboxNotEnabledForRESTAPI ErrorInvalidRecipients
  ErrorMessageSizeExceeded ErrorSendAsDenied
`)
const webhookOutcomes = [
  ...webhookTestOutcomes,
  'too-large',
  'no-target',
  'no-event',
  'interrupted',
]
const tokenCodes = words(`
  invalid_grant invalid_client redirect_uri_mismatch insufficient_scope
  interaction_required unauthorized_client invalid_scope invalid_resource deleted_client
  disabled_client admin_policy_enforced unsupported_grant_type invalid_request
`)

describe('adviceFor', () => {
  test.each<AdviceQuery>([
    ...Object.keys(errorStatuses).map((code) => ({ kind: 'api' as const, code })),
    ...graphCodes.map((code) => ({ kind: 'api' as const, code })),
    ...[400, 401, 403, 404, 413, 422, 429, 502, 503, 504].map((status) => ({
      kind: 'api' as const,
      status,
    })),
    ...accountCodes.map((code) => ({ kind: 'account' as const, code })),
    ...tokenCodes.map((response) => ({ kind: 'account' as const, response })),
    ...[...new Set([...shownStates, ...accountStates])]
      .filter((state) => state !== 'connected')
      .map((state) => ({ kind: 'account' as const, state })),
    ...sendingCodes.map((code) => ({ kind: 'sending' as const, code })),
    ...smtpCodes.map((status) => ({ kind: 'sending' as const, status })),
    ...webhookOutcomes.map((code) => ({ kind: 'webhook' as const, code })),
  ])('%j: has a row of its own', (query) => {
    expect(adviceFor(query).id).not.toMatch(/-unknown-/)
  })

  test.each<[AdviceQuery, string]>([
    [{ kind: 'account', code: 'authenticationfailed' }, 'login-rejected'],
    [
      {
        kind: 'account',
        code: 'AUTHENTICATIONFAILED',
        response: 'Application-specific password required: https://support.google.com (Failure)',
      },
      'login-app-password',
    ],
    [
      { kind: 'account', code: 'ALERT', response: 'Too many simultaneous connections. (Failure)' },
      'too-many-connections',
    ],
    [
      {
        kind: 'account',
        code: 'OVERQUOTA',
        response: 'Account exceeded command or bandwidth limits.',
      },
      'bandwidth-limit',
    ],
    [
      {
        kind: 'account',
        code: 'OauthRenewError',
        response: 'AADSTS700082: The refresh token has expired due to inactivity.',
      },
      'token-revoked',
    ],
    [
      {
        kind: 'account',
        code: 'OauthRenewError',
        response: 'AADSTS7000222: The provided client secret keys are expired.',
      },
      'token-secret-expired',
    ],
    [
      { kind: 'account', code: 'OauthRenewError', response: 'something new' },
      'token-renewal-failed',
    ],
    [
      // Microsoft's token endpoint also sends temporary errors with `invalid_grant`. The AADSTS
      // code of the response shows whether the error is temporary.
      {
        kind: 'account',
        code: 'ETokenRefresh',
        response: 'invalid_grant AADSTS50196: client loop',
      },
      'token-endpoint-unavailable',
    ],
    [
      {
        kind: 'account',
        code: 'OauthRenewError',
        response: 'AADSTS70043: expired due to sign-in frequency checks by conditional access',
      },
      'token-reauthentication',
    ],
    [
      { kind: 'account', state: 'authenticationError', response: 'Insufficient Permission' },
      'mail-api-scope-missing',
    ],
    [{ kind: 'sending', status: 550, response: '550 5.1.1 No such user' }, 'send-smtp-550'],
    [
      { kind: 'sending', status: 550, response: '550 5.4.5 Daily user sending quota exceeded.' },
      'send-daily-quota',
    ],
    [{ kind: 'sending', code: 'EENVELOPE', status: 550 }, 'send-recipient-rejected'],
    [{ kind: 'sending', code: 'EPROTOCOL', status: 451 }, 'send-smtp-450'],
    [{ kind: 'webhook', code: 'http-4xx', status: 401 }, 'webhook-signature-rejected'],
    [{ kind: 'webhook', code: 'http-4xx', status: 418 }, 'webhook-http-4xx'],
    [{ kind: 'api', status: 429, code: 'QuotaExceeded' }, 'api-QuotaExceeded'],
    [{ kind: 'api', status: 401, response: 'Bad token' }, 'api-bad-token'],
    [{ kind: 'api' }, 'api-unknown-error'],
    [{ kind: 'export', code: 'AuthenticationFails' }, 'export-login-rejected'],
  ])('%j: uses the row %s', (query, id) => {
    expect(adviceFor(query).id).toBe(id)
  })

  test.each(kinds)('%s: hostile texts and codes have an explanation', (kind) => {
    for (const response of ['', '\0', '('.repeat(1e6), 'too many '.repeat(2e5), '💣'.repeat(1e5)])
      expect(adviceFor({ kind, response, code: '__proto__', state: 'constructor' }).id).toMatch(
        /-unknown-/,
      )
  })
})

describe('accountAdvice', () => {
  test('connected account: no advice', () => {
    expect(accountAdvice({ state: 'connected', lastError: { response: 'x' } })).toBeUndefined()
  })

  test('account with an error: explains the error, not the state', () => {
    const lastError = {
      response: 'Invalid credentials',
      serverResponseCode: 'AUTHENTICATIONFAILED',
    }
    expect(accountAdvice({ state: 'authenticationError', lastError })).toMatchObject({
      id: 'login-rejected',
    })
  })

  test('account with a failed token request: considers the code of the token endpoint', () => {
    const lastError = {
      response: 'Unauthorized',
      serverResponseCode: 'OauthRenewError',
      tokenRequest: { code: 'invalid_client' },
    }
    expect(accountAdvice({ state: 'authenticationError', lastError })).toMatchObject({
      id: 'token-client-rejected',
    })
  })

  test('account without an error: explains its detailed state', () => {
    expect(accountAdvice({ state: 'other', stateDetail: 'paused', lastError: null })).toMatchObject(
      {
        id: 'state-paused',
      },
    )
  })

  test('account with an old error in another state: explains the state', () => {
    const lastError = { response: 'x', serverResponseCode: 'AUTHENTICATIONFAILED' }
    expect(accountAdvice({ state: 'unset', lastError })).toMatchObject({ id: 'state-unset' })
  })
})
