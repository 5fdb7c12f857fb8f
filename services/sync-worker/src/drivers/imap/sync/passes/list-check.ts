import type { MailboxStatus } from '@posthorn/backends'
import { defined } from '@posthorn/contracts/defined'
import type { MailboxRow } from '../../../../store/mailboxes.ts'
import type { SyncContext } from '../context.ts'
import { type MailboxList, syncMailboxList } from '../mailbox-list/mailbox-list.ts'
import {
  isMailboxRefusal,
  isOutdated,
  withSecondConnection,
} from '../mailbox-list/second-connection.ts'
import { selectionRules, selectMonitored } from '../mailbox-list/selection.ts'
import { needsSync } from '../sync-plan.ts'

/**
 * IMAP connection over which the mailboxes are listed. With NOTIFY, a connection to Dovecot 2.3 may
 * return an outdated list until the connection ends.
 */
export type ListSource = 'this connection' | 'new connection'

export interface ListInput {
  source: ListSource
  /** False to list the mailboxes without their counters. Default: true. */
  counters?: boolean
}

/**
 * Lists the mailboxes and updates the stored list. Uses the sync connection if the server allows no
 * other connection.
 */
export async function listMailboxes(
  context: SyncContext,
  { source, counters }: ListInput,
): Promise<MailboxList> {
  const withOther = <T>(work: Parameters<typeof withSecondConnection<T>>[1]) =>
    withSecondConnection(context, work)
  if (source === 'new connection') {
    const { session } = context
    const list = await withOther(async (newer) => {
      const { rows, ...rest } = await syncMailboxList({ ...context, session: newer })
      return { rows, ...rest, outdated: await isOutdated({ session, newer }, rows, []) }
    })
    if (list) return list
  }
  const { notify } = context.session.capabilities
  return syncMailboxList(context, defined({ counters, withOther: notify ? withOther : undefined }))
}

/**
 * Lists the mailboxes again, because the sync connection refused listed mailboxes, which may be
 * deleted. Returns true if another connection shows that the sync connection is outdated.
 */
export async function recheckRefused(
  context: SyncContext,
  paths: readonly string[],
): Promise<boolean> {
  const { session } = context
  if (!session.capabilities.notify) {
    await syncMailboxList(context)
    return false
  }
  const outdated = await withSecondConnection(context, async (newer) => {
    const { rows } = await syncMailboxList({ ...context, session: newer })
    return isOutdated({ session, newer }, rows, paths)
  })
  return outdated ?? false
}

/** Properties of a sync pass with which the list of mailboxes is compared with the server. */
interface ListCheckContext extends SyncContext {
  readonly refusals: {
    isSuspended: (path: string, status: MailboxStatus | undefined, now: number) => boolean
    add: (path: string, status: MailboxStatus | undefined, now: number) => void
  }
}

export interface ListCheck {
  /** True if the account should be synced again soon, because further changes are likely. */
  unsettled: boolean
  /** True if the check of the mailbox list changed the stored list. */
  changed: boolean
  /** True if the sync connection shows outdated mailboxes and has to be replaced. */
  outdated: boolean
  /** Ids of mailboxes whose listed counters differ from the stored counters. */
  differing: string[]
}

/**
 * Lists the mailboxes between two sync passes, in order to detect deleted mailboxes. Also compares
 * the counters in the LIST response with the stored counters.
 */
export async function checkMailboxList(
  context: ListCheckContext,
  { counters }: { counters: boolean },
): Promise<ListCheck> {
  const input = { source: 'this connection', counters } as const
  const { rows, statuses, ...list } = await listMailboxes(context, input)
  const selected = selectMonitored(rows, selectionRules(context))
  const differing = selected.filter((row) => {
    const status = statuses.get(row.path)
    return status !== undefined && needsSync(row, status, false)
  })
  const refused = list.outdated ? [] : await findRefused(context, selected, statuses)
  const outdated = refused.length > 0 && (await recheckRefused(context, refused))
  return {
    unsettled: list.unsettled || refused.length > 0,
    changed: list.changed || refused.length > 0,
    outdated: list.outdated || outdated,
    differing: differing.map(({ id }) => id),
  }
}

/**
 * Finds listed mailboxes that the sync connection refuses. With NOTIFY, a mailbox that is listed
 * without counters, while other mailboxes have counters, may have been deleted, or deleted and
 * created again. Returns the paths of these mailboxes.
 */
async function findRefused(
  { session, refusals }: ListCheckContext,
  selected: readonly MailboxRow[],
  statuses: ReadonlyMap<string, MailboxStatus>,
): Promise<string[]> {
  if (!session.capabilities.notify || statuses.size === 0) return []
  const refused: string[] = []
  for (const { path, uidValidity } of selected) {
    if (uidValidity === null || statuses.has(path)) continue
    if (refusals.isSuspended(path, undefined, Date.now())) continue
    try {
      await session.status(path)
    } catch (error) {
      if (!isMailboxRefusal(error)) throw error
      refusals.add(path, undefined, Date.now())
      refused.push(path)
    }
  }
  return refused
}
