import type { AdminRole } from '@posthorn/contracts/admin/roles'
import type { Db } from '@posthorn/db'
import { messageOf } from '@posthorn/errors'
import { type PeriodicTask, runPeriodically } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import { findOpenSessions, type OpenSession } from '../store/open-sessions.ts'

/**
 * Response of api-gateway that is still streamed to a browser, and the session that permits the
 * response.
 */
export interface WatchedCall {
  session: string
  role: AdminRole
  /**
   * True if the open response contains mail, so that the session needs the active right to read
   * mail.
   */
  needsMail: boolean
  /** Called when the session has ended or no longer permits the open response. */
  ended(): void
}

/**
 * Interval at which the sign-in sessions of open HTTP responses (downloads and event streams) are
 * checked. Such a response ends within a second after its session, even if the broadcast about the
 * end of the session is lost.
 */
const everyMs = 800

/**
 * Checks the sessions of all responses that are streamed to browsers, in one query. Runs no query
 * without such responses. Without Postgres, the responses stay open: an outage ends no session.
 */
export class SessionWatch implements AsyncDisposable {
  readonly #calls = new Set<WatchedCall>()
  readonly #db: Db
  readonly #log: Pick<Logger, 'debug' | 'error'>
  readonly #task: PeriodicTask

  constructor(db: Db, log: Pick<Logger, 'debug' | 'error'>) {
    this.#db = db
    this.#log = log
    this.#task = runPeriodically({ everyMs, name: 'sessions of open calls', log }, () =>
      this.#check(),
    )
  }

  /** Watches the session that permits an open response, until the returned object is disposed. */
  watch(call: WatchedCall): Disposable {
    this.#calls.add(call)
    return { [Symbol.dispose]: () => void this.#calls.delete(call) }
  }

  /**
   * Checks the sessions of all open responses now, because a broadcast says that a session has
   * changed.
   */
  wake(): void {
    this.#task.wake()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#task[Symbol.asyncDispose]()
  }

  async #check(): Promise<void> {
    const calls = [...this.#calls]
    if (calls.length === 0) return
    try {
      const open = await findOpenSessions(this.#db, [
        ...new Set(calls.map(({ session }) => session)),
      ])
      const sessions = new Map(open.map((session) => [session.id, session]))
      for (const call of calls) if (!permits(sessions.get(call.session), call)) call.ended()
    } catch (error) {
      this.#log.debug({ reason: messageOf(error) }, 'checking sessions of open calls failed')
    }
  }
}

/**
 * True if a session permits an open response. After a change of the person's role, the response
 * ends and the client must repeat the request.
 */
function permits(session: OpenSession | undefined, { role, needsMail }: WatchedCall): boolean {
  if (session?.role !== role) return false
  return !needsMail || (session.mayReadMail && session.readsMail)
}
