import type { IncomingMessage } from 'node:http'
import type { Bus } from '@posthorn/bus'
import type { Db } from '@posthorn/db'
import { runPeriodically } from '@posthorn/flow'
import type { Logger, Metrics } from '@posthorn/telemetry'
import type { AuditLog } from '../audit/audit-log.ts'
import { deleteExpiredAttempts } from '../store/attempts.ts'
import { deleteExpiredChallenges } from '../store/challenges.ts'
import { deleteExpiredLinks } from '../store/links.ts'
import { countSessions } from '../store/open-sessions.ts'
import { deleteExpiredSessions } from '../store/sessions.ts'
import { AttemptLimits } from './attempt-limits.ts'
import { PasswordHasher } from './passwords.ts'
import type { CheckOneTimeCode } from './second-factor.ts'
import { Sessions } from './sessions.ts'

/** Result of a sign-in, the label of the metric that counts sign-ins. */
export type SignInResult = 'done' | 'failed' | 'limited' | 'secondFactor'

export interface IdentityOptions {
  db: Db
  bus: Bus
  log: Logger
  metrics: Metrics
  audit: AuditLog
  addressOf: (request: IncomingMessage) => string
  checkOneTimeCode: CheckOneTimeCode
  /** Ways to sign in besides passkeys. */
  offers: SignInOffers
}

export interface SignInOffers {
  /** False if people sign in at the OpenID provider only, without passwords. */
  passwords: boolean
  oidc?: { name: string; logout?: string } | undefined
}

/**
 * Database, audit log, limits and other tools of the endpoints for sign-ins, sessions and people.
 */
export interface Identity extends Pick<
  IdentityOptions,
  'db' | 'audit' | 'addressOf' | 'checkOneTimeCode' | 'offers'
> {
  sessions: Sessions
  passwords: PasswordHasher
  limits: AttemptLimits
  countSignIn: (result: SignInResult) => void
}

/** Interval at which expired sessions, links, unfinished sign-ins and attempts are deleted. */
const retentionMs = 600_000

/**
 * Creates the tools of the endpoints for sign-ins, and starts the task that deletes expired rows.
 */
export function createIdentity(stack: AsyncDisposableStack, options: IdentityOptions): Identity {
  const { db, log, metrics, audit, addressOf, checkOneTimeCode, offers } = options
  const sessions = stack.use(new Sessions(options))
  const passwords = new PasswordHasher()
  const signIns = metrics.counter({
    name: 'admin_sign_ins_total',
    help: 'Sign-ins to the administration pages, by result',
    labels: ['result'],
  })
  metrics.gauge({
    name: 'admin_sessions',
    help: 'Sessions of people at the administration pages, of all replicas',
    collect: () => countSessions(db),
  })
  metrics.gauge({
    name: 'admin_password_hashings_waiting',
    help: 'Sign-ins that wait until their password is hashed',
    collect: () => passwords.waiting,
  })
  stack.use(
    runPeriodically({ everyMs: retentionMs, log, name: 'retention of sessions' }, () =>
      deleteExpired(db),
    ),
  )
  const countSignIn = (result: SignInResult) => signIns.inc({ result })
  const tools = { sessions, passwords, limits: new AttemptLimits(db), countSignIn }
  return { db, audit, addressOf, checkOneTimeCode, offers, ...tools }
}

async function deleteExpired(db: Db): Promise<void> {
  await deleteExpiredSessions(db)
  await deleteExpiredLinks(db)
  await deleteExpiredChallenges(db)
  await deleteExpiredAttempts(db)
}
