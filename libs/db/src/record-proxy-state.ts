import type { ChangeType, ProxyState } from '@posthorn/contracts/schemas/changes'
import { sql } from 'kysely'
import type { Db } from './connect.ts'

/** Kinds of proxy state changes in `GET /v1/changes`, for imap-proxy and smtp-proxy. */
export type ProxyChangeType = Extract<ChangeType, 'imapProxyServerState' | 'smtpServerState'>

/** Records the state of the listener of imap-proxy or smtp-proxy for `GET /v1/changes`. */
export async function recordProxyState(
  db: Db,
  type: ProxyChangeType,
  { state, error }: { state: ProxyState; error?: string },
): Promise<void> {
  await sql`select record_proxy_state(${type}, ${state}, ${error ?? null})`.execute(db)
}
