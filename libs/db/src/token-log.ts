import { sql } from 'kysely'
import { DatabaseError } from 'pg'
import type { TokenRefusal, TokenUse } from './access.ts'
import type { Db } from './connect.ts'
import type { SettingsCache } from './settings.ts'

/** One use of a token, or an attempt. Nothing in it may hold a token's value. */
export interface TokenLogNote {
  token: string
  ip: string
  /** Of HTTP, or the name of another door. */
  method: string
  path: string
  action: string
  group: string
  account: string | null
  /** Why it was refused; null where it was not. */
  denied: string | null
}

type Entry = TokenLogNote & { at: Date }

/** The audit log of tokens, as a door keeps it. */
export interface TokenLog extends AsyncDisposable {
  /** Called only where the settings ask for the log. Returns at once. */
  note(describe: () => TokenLogNote): void
}

export interface TokenLogOptions {
  /** Between two writes; default 1 s. */
  everyMs?: number
  /** What waits in memory while Postgres is slow or away; default 20,000. Entries beyond are not kept. */
  maxWaiting?: number
  /** Told of writes that failed; their entries wait for the next one. */
  onError?: (error: unknown) => void
  /** Told of how many entries were not kept. */
  onLost?: (entries: number) => void
}

const perStatement = 2_000
/** Long paths are cut: a request may have 16 KB of them. */
const maxLength = 1_024

/**
 * Writes entries off the path of requests, in batches. A process that is killed loses those of the last second, and what waited for
 * Postgres; disposing writes what is left.
 */
export function keepTokenLog(
  db: Db,
  settings: SettingsCache,
  { everyMs = 1_000, maxWaiting = 20_000, onError, onLost }: TokenLogOptions = {},
): TokenLog {
  let waiting: Entry[] = []
  let lost = 0
  let writing: Promise<void> = Promise.resolve()
  const write = async () => {
    if (lost > 0) onLost?.(lost)
    lost = 0
    while (waiting.length > 0) {
      const batch = waiting.splice(0, perStatement)
      try {
        await insertEntries(db, batch)
      } catch (error) {
        // What cannot be stored as it is keeps nobody else back.
        if (isAboutEntries(error)) lost += batch.length
        else waiting = [...batch, ...waiting]
        onError?.(error)
        return
      }
    }
  }
  const timer = setInterval(() => {
    writing = writing.then(write)
  }, everyMs)
  timer.unref()
  const note = async (describe: () => TokenLogNote, at: Date) => {
    const { tokenAuditLog = false } = await settings.get()
    if (!tokenAuditLog) return
    if (waiting.length < maxWaiting) waiting.push({ ...describe(), at })
    else lost += 1
  }
  return {
    note: (describe) => void note(describe, new Date()).catch(() => (lost += 1)),
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      // Notes of a moment ago may still wait for the same answer.
      await settings.get().catch(() => undefined)
      await writing
      await write()
    },
  }
}

/** What reaching for a mailbox or sending by a mail client counts as. */
const doors = {
  smtp: { action: 'send', group: 'submit' },
  'imap-proxy': { action: 'read', group: 'message' },
} as const

/** What became of a token at a mail door. */
export interface DoorVisit {
  /** Undefined where there is no token of that value. */
  token: string | undefined
  refused: TokenRefusal | 'rate' | undefined
  /** The command that the client gave, without its arguments. */
  said: string
}

const refusals: Record<TokenRefusal | 'rate', string> = {
  unknown: 'Bad token',
  expired: 'Token expired',
  scope: 'Unauthorized scope',
  account: 'Unauthorized account',
  permission: 'Unauthorized permission',
  address: 'Unauthorized address',
  rate: 'Rate limit exceeded',
}

/** Notes what a token was used for at a mail door; nothing where there is no such token. */
export function noteAtDoor(
  log: TokenLog,
  { scope, account, address }: TokenUse,
  { token, refused, said }: DoorVisit,
): void {
  if (token === undefined) return
  const denied = refused === undefined ? null : refusals[refused]
  const about = { account, ip: address, ...doors[scope] }
  log.note(() => ({ token, method: scope, path: said, denied, ...about }))
}

function isAboutEntries(error: unknown): boolean {
  return error instanceof DatabaseError && /^2[23]/.test(error.code ?? '')
}

async function insertEntries(db: Db, entries: readonly Entry[]): Promise<void> {
  const texts = (key: Exclude<keyof Entry, 'at'>) =>
    entries.map((entry) => entry[key]?.replaceAll('\0', '').slice(0, maxLength) ?? null)
  await sql`
    insert into token_log (token, at, ip, method, path, action, action_group, account, denied)
    select * from unnest(
      ${texts('token')}::text[], ${entries.map(({ at }) => at)}::timestamptz[], ${texts('ip')}::text[],
      ${texts('method')}::text[], ${texts('path')}::text[], ${texts('action')}::text[],
      ${texts('group')}::text[], ${texts('account')}::text[], ${texts('denied')}::text[]
    )
  `.execute(db)
}
