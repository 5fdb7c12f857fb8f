import { isExpired, listTokens } from '@posthorn/access'
import { type Db, findSealedSettingRevision } from '@posthorn/db'
import { type PeriodicTask, runPeriodically } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import { sessionExpired, terminationReason } from './auth-snapshot.ts'
import type { ClientSessions } from './client-sessions.ts'
import type { ProxyKind } from './proxy-kinds.ts'

/** Function that returns which of the given accounts exist and may use the mail proxy. */
export type UsableAccounts = (accounts: readonly string[]) => Promise<ReadonlySet<string>>

export interface RevalidationOptions {
  db: Db
  log: Logger
  kind: Pick<ProxyKind, 'scope' | 'passwordSetting'>
  usableAccounts: UsableAccounts
}

/**
 * Interval between two checks of all sessions of mail clients. Because of the checks, a revoked
 * access token ends its sessions within 1 s even if the broadcast about the revocation is lost.
 */
const revalidateMs = 900
const expireMs = 500

/**
 * Starts to end sessions of mail clients that may not continue, until `stack` is disposed. Expired
 * tokens take effect within 500 ms, other changes within 900 ms or on `wake`. While Postgres is
 * unavailable, only expired tokens end sessions.
 */
export function revalidateSessions(
  stack: AsyncDisposableStack,
  sessions: ClientSessions,
  options: RevalidationOptions,
): Pick<PeriodicTask, 'wake'> {
  const { log } = options
  stack.use(
    runPeriodically({ everyMs: expireMs, log, name: 'expiry' }, async () => endExpired(sessions)),
  )
  return stack.use(
    runPeriodically({ everyMs: revalidateMs, log, name: 'sessions' }, () =>
      revalidate(sessions, options),
    ),
  )
}

function endExpired(sessions: ClientSessions): void {
  const now = Date.now()
  for (const session of sessions.list())
    if (isExpired(session.auth, now)) session.end(sessionExpired)
}

/**
 * Ends sessions of mail clients whose token is expired, revoked or restricted, whose server
 * password changed, or whose account was deleted. Rejects without ending any session if Postgres is
 * unavailable.
 */
async function revalidate(
  sessions: ClientSessions,
  { db, kind, usableAccounts }: RevalidationOptions,
): Promise<void> {
  const open = sessions.list()
  if (open.length === 0) return
  const [tokens, accounts, passwordRevision] = await Promise.all([
    listTokens(db, unique(open.flatMap(({ auth }) => auth.tokenId ?? []))),
    usableAccounts(unique(open.map(({ account }) => account))),
    findSealedSettingRevision(db, kind.passwordSetting),
  ])
  const snapshot = {
    scope: kind.scope,
    tokens: new Map(tokens.map((token) => [token.id, token])),
    accounts,
    passwordRevision,
  }
  for (const session of open) {
    const reason = terminationReason(session, snapshot)
    if (reason !== undefined) session.end(reason)
  }
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)]
}
