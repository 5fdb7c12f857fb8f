import { type Db, listTokens, refusalOf } from '@posthorn/db'
import type { Session, Sessions } from './sessions.ts'
import { listUsableAccounts } from './store/accounts.ts'

/**
 * Ends the sessions whose token was revoked, has expired or was restricted since, and those whose account is gone. Where Postgres
 * cannot be asked, only what has expired ends.
 */
export async function revalidate(db: Db, sessions: Sessions): Promise<void> {
  const now = Date.now()
  for (const session of sessions.list()) {
    if (session.expiresAt !== null && session.expiresAt.getTime() <= now)
      session.end('Session expired')
  }
  const open = sessions.list()
  if (open.length === 0) return
  const [tokens, accounts] = await Promise.all([
    listTokens(
      db,
      unique(open, ({ tokenId }) => tokenId),
    ),
    listUsableAccounts(
      db,
      unique(open, ({ account }) => account),
    ),
  ])
  const byId = new Map(tokens.map((token) => [token.id, token]))
  for (const session of open) {
    const token = byId.get(session.tokenId)
    const { account, address } = session
    const usable =
      token && refusalOf(token, { scope: 'imap-proxy', account, address }) === undefined
    if (!usable || !accounts.has(account)) session.end('Access was withdrawn')
  }
}

function unique(sessions: readonly Session[], key: (session: Session) => string): string[] {
  return [...new Set(sessions.map(key))]
}
