import { type Db, isDataError, type SettingsCache } from '@posthorn/db'
import type { Logger } from '@posthorn/telemetry'
import type { ProxyTokenUse, TokenRejection } from './check-token.ts'
import { insertTokenLog, type TimedEntry, type TokenLogEntry } from './store/token-log.ts'

export type { TokenLogEntry } from './store/token-log.ts'

/** Audit log of the uses of access tokens, written in the background. */
export interface TokenLog extends AsyncDisposable {
  /**
   * Queues an entry of the access token log. `describe` is called only if the setting
   * `tokenAuditLog` is on.
   */
  record(describe: () => TokenLogEntry): void
}

export interface TokenLogOptions {
  /** Logger that receives a warning for failed writes and dropped entries of the token log. */
  log?: Logger
  /** Time between two writes of the token log; defaults to 1 s. */
  everyMs?: number
  /** Maximum queued entries of the token log; defaults to 20,000. Further entries are dropped. */
  maxWaiting?: number
  /**
   * Called when a write of the token log failed. The entries stay queued, unless Postgres rejects
   * their data.
   */
  onError?: (error: unknown) => void
  /** Called with the number of dropped entries of the token log. */
  onLost?: (entries: number) => void
}

const rowsPerStatement = 2_000

/**
 * Starts the audit log of access tokens. Entries are written in batches, and requests do not wait
 * for these writes. A crash loses the entries of the last interval; disposal writes the queued
 * entries.
 */
export function startTokenLog(
  db: Db,
  settings: SettingsCache,
  options: TokenLogOptions = {},
): TokenLog {
  const { log, everyMs = 1_000, maxWaiting = 20_000 } = options
  const {
    onError = (err) => log?.warn({ err }, 'token log flush failed, will retry'),
    onLost = (entries) => log?.warn({ entries }, 'token log entries dropped'),
  } = options
  let waiting: TimedEntry[] = []
  let lost = 0
  let writing: Promise<void> = Promise.resolve()
  const write = async () => {
    if (lost > 0) onLost(lost)
    lost = 0
    while (waiting.length > 0) {
      const batch = waiting.splice(0, rowsPerStatement)
      try {
        await insertTokenLog(db, batch)
      } catch (error) {
        // Drops a batch of token log entries that Postgres rejects as invalid data, so that the
        // batch does not block later entries.
        if (isDataError(error)) lost += batch.length
        else waiting = [...batch, ...waiting]
        onError(error)
        return
      }
    }
  }
  const timer = setInterval(() => {
    writing = writing.then(write)
  }, everyMs)
  timer.unref()
  const queue = async (describe: () => TokenLogEntry, at: Date) => {
    const { tokenAuditLog = false } = await settings.get()
    if (!tokenAuditLog) return
    if (waiting.length < maxWaiting) waiting.push({ ...describe(), at })
    else lost += 1
  }
  return {
    record: (describe) => void queue(describe, new Date()).catch(() => (lost += 1)),
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      // Disposal of the token log waits for the settings, because entries recorded just before
      // disposal are queued only after the settings were read.
      await settings.get().catch(() => undefined)
      await writing
      await write()
    },
  }
}

/** Action and group with which the token log records a login at a mail proxy. */
const recordedAs = {
  smtp: { action: 'send', group: 'submit' },
  'imap-proxy': { action: 'read', group: 'message' },
} as const

/** Result of the check of an access token at a mail proxy. */
export interface ProxyLogin {
  /** Id of the access token; undefined if the token does not exist. */
  token: string | undefined
  refused: TokenRejection | 'rate' | undefined
  /** Login command of the mail client, without its arguments. */
  command: string
}

const reasons: Record<TokenRejection | 'rate', string> = {
  unknown: 'Bad token',
  expired: 'Token expired',
  scope: 'Unauthorized scope',
  account: 'Unauthorized account',
  permission: 'Unauthorized permission',
  address: 'Unauthorized address',
  rate: 'Rate limit exceeded',
}

/**
 * Records the use of an access token at a mail proxy in the token log. Does nothing if the token
 * does not exist.
 */
export function auditProxyLogin(
  log: TokenLog,
  { scope, account, address }: ProxyTokenUse,
  { token, refused, command }: ProxyLogin,
): void {
  if (token === undefined) return
  const denied = refused === undefined ? null : reasons[refused]
  const { action, group } = recordedAs[scope]
  log.record(() => ({
    token,
    method: scope,
    path: command,
    denied,
    account,
    ip: address,
    action,
    group,
  }))
}
