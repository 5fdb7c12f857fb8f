import type { AccountJobFilter } from '@posthorn/contracts/schemas/job'
import type { OAuth2Provider } from '@posthorn/contracts/schemas/oauth2-app'
import {
  compileOnce,
  type Db,
  type NetworkRouting,
  type OutboxError,
  type PageRequest,
  readPage,
} from '@posthorn/db'
import { sql } from 'kysely'
import { matchesAccount } from './account-filter.ts'
import { accountsWithState, passwordKinds } from './accounts.ts'

/** Provider of the account's OAuth2 application; null if the application does not exist. */
const oauth2Provider = sql<OAuth2Provider | null>`(
  select provider from oauth2_apps where oauth2_apps.id = accounts.oauth2 ->> 'provider'
)`
const baseScopes = sql<'imap' | 'api' | 'pubsub' | null>`(
  select coalesce(config ->> 'baseScopes', 'imap') from oauth2_apps
  where oauth2_apps.id = accounts.oauth2 ->> 'provider'
)`
const hasDelegate = sql<boolean>`exists (
  select from accounts delegate
  where delegate.account = accounts.oauth2 -> 'auth' ->> 'delegatedAccount'
)`
const grantedAt = sql<Date | null>`(
  select updated_at from credentials
  where credentials.account = accounts.account and kind = 'oauth2'
)`
const eventCounts = sql<Record<string, number>>`(
  select coalesce(jsonb_object_agg(event, count), '{}') from account_event_counts counts
  where counts.account = accounts.account
)`

/** Last attempt to send a message through the account's own server. */
export interface SendingAttempt {
  /** Time of the sending attempt, as JSON text. */
  at: string
  sent: boolean
  response: string | null
  lastError: OutboxError | null
  networkRouting: NetworkRouting | null
}

/**
 * SQL condition: true for a submission to the account's own server that was sent or has failed at
 * least once.
 */
const hasOutcome = sql`gateway is null and (state = 'sent' or last_error is not null)`
/**
 * Maximum number of newest submissions that are searched for a sending attempt. Limits the cost for
 * an account that sends many messages.
 */
const maxSearched = 100

/**
 * Last attempt to send a message of the account; null if there was no attempt. Derived from the
 * newest submissions, so that sending does not write an additional row.
 */
const lastSendingAttempt = sql<SendingAttempt | null>`(
  select jsonb_build_object('at', at, 'sent', state = 'sent', 'response', response,
    'lastError', last_error, 'networkRouting', network_routing)
  from (
    select state, response, last_error, network_routing, gateway,
      coalesce(finished_at, attempt_started_at, created_at) as at from outbox
    where outbox.account = accounts.account
    order by created_at desc, queue_id desc limit ${sql.lit(maxSearched)}
  ) as newest_messages
  where ${hasOutcome} order by at desc limit 1
)`

function listedAccounts(db: Db) {
  return accountsWithState(db)
    .select(['accounts.account', 'name', 'email', 'backend', 'imap', 'smtp', 'oauth2', 'webhooks'])
    .select(['proxy', 'smtpEhloName', 'accountStates.state', 'accountStates.lastError'])
    .select(['accountStates.syncTime', eventCounts.as('eventCounts')])
    .select([hasDelegate.as('hasDelegate'), oauth2Provider.as('oauth2Provider')])
}

const accountRow = compileOnce((db, account: string) =>
  listedAccounts(db)
    .leftJoin('oauth2Tokens', 'oauth2Tokens.account', 'accounts.account')
    .leftJoin('oauth2ConsentErrors', 'oauth2ConsentErrors.account', 'accounts.account')
    .select('accountStates.mailboxAddress')
    .select(['oauth2ConsentErrors.error as consentError', 'oauth2ConsentErrors.failedAt'])
    .select([
      'expectedEmail',
      'path',
      'subconnections',
      'webhooksCustomHeaders',
      'copy',
      'logs',
      'paused',
    ])
    .select(['notifyFrom', 'imapIndexer', 'locale', 'tz', 'accountStates.connections'])
    .select(['accountStates.authFailureDisabledAt', 'accountStates.syncError'])
    .select(['oauth2Tokens.scopes', 'oauth2Tokens.expiresAt as tokenExpiresAt'])
    .select(['oauth2Tokens.updatedAt as tokenUpdatedAt', grantedAt.as('grantedAt')])
    .select([passwordKinds.as('passwords'), baseScopes.as('baseScopes')])
    .select(lastSendingAttempt.as('lastSendingAttempt'))
    .where('accounts.account', '=', account),
)

/** Finds an account with its state, token expiry, credential kinds and last sending attempt. */
export async function findAccount(db: Db, account: string) {
  const [row] = await accountRow(db, account)
  return row
}
export type AccountRow = NonNullable<Awaited<ReturnType<typeof findAccount>>>

/**
 * One page of the accounts that match a filter, ordered by id, and the number of all matching
 * accounts.
 */
export function listAccounts(db: Db, filter: AccountJobFilter, page: PageRequest) {
  const matching = listedAccounts(db).where(matchesAccount(filter))
  return readPage(matching.orderBy('accounts.account'), page)
}
export type AccountListRow = Awaited<ReturnType<typeof listAccounts>>['rows'][number]

/** Latest watch of an account: its registration for notifications of its mail provider. */
export function findWatch(db: Db, account: string) {
  return db
    .selectFrom('apiWatches')
    .select(['remoteId', 'state', 'expiresAt', 'lastError'])
    .select(['attemptedAt', 'createFailures', 'renewFailures'])
    .where('account', '=', account)
    .orderBy('renewAt', 'desc')
    .limit(1)
    .executeTakeFirst()
}
