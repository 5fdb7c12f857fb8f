import { accountTypeOf, type Backend, backendsThat } from '@posthorn/contracts/account-types'
import { sql } from 'kysely'

/**
 * True if a submitted message is sent by the account's mail API. False if an SMTP server sends the
 * message: the gateway (outgoing server that belongs to no account) that the submission names, or
 * else the account's own server. Pure function.
 */
export function sendsByApi(
  account: { backend: Backend },
  gateway: string | object | null | undefined,
): boolean {
  return accountTypeOf(account).sendsBy === 'api' && (gateway ?? undefined) === undefined
}

const smtpBackends = backendsThat(({ sendsBy }) => sendsBy === 'smtp').map((name) => sql.lit(name))

/**
 * SQL condition that a mail API sends the message of an outbox row (see `sendsByApi`). For a query
 * that joins `outbox` with `accounts`.
 */
export const isSentByApi = sql<boolean>`(accounts.backend not in (${sql.join(smtpBackends)})
  and outbox.gateway is null)`
