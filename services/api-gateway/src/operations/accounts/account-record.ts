import type { SmtpStatus } from '@posthorn/contracts'
import type { AccountListRow, AccountRow } from '../../store/accounts.ts'
import type { SendingAttempt } from '../../store/smtp-status.ts'
import { mask, maskHeaders, maskUrl } from '../../http/masks.ts'

/** An account in a list. Members that are unset are absent. */
export function describeListed(row: AccountListRow) {
  const { account, name, email, oauth2, webhooks, proxy, smtpEhloName, syncTime } = row
  const state = row.state ?? ('new' as const)
  return {
    account,
    name,
    ...present({ email, webhooks: webhooks && maskUrl(webhooks), proxy: proxy && maskUrl(proxy) }),
    ...present({ smtpEhloName, syncTime: syncTime?.toISOString() }),
    type: typeOf(row),
    ...present({ app: oauth2?.provider }),
    state,
    counters: { events: row.eventCounts },
    // What went wrong before is over once the account is connected.
    lastError: state === 'connected' ? null : row.lastError,
  }
}

/** An account as it is read back: secrets masked, members that are unset absent. */
export function describeAccount(row: AccountRow) {
  const { expectedEmail, path, subconnections, copy, logs, imapIndexer, locale, tz } = row
  return {
    ...describeListed(row),
    ...present({ expectedEmail, path, subconnections, copy, logs, imapIndexer, locale, tz }),
    ...present({
      webhooksCustomHeaders: row.webhooksCustomHeaders && maskHeaders(row.webhooksCustomHeaders),
      imap: row.imap && withMask(row.imap, row.passwords.includes('imap')),
      smtp: row.smtp && withMask(row.smtp, row.passwords.includes('smtp')),
      oauth2: describeOAuth2(row),
      baseScopes: row.oauth2 ? row.baseScopes : undefined,
      authFailureDisabledAt: row.authFailureDisabledAt?.toISOString(),
      sendOnly: row.imap ? undefined : true,
      connections: row.imap ? connectionsOf(row) : undefined,
      syncError: row.syncError,
    }),
    smtpStatus: row.lastSendingAttempt && describeSending(row.lastSendingAttempt),
    notifyFrom: row.notifyFrom.toISOString(),
  }
}

function describeSending(attempt: SendingAttempt): SmtpStatus {
  const { at, sent, networkRouting } = attempt
  const when = { created: new Date(at).toISOString(), networkRouting }
  if (sent) return { ...when, status: 'ok', ...present({ response: attempt.response }) }
  const { message, ...rest } = attempt.lastError ?? {}
  return { ...when, status: 'error', ...present({ ...rest, description: message }) }
}

/** What an account is: of OAuth2 the kind of the application. */
function typeOf({ imap, oauth2, oauth2Provider, hasDelegate }: AccountListRow) {
  if (!oauth2) return imap ? ('imap' as const) : ('sending' as const)
  if (oauth2.auth?.delegatedAccount === undefined) return oauth2Provider ?? ('oauth2' as const)
  return hasDelegate ? ('delegated' as const) : ('invalid' as const)
}

/** Which tokens there are, is not known here: what is there is masked whole. */
function describeOAuth2(row: AccountRow) {
  const { oauth2, passwords, scopes, tokenExpiresAt, tokenUpdatedAt, grantedAt } = row
  if (!oauth2) return undefined
  const hasGrant = passwords.includes('oauth2')
  return {
    ...oauth2,
    ...(hasGrant ? { accessToken: mask, refreshToken: mask } : {}),
    ...present({
      scope: scopes?.length ? scopes : undefined,
      tokenType: scopes?.length ? 'Bearer' : undefined,
      expires: tokenExpiresAt?.toISOString(),
      generated: tokenExpiresAt ? tokenUpdatedAt?.toISOString() : undefined,
      refreshTokenGenerated: hasGrant ? grantedAt?.toISOString() : undefined,
    }),
  }
}

/** Whoever held the account may have died with the last word about them. */
function connectionsOf({ state, connections }: AccountRow): number {
  return state === 'connected' || state === 'init' ? (connections ?? 0) : 0
}

/** Server settings with a mask where the password is. */
function withMask<S extends { auth?: { user: string } | false }>(server: S, hasPassword: boolean) {
  const { auth } = server
  return auth && hasPassword ? { ...server, auth: { ...auth, pass: mask } } : server
}

/** Leaves out what is null or undefined. */
function present<T extends Record<string, unknown>>(members: T) {
  const entries = Object.entries(members).filter(
    ([, value]) => value !== null && value !== undefined,
  )
  return Object.fromEntries(entries) as { [K in keyof T]?: NonNullable<T[K]> }
}
