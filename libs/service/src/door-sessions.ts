import { setTimeout as delay } from 'node:timers/promises'
import { type Db, findSealedSettingRevision, listTokens, type TokenUse } from '@posthorn/db'
import type { Logger } from '@posthorn/telemetry'
import { endingOf, isExpired, sessionExpired } from './door-grounds.ts'
import { type PeriodicTask, runPeriodically } from '@posthorn/flow'
import type { ServerPassword } from './server-password.ts'

/** What a session stands on, a token or the password for all accounts; when that goes, it goes. */
export type DoorKey =
  | { tokenId: string; expiresAt: Date | null; passwordRevision?: never }
  | { passwordRevision: string; tokenId?: never; expiresAt?: never }

/** A mail client that was let in. */
export interface DoorSession {
  readonly key: DoorKey
  readonly account: string
  readonly address: string
  end(reason: string): void
}

/** The sessions of this process. */
export class DoorSessions {
  readonly #sessions = new Set<DoorSession>()

  get size(): number {
    return this.#sessions.size
  }

  list(): DoorSession[] {
    return [...this.#sessions]
  }

  add(session: DoorSession): void {
    this.#sessions.add(session)
  }

  delete(session: DoorSession): void {
    this.#sessions.delete(session)
  }

  /** Ends all, spread over a time so that they do not all come back at once. Resolves when the last was told. */
  async endAll(reason: string, spreadMs: number): Promise<void> {
    await Promise.all(
      this.list().map(async (session) => {
        await delay(Math.random() * spreadMs)
        session.end(reason)
      }),
    )
  }
}

/** Who may come in at a door, and by what. */
export interface DoorRules {
  scope: TokenUse['scope']
  password: Pick<ServerPassword, 'setting'>
  /** Those of the accounts that are still there, and for this door. */
  usableAccounts: (accounts: readonly string[]) => Promise<ReadonlySet<string>>
}

/** A notice wakes the look at once; this is for when none comes, and still within a second. */
const revalidateMs = 900
const expireMs = 500

/**
 * Keeps looking whether the sessions may go on, with `opened`: within half a second of the end of a token, and, where `wake` is told of every
 * notice, as soon of any other change. While Postgres is away none is ended.
 */
export function watchSessions(
  opened: AsyncDisposableStack,
  sessions: DoorSessions,
  { db, log, rules }: { db: Db; log: Logger; rules: DoorRules },
): Pick<PeriodicTask, 'wake'> {
  opened.use(
    runPeriodically({ everyMs: expireMs, log, name: 'expiry' }, async () => endExpired(sessions)),
  )
  return opened.use(
    runPeriodically({ everyMs: revalidateMs, log, name: 'sessions' }, () =>
      revalidate(db, sessions, rules),
    ),
  )
}

function endExpired(sessions: DoorSessions): void {
  const now = Date.now()
  for (const session of sessions.list()) if (isExpired(session, now)) session.end(sessionExpired)
}

/**
 * Ends the sessions whose token has expired, was revoked or restricted since, or whose password is another now, and those whose account
 * is gone. Rejects, and ends none, where Postgres cannot be asked.
 */
async function revalidate(db: Db, sessions: DoorSessions, rules: DoorRules): Promise<void> {
  const open = sessions.list()
  if (open.length === 0) return
  const [tokens, accounts, passwordRevision] = await Promise.all([
    listTokens(
      db,
      unique(open.flatMap(({ key }) => (key.tokenId === undefined ? [] : [key.tokenId]))),
    ),
    rules.usableAccounts(unique(open.map(({ account }) => account))),
    findSealedSettingRevision(db, rules.password.setting),
  ])
  const grounds = {
    scope: rules.scope,
    tokens: new Map(tokens.map((token) => [token.id, token])),
    accounts,
    passwordRevision,
  }
  for (const session of open) {
    const ending = endingOf(session, grounds)
    if (ending !== undefined) session.end(ending)
  }
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)]
}
