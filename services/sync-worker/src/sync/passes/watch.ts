import { NotificationHandler, type WatchResult } from './notification-handler.ts'
import type { SyncContext } from '../context.ts'
import { syncMailbox } from '../changes/mailbox-sync.ts'

/** How often a mailbox is synced on end while the server goes on changing it, before others get their turn. */
const maxRepeats = 5
const maxTimer = 2 ** 31 - 1

/**
 * What the server says while we work may not be heard: only when it names the same counters as before has nothing come in between, and
 * from then on watching hears everything.
 */
export async function syncUntilUnchanged(
  context: SyncContext,
  mailbox: string,
  { full }: { full: boolean },
): Promise<{ doubtful: boolean }> {
  for (let repeat = 0; repeat < maxRepeats; repeat++) {
    const { changed, unconfirmed: doubtful } = await syncMailbox(context, mailbox, {
      full: full && repeat === 0,
    })
    if (!changed) return { doubtful }
  }
  return { doubtful: false }
}

export interface WatchOptions {
  /** Also hears of all other mailboxes. */
  allMailboxes: boolean
  forMs: number
  /** Aborted when somebody wants the watching to end. */
  interrupt?: AbortSignal
}

/** Watches the mailbox that is selected until something calls for a look, time is up, or somebody calls. What calls for a look. */
export async function watch(
  context: SyncContext,
  mailbox: string,
  { allMailboxes: everywhere, forMs, interrupt: nudge }: WatchOptions,
): Promise<WatchResult> {
  const { session, signal } = context
  const stop = new AbortController()
  const attendant = new NotificationHandler(context, mailbox, () => stop.abort())
  const timer = setTimeout(() => stop.abort(), Math.min(Math.max(forMs, 0), maxTimer))
  const signals = [signal, stop.signal, ...(nudge ? [nudge] : [])]
  try {
    const watching = session.watch((notice) => attendant.handle(notice), AbortSignal.any(signals), {
      everywhere,
    })
    attendant.begin()
    await watching
  } finally {
    clearTimeout(timer)
    await attendant.settle()
  }
  signal.throwIfAborted()
  // Over although nobody asked for it: the connection is gone, and says so when it is used.
  if (!stop.signal.aborted && !nudge?.aborted) await session.ping()
  return attendant.result
}
