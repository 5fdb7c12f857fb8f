import type { Operation } from '@posthorn/contracts/define'
import { isExpired, listTokens } from '@posthorn/access'
import type { Db } from '@posthorn/db'
import { messageOf } from '@posthorn/errors'
import type { Logger } from '@posthorn/telemetry'
import { type AccessContext, authorize } from './authorize.ts'
import { type AdminSession, findAdminSessions } from '../store/access/admin-sessions.ts'
import type { Token } from '../store/access/tokens.ts'
import type { Caller } from './authenticate.ts'
import { authorizePerson } from './authorize-person.ts'

/** Open HTTP response, such as a change stream or a download, and the caller who may read it. */
export interface WatchedResponse extends AccessContext {
  operation: Operation
  caller: Pick<Caller, 'token' | 'person'>
  /**
   * Called when the access token or session of the caller has ended or no longer permits the
   * response.
   */
  refused(): void
}

/**
 * Interval at which the access tokens and sessions of open responses are revalidated. Responses to
 * revoked tokens and ended sessions end within a second, even if the broadcast is lost.
 */
const everyMs = 900

/**
 * Revalidates the tokens of open responses in one query, and the sessions of people in another.
 * Runs no query without open responses. Does not watch responses to callers without an access
 * token.
 */
export class TokenWatch implements Disposable {
  readonly #db: Db
  readonly #log: Logger
  readonly #watched = new Set<WatchedResponse>()
  #timer: NodeJS.Timeout | undefined

  constructor(db: Db, log: Logger) {
    this.#db = db
    this.#log = log
  }

  watch(watched: WatchedResponse): Disposable {
    if (watched.caller.token === null) return { [Symbol.dispose]: () => undefined }
    this.#watched.add(watched)
    this.#timer ??= setInterval(() => void this.check(), everyMs)
    return {
      [Symbol.dispose]: () => {
        this.#watched.delete(watched)
        if (this.#watched.size === 0) this[Symbol.dispose]()
      },
    }
  }

  async check(): Promise<void> {
    const open = [...this.#watched]
    if (open.length === 0) return
    try {
      const [tokens, sessions] = await Promise.all([
        findTokens(this.#db, open),
        findSessions(this.#db, open),
      ])
      for (const watched of open) {
        const { token, person } = watched.caller
        const isAdmitted = person
          ? admitsPerson(sessions.get(person.hash), watched)
          : admits(tokens.get(token?.id ?? ''), watched)
        if (!isAdmitted) watched.refused()
      }
    } catch (error) {
      // The tokens and sessions of open responses stay unchecked while Postgres is unavailable.
      // Open responses deliver nothing new during that time either.
      this.#log.debug({ reason: messageOf(error) }, 'revalidating tokens of responses failed')
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

/** Stored access tokens of open responses, by id. Runs no query without such responses. */
async function findTokens(db: Db, open: readonly WatchedResponse[]): Promise<Map<string, Token>> {
  const ids = open.flatMap(({ caller: { token, person } }) => (token && !person ? token.id : []))
  const rows = ids.length > 0 ? await listTokens(db, [...new Set(ids)]) : []
  return new Map(rows.map((row) => [row.id, row]))
}

/** Sessions of the people who read open responses, by hash. */
async function findSessions(
  db: Db,
  open: readonly WatchedResponse[],
): Promise<Map<string, AdminSession>> {
  const hashes = open.flatMap(({ caller: { person } }) => person?.hash ?? [])
  const rows = hashes.length > 0 ? await findAdminSessions(db, [...new Set(hashes)]) : []
  return new Map(rows.flatMap((row) => (row ? [[row.hash, row] as const] : [])))
}

function admitsPerson(person: AdminSession | undefined, { operation }: WatchedResponse): boolean {
  return person !== undefined && isAllowed(() => authorizePerson(operation.id, person))
}

function admits(token: Token | undefined, { operation, ...context }: WatchedResponse): boolean {
  if (!token || isExpired(token)) return false
  return isAllowed(() => authorize(operation, token, context))
}

function isAllowed(assert: () => void): boolean {
  try {
    assert()
    return true
  } catch {
    return false
  }
}
