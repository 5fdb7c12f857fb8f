import {
  type Db,
  findSealedSettingRevision,
  listTokens,
  refusalOf,
  type TokenRow,
} from '@posthorn/db'
import { serverPassword } from './access.ts'
import type { Session, Sessions } from './sessions.ts'
import { listUsableAccounts } from './store/accounts.ts'

/** Ends the sessions whose token has expired. */
export function endExpired(sessions: Sessions, now: number = Date.now()): void {
  for (const session of sessions.list()) {
    const { expiresAt } = session.key
    if (expiresAt && expiresAt.getTime() <= now) session.end('Session expired')
  }
}

/**
 * Ends the sessions whose token was revoked or restricted since, or whose password is another now, and those whose account is gone.
 * Rejects, and ends none, where Postgres cannot be asked.
 */
export async function revalidate(db: Db, sessions: Sessions): Promise<void> {
  const open = sessions.list()
  if (open.length === 0) return
  const [tokens, accounts, passwordRevision] = await Promise.all([
    listTokens(
      db,
      unique(open.flatMap(({ key }) => (key.tokenId === undefined ? [] : [key.tokenId]))),
    ),
    listUsableAccounts(db, unique(open.map(({ account }) => account))),
    findSealedSettingRevision(db, serverPassword.setting),
  ])
  const good = { tokens: new Map(tokens.map((token) => [token.id, token])), passwordRevision }
  for (const session of open)
    if (!accounts.has(session.account) || !isGood(session, good))
      session.end('Access was withdrawn')
}

interface Good {
  tokens: ReadonlyMap<string, TokenRow>
  passwordRevision: string | undefined
}

function isGood({ key, account, address }: Session, good: Good): boolean {
  if (key.tokenId === undefined) return key.passwordRevision === good.passwordRevision
  const token = good.tokens.get(key.tokenId)
  return (
    token !== undefined && refusalOf(token, { scope: 'imap-proxy', account, address }) === undefined
  )
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)]
}
