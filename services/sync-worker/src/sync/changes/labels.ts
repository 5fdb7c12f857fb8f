import type { MailSession, MessageFlags, UidRange } from '@posthorn/backends'
import { AppError } from '@posthorn/errors'
import { commit } from '../../events/commit.ts'
import { compare } from '../../index/compare.ts'
import { labelEntry, labelOf, maxLabels, systemLabels } from '../../index/labels.ts'
import { rangesOf } from '../../index/ranges.ts'
import { mailboxLabel } from '../../messages/gmail.ts'
import { saveChunks } from '../../store/chunks.ts'
import { listMailboxRows, type MailboxRow } from '../../store/mailboxes.ts'
import type { MailboxContext, SyncContext } from '../context.ts'
import { describeListing } from '../mailbox-list/listing.ts'

/** Not labels to Gmail, although its mailboxes bear these names. */
const nonLabels = new Set(['\\Junk', '\\Trash'])

/**
 * The labels that messages of a mailbox may have, by the entries under which they are remembered: Gmail's own, and those that are mailboxes. Labels
 * that their owner keeps out of IMAP are not among them; nor is that of the mailbox itself.
 */
export async function listedLabels(
  { deps, account, log }: SyncContext,
  path: string,
): Promise<string[]> {
  const rows = await listMailboxRows(deps.db, account.account)
  const listed = rows.filter((row) => row.listed)
  const here = listed.find((row) => row.path === path)
  const own = here && mailboxLabel(here)
  const labels = new Set([...systemLabels, ...listed.flatMap((row) => mailboxLabel(row) ?? [])])
  const entries = [...labels]
    .filter((label) => label !== own && !nonLabels.has(label))
    .flatMap((label) => labelEntry(label) ?? [])
  if (entries.length > maxLabels)
    log.warn(
      { path, labels: entries.length, remembered: maxLabels },
      'there are more labels than are remembered: changes of the others are not told',
    )
  return entries.slice(0, maxLabels)
}

/** The messages of the open mailbox that have a label. */
export function searchLabel(session: MailSession, entry: string): Promise<UidRange[]> {
  return session.search({ labels: { has: [labelOf(entry)] } })
}

/** As the index takes them: Gmail names the label of a mailbox in some answers and leaves it out in others. */
export function withoutOwnLabel(
  row: MailboxRow,
  messages: readonly MessageFlags[],
): readonly MessageFlags[] {
  const own = mailboxLabel(row)?.toLowerCase()
  return messages.map(({ labels, ...message }) => ({
    ...message,
    ...(labels ? { labels: labels.filter((label) => label.toLowerCase() !== own) } : {}),
  }))
}

/**
 * Labels that are kept out of IMAP are first heard of when a message that has one is told of. Whoever has such a label is taken to have had
 * it before: it is searched for and remembered silently, so that it is told of from the next change on.
 */
export async function storeNewLabels(
  mailbox: MailboxContext,
  messages: readonly MessageFlags[],
): Promise<void> {
  const { deps, account, row, index, session } = mailbox
  const known = index.flags()
  const told = new Set(
    messages.flatMap(({ labels = [] }) => labels.flatMap((one) => labelEntry(one) ?? [])),
  )
  const unknown = [...told].filter((entry) => !known.has(entry))
  if (unknown.length === 0) return
  const hidden = await findHidden(mailbox, unknown)
  const found = new Map<string, UidRange[]>()
  for (const entry of index.trackedNames(hidden)) {
    const having = messages.filter(({ labels = [] }) =>
      labels.some((one) => labelEntry(one) === entry),
    )
    found.set(entry, await searchOr(session, entry, rangesOf(having.map(({ uid }) => uid))))
  }
  const { dirtyChunks } = compare(index, { uids: index.uids(), flags: found })
  if (dirtyChunks.size === 0) return
  await commit(deps, account.lease, (tx) =>
    saveChunks(tx, { mailbox: row.id, epoch: account.lease.epoch }, dirtyChunks),
  )
  index.adopt(dirtyChunks)
}

/** Which of these labels are no mailboxes. One that was made a moment ago is on the server's list already, and truly new. */
async function findHidden(mailbox: MailboxContext, entries: readonly string[]): Promise<string[]> {
  const listed = new Set(await listedLabels(mailbox, mailbox.row.path))
  const left = entries.filter((entry) => !listed.has(entry))
  if (left.length === 0) return []
  const now = describeListing(await mailbox.session.listMailboxes(), mailbox.account.imap)
  const made = new Set(now.flatMap((listing) => labelEntry(mailboxLabel(listing) ?? '') ?? []))
  return left.filter((entry) => !made.has(entry))
}

async function searchOr(
  session: MailSession,
  entry: string,
  otherwise: UidRange[],
): Promise<UidRange[]> {
  try {
    return await searchLabel(session, entry)
  } catch (error) {
    if (error instanceof AppError && error.kind === 'rejected') return otherwise
    throw error
  }
}
