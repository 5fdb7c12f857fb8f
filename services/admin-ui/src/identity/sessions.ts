import type { IncomingMessage } from 'node:http'
import type { Bus } from '@posthorn/bus'
import { batchStatements, type Db, type Tx } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { TaskGroup } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import type { AuditLog } from '../audit/audit-log.ts'
import {
  deleteSessions,
  type EndedSelection,
  findSessions,
  insertSession,
  markFactorAt,
  type StoredSession,
  touchSession,
} from '../store/sessions.ts'
import { describeBrowser } from './browser-name.ts'
import { deriveCredential, hashSecret, newId, newSessionSecrets } from './secrets.ts'
import {
  clearSessionCookie,
  type Exchange,
  readSessionCookie,
  setSessionCookie,
} from './session-cookie.ts'
import type { Authenticate, SignedIn } from './signed-in.ts'

export interface SessionsDeps {
  db: Db
  bus: Pick<Bus, 'invalidate'>
  audit: AuditLog
  log: Logger
  /** Returns the network address of the client that sent a request. */
  addressOf: (request: IncomingMessage) => string
}

/** Conditions under which a sign-in starts a session. */
export interface StartConditions {
  /**
   * Password hash that the sign-in has checked. The session starts only if the hash is still
   * stored.
   */
  password?: string | undefined
  /**
   * Uses up what the sign-in was based on, such as a ticket, in the transaction that inserts the
   * session. The session starts only if the result is true.
   */
  consume?: (tx: Tx) => Promise<boolean>
  /** Name of the sign-in in the audit log. Defaults to `signIn`. */
  operation?: string
}

/** Sessions of signed-in people: starts, finds and ends sessions. */
export class Sessions implements AsyncDisposable {
  readonly #deps: SessionsDeps
  readonly #tasks: TaskGroup
  /**
   * Function that finds sessions in batches, so that a flood of forged cookies needs only one
   * connection to Postgres.
   */
  readonly #find: (hash: string) => Promise<StoredSession | undefined>

  constructor(deps: SessionsDeps) {
    this.#deps = deps
    const { db, log } = deps
    const onError = (err: unknown) => log.debug({ err }, 'background task failed')
    this.#tasks = new TaskGroup({ onError })
    this.#find = batchStatements((hashes: string[]) => findSessions(db, hashes))
  }

  /**
   * Finds the signed-in person of a request. The session is read from the database each time. An
   * ended session and a changed role therefore take effect in the next request at every replica.
   */
  readonly authenticate: Authenticate = async (request) => {
    const signedIn = await this.find(request)
    if (signedIn) return signedIn
    const reason = readSessionCookie(request) === undefined ? 'no session' : 'unknown session'
    throw new AppError('unauthorized', 'Sign in to continue', { reason })
  }

  /** Finds the signed-in person of a request. Undefined without a valid session. */
  async find(request: IncomingMessage): Promise<SignedIn | undefined> {
    const cookie = readSessionCookie(request)
    if (cookie === undefined) return undefined
    const stored = await this.#find(hashSecret(cookie))
    if (!stored) return undefined
    if (stored.isStale) this.#tasks.run(touchSession(this.#deps.db, stored.id))
    return toSignedIn(stored, cookie, this.#deps.addressOf(request))
  }

  /**
   * Starts a session of an enabled person, sets the cookie and records the sign-in. An earlier
   * session of the same browser ends.
   *
   * @throws AppError `unauthorized` if the person or the password has changed in the meantime
   */
  async start(
    person: string,
    exchange: Exchange,
    { password, consume, operation = 'signIn' }: StartConditions = {},
  ): Promise<SignedIn> {
    const { db, audit } = this.#deps
    const { request } = exchange
    const address = this.#deps.addressOf(request)
    const { cookie, stored: secrets } = newSessionSecrets()
    const browser = describeBrowser(request.headers['user-agent'])
    const session = { ...secrets, id: newId(), person, address, browser }
    const earlier = readSessionCookie(request)
    const ended = await db.transaction().execute(async (tx) => {
      if (!(await insertSession(tx, session, { password }))) throw changedMeanwhile()
      if (consume && !(await consume(tx))) throw changedMeanwhile()
      return earlier === undefined ? [] : await deleteSessions(tx, { hash: hashSecret(earlier) })
    })
    this.broadcastEnd(ended)
    const stored = await this.#find(secrets.hash)
    if (!stored) throw changedMeanwhile()
    const signedIn = toSignedIn(stored, cookie, address)
    await audit.result({ signedIn, address, operation, ...routeOf(request) }, 'done')
    setSessionCookie(exchange, cookie)
    return signedIn
  }

  /** Marks that the person of a session has repeated a factor, for actions that need a step-up. */
  async markFactor(session: Pick<SignedIn['session'], 'id'>): Promise<void> {
    if (!(await markFactorAt(this.#deps.db, session.id)))
      throw new AppError('unauthorized', 'Sign in to continue', { reason: 'unknown session' })
    this.broadcastEnd([session.id])
  }

  /** Ends the session of a request and removes its cookie. */
  async signOut(exchange: Exchange): Promise<void> {
    const cookie = readSessionCookie(exchange.request)
    if (cookie !== undefined) await this.end({ hash: hashSecret(cookie) })
    clearSessionCookie(exchange)
  }

  /** Ends the selected sessions at all replicas. Returns the number of ended sessions. */
  async end(selection: EndedSelection): Promise<number> {
    const ended = await deleteSessions(this.#deps.db, selection)
    this.broadcastEnd(ended)
    return ended.length
  }

  /**
   * Tells all replicas that sessions have ended or changed. Must be called after the commit of the
   * change.
   */
  broadcastEnd(ids: readonly string[]): void {
    for (const id of ids) this.#tasks.run(this.#deps.bus.invalidate({ topic: 'adminSessions', id }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tasks.drain()
  }
}

/**
 * Returns the method and path of a request for the audit log, without the query, which may contain
 * tokens.
 */
export function routeOf(request: IncomingMessage): { method: string; path: string } {
  const { method = 'GET', url = '/' } = request
  const full = 'originalUrl' in request ? String(request.originalUrl) : url
  return { method, path: full.split('?')[0] ?? '/' }
}

function toSignedIn(stored: StoredSession, cookie: string, address: string): SignedIn {
  const { id, createdAt, expiresAt, factorAt, mailUntil, mailReason } = stored
  const { person, email, name, role, mayReadMail } = stored
  return {
    person: { id: person, email, name, role, mayReadMail },
    session: { id, createdAt, expiresAt, factorAt, mailUntil, mailReason },
    credential: deriveCredential(cookie, stored.salt),
    address,
  }
}

function changedMeanwhile(): AppError {
  return new AppError('unauthorized', 'The sign-in is not valid any more. Sign in again')
}
