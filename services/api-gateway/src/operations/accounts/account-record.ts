import type { AccountListRow, AccountRow } from '../../store/accounts.ts'
import { mask, maskHeaders, maskUrl } from '../masks.ts'

/** An account in a list. Members that are unset are absent. */
export function describeListed(row: AccountListRow) {
  const { account, name, email, imap, webhooks, proxy, smtpEhloName, syncTime } = row
  const state = row.state ?? ('new' as const)
  return {
    account,
    name,
    ...present({ email, webhooks: webhooks && maskUrl(webhooks), proxy: proxy && maskUrl(proxy) }),
    ...present({ smtpEhloName, syncTime: syncTime?.toISOString() }),
    type: imap ? ('imap' as const) : ('sending' as const),
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
      authFailureDisabledAt: row.authFailureDisabledAt?.toISOString(),
      sendOnly: row.imap ? undefined : true,
      connections: row.imap ? connectionsOf(row) : undefined,
      syncError: row.syncError,
    }),
    notifyFrom: row.notifyFrom.toISOString(),
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
