import type { MailSession, MovedMessages, UidRange } from '@posthorn/backends'
import type { FlagResult, FlagUpdate } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import { encodeMessageId } from '@posthorn/message-id'
import { rangesOf } from '../index/ranges.ts'
import { findMailboxByUse, type MailboxRow } from '../store/mailboxes.ts'
import { isSelectable } from '../sync/mailbox-list/listing.ts'
import { type CommandDeps, withMailSession } from './account.ts'
import { type AccountCommand, relistMailboxes } from './change-mailbox.ts'
import { getMailbox, messageNotFound, selectMailboxOf, retryAfterNoop } from './mailbox.ts'

/** Opens the mailbox of a message to change it, and makes sure that the message is there: servers pass over those that are not. */
export function prepareChange({ row, uid }: { row: MailboxRow; uid: number }) {
  return async (mail: MailSession): Promise<void> => {
    await selectMailboxOf(mail, row, { readOnly: false })
    await retryAfterNoop(mail, async () => {
      const found = await mail.search({ uid: String(uid) })
      if (found.length === 0) throw messageNotFound()
    })
  }
}

/**
 * Where messages are to go, ready for ids to be made of them there. A folder that was made elsewhere a moment ago is looked for on the server.
 */
export async function getDestination(
  deps: CommandDeps,
  changing: AccountCommand,
  path: string,
): Promise<MailboxRow> {
  const { session, signal } = changing
  const row = await findDestination(deps, changing, path)
  if (row.uidValidity !== null) return row
  return withMailSession(session, { signal }, async (mail) => {
    const { uidValidity } = await mail.status(row.path)
    return (await session.storeUidValidity(mail, row, uidValidity)) ?? row
  })
}

async function findDestination(
  { db }: CommandDeps,
  { session, account, signal }: AccountCommand,
  path: string,
): Promise<MailboxRow> {
  try {
    return await getMailbox(db, account, path)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'FolderNotFound') throw error
    await withMailSession(session, { signal }, (mail) => relistMailboxes(session, mail))
    return getMailbox(db, account, path)
  }
}

/** Before anything is changed: a server without labels changes no flags either. */
export function assertLabelSupport({ capabilities }: MailSession, { labels }: FlagUpdate): void {
  if (labels && !capabilities.gmail)
    throw new AppError('unprocessable', 'The mail server has no labels', {
      code: 'MissingServerExtension',
    })
}

/** Changes flags and labels of messages in the open mailbox. */
export async function applyUpdate(
  mail: MailSession,
  uids: readonly UidRange[],
  { flags, labels }: FlagUpdate,
): Promise<void> {
  if (flags) await mail.changeFlags(uids, toFlagChange(flags))
  if (labels) await mail.changeLabels(uids, toFlagChange(labels))
}

function toFlagChange({ add = [], delete: remove = [], set }: NonNullable<FlagUpdate['flags']>) {
  return set ? { set } : { add, remove }
}

/** What an update answers: a word for each step that was asked for. */
export function updateResult({ flags, labels }: FlagUpdate, done: boolean): FlagResult {
  const steps = (asked: object) =>
    Object.fromEntries(Object.keys(asked).map((step) => [step, done]))
  return {
    ...(flags ? { flags: steps(flags) } : {}),
    ...(labels ? { labels: steps(labels) } : {}),
  }
}

/** The trash of an account, where it has one. */
export async function findTrash(
  { db }: CommandDeps,
  account: string,
): Promise<MailboxRow | undefined> {
  const trash = await findMailboxByUse(db, account, '\\Trash')
  return trash && trash.listed && isSelectable(trash) ? trash : undefined
}

/**
 * Deletes messages of the open mailbox for good. Gmail only takes a label off what is expunged, apart from its trash and spam: there they
 * go to the trash first.
 */
export async function deletePermanently(
  mail: MailSession,
  uids: readonly UidRange[],
  { row, trash }: { row: MailboxRow; trash: MailboxRow | undefined },
): Promise<void> {
  const atOnce = row.id === trash?.id || row.specialUse?.toLowerCase() === '\\junk'
  if (!mail.capabilities.gmail || !trash || atOnce) return mail.expungeMessages(uids)
  const moved = await mail.moveMessages(uids, trash.path)
  if (!moved.uids) return
  await mail.open(trash.path, { readOnly: false })
  await mail.expungeMessages(rangesOf(moved.uids.values()))
}

/** The id of a moved message, where its new folder is the one whose ids are known: one of another UIDVALIDITY would lead nowhere. */
export function movedMessageId(
  { number, uidValidity }: MailboxRow,
  moved: MovedMessages,
): (uid: number) => string | undefined {
  const isCurrent = moved.uidValidity !== undefined && String(moved.uidValidity) === uidValidity
  return (uid) => {
    const newUid = isCurrent ? moved.uids?.get(uid) : undefined
    return newUid === undefined ? undefined : encodeMessageId({ mailbox: number, uid: newUid })
  }
}
