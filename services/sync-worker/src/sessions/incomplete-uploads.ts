import type { Db } from '@posthorn/db'
import type { Logger } from '@posthorn/telemetry'
import {
  claimUploadDrafts,
  deleteUploadDraft,
  type DueUploadDraft,
  postponeUploadDraft,
} from '../store/upload-drafts.ts'
import type { Registry } from './registry.ts'

export interface IncompleteUploadDeps {
  db: Db
  log: Logger
  sessions: Pick<Registry, 'find'>
  /** Shards that this worker holds. */
  shards: () => readonly number[]
}

/** Successful checks of an upload: the search index of a provider lags behind. */
const maxChecks = 4
/** Delay of the second check, doubled for each further one. */
const firstDelayMs = 60_000
/** Drafts of an account that cannot be used for this time are left where they are. */
const maxAgeMs = 24 * 3_600_000
const timeoutMs = 30_000
const limit = 20

/**
 * Creates the task that removes the drafts of interrupted uploads. A check that fails is repeated
 * after a minute, for a day.
 */
export function removeIncompleteUploads(deps: IncompleteUploadDeps) {
  return async (signal: AbortSignal): Promise<void> => {
    const due = await claimUploadDrafts(deps.db, { shards: deps.shards(), limit })
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
  const { upload, account, messageId, checks, ageMs } = draft
  try {
    const driver = sessions.find(account)?.driver
    const ended = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    if (!driver?.discardIncompleteDrafts) throw new Error('The account has no session')
    await driver.discardIncompleteDrafts(messageId, ended, Date.now() + timeoutMs)
    if (checks + 1 >= maxChecks) await deleteUploadDraft(db, upload)
    else await postponeUploadDraft(db, draft, firstDelayMs * 2 ** checks)
  } catch (err) {
    if (ageMs <= maxAgeMs) return
    log.warn({ err, account, upload }, 'incomplete draft of an upload may be left')
    await deleteUploadDraft(db, upload)
  }
}
