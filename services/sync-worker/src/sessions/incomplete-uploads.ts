import type { Db } from '@posthorn/db'
import type { Logger } from '@posthorn/telemetry'
import { type DueUploadDraft, isInShards, uploadDrafts } from '../store/upload-drafts.ts'
import type { Registry } from './registry.ts'

export interface IncompleteUploadDeps {
  db: Db
  log: Logger
  sessions: Pick<Registry, 'find'>
  /** Shards (groups of accounts) that this worker has leased. */
  shards: () => readonly number[]
}

/**
 * Number of successful checks for incomplete drafts of an upload. Several checks are needed,
 * because a new draft appears in the provider's search index with a delay.
 */
const maxChecks = 4
/**
 * Delay of the second check for an upload's incomplete draft. The delay doubles with each further
 * check.
 */
const firstDelayMs = 60_000
/**
 * Maximum age of an upload whose incomplete draft is searched for. If the account cannot be used
 * during this time, the draft stays at the provider.
 */
const maxAgeMs = 24 * 3_600_000
const timeoutMs = 30_000
/**
 * Time after which another worker repeats a check for an upload's incomplete draft if the check has
 * not ended.
 */
const leaseMs = 60_000
const limit = 20

/**
 * Creates the task that removes incomplete drafts of interrupted uploads. A failed check is
 * repeated after 1 min, for up to 24 h.
 */
export function removeIncompleteUploads(deps: IncompleteUploadDeps) {
  return async (signal: AbortSignal): Promise<void> => {
    const where = isInShards(deps.shards())
    const due = await uploadDrafts.claim(deps.db, { limit, leaseMs, where })
    const byAccount = Map.groupBy(due, ({ account }) => account)
    await Promise.all(
      Array.from(byAccount.values(), async (drafts) => {
        for (const draft of drafts) await check(deps, draft, signal)
      }),
    )
  }
}

async function check(
  { db, log, sessions }: IncompleteUploadDeps,
  draft: DueUploadDraft,
  signal: AbortSignal,
): Promise<void> {
  const { key: upload, account, messageId, count, ageMs } = draft
  try {
    const driver = sessions.find(account)?.driver
    const ended = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    if (!driver?.discardIncompleteDrafts) throw new Error('The account has no session')
    await driver.discardIncompleteDrafts(messageId, {
      signal: ended,
      deadline: Date.now() + timeoutMs,
    })
    if (count + 1 >= maxChecks) return await uploadDrafts.end(db, draft)
    await uploadDrafts.postpone(db, draft, { delayMs: firstDelayMs * 2 ** count, counted: true })
  } catch (err) {
    if (ageMs <= maxAgeMs) return
    log.warn({ err, account, upload }, 'incomplete draft of an upload may be left')
    await uploadDrafts.end(db, draft)
  }
}
