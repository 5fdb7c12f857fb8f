import { isExpired, listTokens, type ProxyTokenUse } from '@posthorn/access'
import { type Db, findSealedSettingRevision } from '@posthorn/db'
import { type PeriodicTask, runPeriodically } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import { sessionExpired, terminationReason } from './auth-snapshot.ts'
import type { ClientSessions } from './client-sessions.ts'
import type { ServerPassword } from './server-password.ts'

/** Rules by which a proxy admits sessions. */
export interface SessionPolicy {
  scope: ProxyTokenUse['scope']
  password: Pick<ServerPassword, 'setting'>
  /** Returns the accounts of the list that exist and may use this proxy. */
  usableAccounts: (accounts: readonly string[]) => Promise<ReadonlySet<string>>
}

/**
 * Interval of revalidation, which covers lost invalidations: a revoked token always ends its
 * sessions within 1 s.
 */
const revalidateMs = 900
const expireMs = 500

/**
 * Starts ending sessions that may not continue, until `stack` is disposed. Expired tokens take
 * effect within 500 ms, other changes within 900 ms or on `wake`. While Postgres is unavailable,
 * only expired tokens end sessions.
 */
export function revalidateSessions(
  stack: AsyncDisposableStack,
  sessions: ClientSessions,
  { db, log, policy }: { db: Db; log: Logger; policy: SessionPolicy },
): Pick<PeriodicTask, 'wake'> {
  stack.use(
    runPeriodically({ everyMs: expireMs, log, name: 'expiry' }, async () => endExpired(sessions)),
  )
  return stack.use(
    runPeriodically({ everyMs: revalidateMs, log, name: 'sessions' }, () =>
      revalidate(db, sessions, policy),
    ),
  )
}

function endExpired(sessions: ClientSessions): void {
  const now = Date.now()
  for (const session of sessions.list())
    if (isExpired(session.auth, now)) session.end(sessionExpired)
}

/**
 * Ends sessions whose token is expired, revoked or restricted, whose server password changed, or
 * whose account was deleted. Rejects without ending any if Postgres is unavailable.
 */
async function revalidate(db: Db, sessions: ClientSessions, policy: SessionPolicy): Promise<void> {
  const open = sessions.list()
  if (open.length === 0) return
  const [tokens, accounts, passwordRevision] = await Promise.all([
    listTokens(db, unique(open.flatMap(({ auth }) => auth.tokenId ?? []))),
    policy.usableAccounts(unique(open.map(({ account }) => account))),
    findSealedSettingRevision(db, policy.password.setting),
  ])
  const snapshot = {
    scope: policy.scope,
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
