import { accountTypeOf } from '@posthorn/contracts/account-types'
import { getQuota, listSignatures } from '@posthorn/contracts/commands/maintenance'
import { defined } from '@posthorn/contracts/defined'
import { operations } from '@posthorn/contracts/operations'
import { stateMembers } from '@posthorn/contracts/schemas/account-state'
import type { SmtpStatus } from '@posthorn/contracts/schemas/smtp-status'
import { type Db, isSendOnly } from '@posthorn/db'
import type { Caller } from '../../access/authenticate.ts'
import { maskedLogin } from '../../accounts/login-secret.ts'
import { callWorker, type WorkerDeps } from '../../http/call-worker.ts'
import { handle, type OperationHandler } from '../../http/handle.ts'
import { mask, maskHeaders, maskUrl } from '../../http/masks.ts'
import {
  type AccountListRow,
  type AccountRow,
  findAccount,
  findWatch,
  listAccounts,
  type SendingAttempt,
} from '../../store/accounts/account-records.ts'
import { accountNotFound } from '../../store/accounts/accounts.ts'
import { visibleFailure, visibleLastError } from '../hide-failure.ts'
import { present } from '../present.ts'

/** API operations that return accounts: a list of accounts, or one account. */
export function accountReadHandlers(deps: WorkerDeps): OperationHandler[] {
  const { db } = deps
  return [
    handle(operations.listAccounts, async ({ query: { page, pageSize, ...filter }, caller }) => {
      const { rows, ...counts } = await listAccounts(db, filter, defined({ page, pageSize }))
      const { query, state } = filter
      const echo = { query: query || (false as const), state: state ?? '*' }
      return { ...counts, ...echo, accounts: rows.map((row) => describeListed(row, caller)) }
    }),
    handle(operations.getAccount, async (input) => {
      const { account } = input.params
      const row = await findAccount(db, account)
      if (!row) throw accountNotFound()
      const { subscriptionMember } = accountTypeOf(row)
      const subscription =
        subscriptionMember && (await describeSubscription(db, account, input.caller))
      const record = {
        ...describeAccount(row, input.caller),
        ...(subscription && { [subscriptionMember]: subscription }),
      }
      if (!input.query.quota || isSendOnly(row)) return record
      const { quota } = await callWorker(deps, input, [getQuota, { account }])
      return { ...record, quota: quota && { ...quota, status: percentOf(quota) } }
    }),
    handle(operations.getServerSignatures, async (input) => {
      const { account } = input.params
      const row = await findAccount(db, account)
      if (!row) throw accountNotFound()
      if (!accountTypeOf(row).hasSignatures || isSendOnly(row))
        return { signatures: [], signaturesSupported: false }
      return callWorker(deps, input, [listSignatures, { account }])
    }),
  ]
}

/**
 * Subscription of an account to notifications of its mail provider. Undefined if the account has no
 * subscription yet, or if there is no public address that the provider could notify.
 */
async function describeSubscription(db: Db, account: string, caller: Caller) {
  const watch = await findWatch(db, account)
  if (!watch) return undefined
  const { remoteId, expiresAt, lastError, attemptedAt } = watch
  const isCreated = watch.state === 'active'
  return {
    ...(remoteId !== '' && { id: remoteId }),
    expirationDateTime: remoteId === '' ? null : expiresAt.toISOString(),
    state: {
      state: isCreated ? ('created' as const) : ('error' as const),
      ...(attemptedAt && { time: attemptedAt.getTime() }),
      error: isCreated ? null : (visibleLastError(lastError, caller)?.response ?? null),
      retryCount: watch.renewFailures,
      createRetryCount: watch.createFailures,
    },
  }
}

function percentOf({ usage, limit }: { usage: number; limit: number }): string {
  return `${limit > 0 ? Math.round((usage / limit) * 100) : 100}%`
}

/** Account as an entry of an account list. Unset members are absent. */
function describeListed(row: AccountListRow, caller: Caller) {
  const { account, name, email, oauth2, webhooks, proxy, smtpEhloName, syncTime } = row
  const state = row.state ?? ('new' as const)
  return {
    account,
    name,
    ...present({ email, webhooks: webhooks && maskUrl(webhooks), proxy: proxy && maskUrl(proxy) }),
    ...present({ smtpEhloName, syncTime: syncTime?.toISOString() }),
    type: typeOf(row),
    ...present({ app: oauth2?.provider }),
    ...stateMembers(state),
    counters: { events: row.eventCounts },
    // Hides the last error of a connected account, because the account has recovered.
    lastError: state === 'connected' ? null : visibleLastError(row.lastError, caller),
  }
}

/** Account with all its members and masked secrets. Unset members are absent. */
function describeAccount(row: AccountRow, caller: Caller) {
  const { expectedEmail, path, subconnections, copy, logs, paused, imapIndexer, locale, tz } = row
  return {
    ...describeListed(row, caller),
    ...present({
      expectedEmail,
      path,
      subconnections,
      copy,
      logs,
      paused,
      imapIndexer,
      locale,
      tz,
    }),
    ...present({
      webhooksCustomHeaders: row.webhooksCustomHeaders && maskHeaders(row.webhooksCustomHeaders),
      imap: row.imap && withMask(row.imap, row.passwords.includes('imap')),
      smtp: row.smtp && withMask(row.smtp, row.passwords.includes('smtp')),
      oauth2: describeOAuth2(row),
      baseScopes: row.oauth2 ? row.baseScopes : undefined,
      authFailureDisabledAt: row.authFailureDisabledAt?.toISOString(),
      sendOnly: isSendOnly(row) || undefined,
      connections: isSendOnly(row) ? undefined : connectionsOf(row),
      syncError: row.syncError,
    }),
    smtpStatus: row.lastSendingAttempt && describeSending(row.lastSendingAttempt, caller),
    notifyFrom: row.notifyFrom.toISOString(),
  }
}

function describeSending(attempt: SendingAttempt, caller: Caller): SmtpStatus {
  const { at, sent, networkRouting } = attempt
  const base = { created: new Date(at).toISOString(), networkRouting }
  if (sent) return { ...base, status: 'ok', ...present({ response: attempt.response }) }
  const { message, ...rest } = visibleFailure(attempt.lastError, caller) ?? {}
  return { ...base, status: 'error', ...present({ ...rest, description: message }) }
}

/**
 * Type of an account in the API. An account with an OAuth2 grant of its own has the provider of its
 * application as the type.
 */
function typeOf(row: AccountListRow) {
  const { oauth2, oauth2Provider, hasDelegate } = row
  if (isSendOnly(row) && !oauth2) return 'sending' as const
  if (!oauth2)
    return accountTypeOf(row).readsBy === 'imap' ? ('imap' as const) : ('oauth2' as const)
  if (oauth2.auth?.delegatedAccount === undefined) return oauth2Provider ?? ('oauth2' as const)
  return hasDelegate ? ('delegated' as const) : ('invalid' as const)
}

/**
 * OAuth2 part of an account. Access token and refresh token are both masked, because api-gateway
 * cannot unseal the grant to see which tokens it contains.
 */
function describeOAuth2(row: AccountRow) {
  const { oauth2, passwords, scopes, tokenExpiresAt, tokenUpdatedAt, grantedAt } = row
  if (!oauth2) return undefined
  const hasGrant = passwords.includes('oauth2')
  return {
    ...oauth2,
    ...(hasGrant ? { accessToken: mask, refreshToken: mask } : {}),
    ...describeSignIn(row),
    ...defined({
      scope: scopes?.length ? scopes : undefined,
      tokenType: scopes?.length ? 'Bearer' : undefined,
      expires: tokenExpiresAt?.toISOString(),
      generated: tokenExpiresAt ? tokenUpdatedAt?.toISOString() : undefined,
      refreshTokenGenerated: hasGrant ? grantedAt?.toISOString() : undefined,
    }),
  }
}

/** Address of the account's mailbox at its provider, and the failure of the last OAuth2 consent. */
function describeSignIn({ mailboxAddress, consentError, failedAt }: AccountRow) {
  return {
    ...(mailboxAddress !== null && { mailboxAddress }),
    ...(consentError && failedAt
      ? { consentError: { ...consentError, time: failedAt.toISOString() } }
      : {}),
  }
}

/**
 * Number of an account's mail server connections. A worker that crashed leaves its last number
 * behind, so an account in states other than `connected` and `syncing` reports 0.
 */
function connectionsOf({ state, connections }: AccountRow): number {
  return state === 'connected' || state === 'syncing' ? (connections ?? 0) : 0
}

function withMask<S extends StoredServer>({ auth, ...server }: S, hasSecret: boolean) {
  if (!auth) return { ...server, ...(auth === false && { auth: false as const }) }
  return { ...server, auth: hasSecret ? maskedLogin(auth) : { user: auth.user } }
}

interface StoredServer {
  auth?: Parameters<typeof maskedLogin>[0] | false
}
