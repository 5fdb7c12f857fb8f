import type { MailSession, MessageFlags, SelectedMailbox, UidRange } from '@posthorn/backends'
import { AppError } from '@posthorn/errors'
import { commit } from '../../../../events/commit.ts'
import { compare } from '../../index/compare.ts'
import {
  canonicalFlag,
  isLabelEntry,
  labelEntry,
  labelOf,
  maxLabels,
  systemFlags,
  systemLabels,
} from '../../index/flag-names.ts'
import { type MailboxIndex, saveChunks } from '../../index/mailbox-index.ts'
import { rangesOf, subtractRanges } from '../../index/ranges.ts'
import { mailboxLabel } from '../../messages/gmail.ts'
import { undefinedIf } from '../../../messages/undefined-if.ts'
import { listMailboxRows, type MailboxRow } from '../../../../store/mailboxes.ts'
import type { MailboxContext, SyncContext } from '../context.ts'
import { describeListing } from '../mailbox-list/listing.ts'

/** Special uses of mailboxes that are no labels of messages at Gmail. */
const nonLabels = new Set(['\\Junk', '\\Trash'])

interface FlagSearch {
  index: MailboxIndex
  selected: SelectedMailbox
  uids: readonly UidRange[]
}

/**
 * Searches a mailbox for the messages with each flag and, at Gmail, with each label. The size of
 * the responses hardly depends on the size of the mailbox. Flags for which the server rejects the
 * search are left out, so that the mailbox index keeps its bits of these flags.
 */
export async function searchFlags(
  context: SyncContext,
  { index, selected, uids }: FlagSearch,
): Promise<Map<string, UidRange[]>> {
  const { session, log, signal } = context
  const result = new Map<string, UidRange[]>()
  const labels = session.capabilities.gmail ? await listLabels(context, selected.path) : []
  const inUse = selected.flags.flatMap((flag) => canonicalFlag(flag) ?? [])
  for (const flag of index.trackedNames([...systemFlags, ...index.flags(), ...inUse, ...labels])) {
    signal.throwIfAborted()
    try {
      result.set(flag, await searchFlag(session, flag, uids))
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== 'rejected') throw error
      log.debug({ err: error, flag, path: selected.path }, 'search for a flag rejected')
    }
  }
  return result
}

/**
 * Searches a mailbox for the messages with a flag. For `\Seen`, searches for unseen messages
 * instead: most messages are seen, so this response is shorter.
 */
async function searchFlag(
  session: MailSession,
  flag: string,
  uids: readonly UidRange[],
): Promise<UidRange[]> {
  if (isLabelEntry(flag)) return searchLabel(session, flag)
  if (flag !== '\\Seen') return session.searchUids({ flag })
  return subtractRanges(uids, await session.searchUids({ without: flag }))
}

function searchLabel(session: MailSession, entry: string): Promise<UidRange[]> {
  return session.search({ labels: { has: [labelOf(entry)] } })
}

/**
 * Lists the label entries that messages of a mailbox may have in the index: system labels, and the
 * labels of mailboxes. Leaves out the label of the mailbox itself, and labels that are hidden from
 * IMAP.
 */
async function listLabels({ deps, account, log }: SyncContext, path: string): Promise<string[]> {
  const rows = await listMailboxRows(deps.db, account.account)
  const listed = rows.filter((row) => row.listed)
  const selected = listed.find((row) => row.path === path)
  const own = selected && mailboxLabel(selected)
  const labels = new Set([...systemLabels, ...listed.flatMap((row) => mailboxLabel(row) ?? [])])
  const entries = [...labels]
    .filter((label) => label !== own && !nonLabels.has(label))
    .flatMap((label) => labelEntry(label) ?? [])
  if (entries.length > maxLabels)
    log.warn({ path, labels: entries.length, maxLabels }, 'mailbox exceeds the label limit')
  return entries.slice(0, maxLabels)
}

/**
 * Removes the mailbox's own label from messages, because not all responses of Gmail contain this
 * label.
 */
export function withoutOwnLabel(
  row: MailboxRow,
  messages: readonly MessageFlags[],
): readonly MessageFlags[] {
  const own = mailboxLabel(row)?.toLowerCase()
  return messages.map((message) =>
    message.labels
      ? { ...message, labels: message.labels.filter((label) => label.toLowerCase() !== own) }
      : message,
  )
}

/**
 * Adds labels that are hidden from IMAP to the index when a message first has such a label. Such a
 * label is assumed to be old: all messages with the label are searched for and stored without
 * events, and only later changes are announced.
 */
export async function storeNewLabels(
  mailbox: MailboxContext,
  messages: readonly MessageFlags[],
): Promise<void> {
  const { deps, account, row, index, session } = mailbox
  const stored = index.flags()
  const reported = new Set(messages.flatMap(labelEntriesOf))
  const unknown = [...reported].filter((entry) => !stored.has(entry))
  if (unknown.length === 0) return
  const flags = new Map<string, UidRange[]>()
  for (const entry of index.trackedNames(await findHidden(mailbox, unknown))) {
    const labelled = messages.filter((message) => labelEntriesOf(message).includes(entry))
    const labelledUids = await undefinedIf(searchLabel(session, entry), 'rejected')
    flags.set(entry, labelledUids ?? rangesOf(labelled.map(({ uid }) => uid)))
  }
  const { dirtyChunks } = compare(index, { uids: index.uids(), flags })
  if (dirtyChunks.size === 0) return
  await commit(deps, account.lease, (tx) =>
    saveChunks(tx, { mailbox: row.id, epoch: account.lease.epoch }, dirtyChunks),
  )
  index.adopt(dirtyChunks)
}

function labelEntriesOf({ labels = [] }: MessageFlags): string[] {
  return labels.flatMap((label) => labelEntry(label) ?? [])
}

/**
 * Selects the label entries of a mailbox index for whose Gmail labels no mailbox exists. Lists the
 * server's mailboxes first, because a label may have been created just now.
 */
async function findHidden(mailbox: MailboxContext, entries: readonly string[]): Promise<string[]> {
  const listed = new Set(await listLabels(mailbox, mailbox.row.path))
  const unlisted = entries.filter((entry) => !listed.has(entry))
  if (unlisted.length === 0) return []
  const current = describeListing(await mailbox.session.listMailboxes(), mailbox.account.imap)
  const created = new Set(current.flatMap((each) => labelEntry(mailboxLabel(each) ?? '') ?? []))
  return unlisted.filter((entry) => !created.has(entry))
}
