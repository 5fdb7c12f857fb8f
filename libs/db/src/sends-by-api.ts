import { accountTypeOf, type Backend, backendsThat } from '@posthorn/contracts/account-types'
import { sql } from 'kysely'

/**
 * True if a message is sent by the mail API of its account. Otherwise an SMTP server sends the
 * message: the account's own server, or the gateway, which takes precedence. Pure.
 */
export function sendsByApi(
  account: { backend: Backend },
  gateway: string | object | null | undefined,
): boolean {
  return accountTypeOf(account).sendsBy === 'api' && (gateway ?? undefined) === undefined
}

const smtpBackends = backendsThat(({ sendsBy }) => sendsBy === 'smtp').map((name) => sql.lit(name))

/**
 * SQL condition that a mail API sends the message (see `sendsByApi`), for rows of `outbox` joined
 * with `accounts`.
 */
export const isSentByApi = sql<boolean>`(accounts.backend not in (${sql.join(smtpBackends)})
  and outbox.gateway is null)`
