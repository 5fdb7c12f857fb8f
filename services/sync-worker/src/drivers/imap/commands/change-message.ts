import type {
  MailSession,
  MessageFlags,
  MovedMessages,
  UidRange,
  UnconfirmedFlags,
} from '@posthorn/backends'
import { defined } from '@posthorn/contracts/defined'
import { fieldError } from '@posthorn/contracts/describe-error'
import type {
  FlagResult,
  FlagUpdate,
  MessageFlagResult,
} from '@posthorn/contracts/schemas/flag-update'
import { validationError } from '@posthorn/contracts/validate'
import { AppError } from '@posthorn/errors'
import { encodeMessageId } from '@posthorn/message-id'
import { canonicalFlags } from '../index/flag-names.ts'
import { rangesOf, subtractRanges } from '../index/ranges.ts'
import { messageLabels } from '../messages/gmail.ts'
import { findMailboxByUse, isSelectable, type MailboxRow } from '../../../store/mailboxes.ts'
import type { AccountReply, AccountRequest } from '../../account-driver.ts'
import { assertConnected } from '../../availability.ts'
import { updateResult } from '../../messages/flag-result.ts'
import { type AccountCommand, type CommandDeps, withMailSession } from './account.ts'
import { relistMailboxes } from './change-mailbox.ts'
import {
  findSelectable,
  getMailbox,
  locateMessage,
  messageNotFound,
  readInMailbox,
} from './mailbox.ts'

/**
 * Changes flags and labels of a message. The next sync records the events. A change of flags counts
 * as failed if the server shows the message without the change.
 *
 * @throws AppError `not-found` `MessageNotFound`, also if the message is deleted during the change
 */
export async function updateMessage(
  { message, update }: AccountRequest<'updateMessage'>,
  target: AccountCommand,
  deps: CommandDeps,
): Promise<AccountReply<'updateMessage'>> {
  const position = await locateMessage(deps.db, target.account, message)
  const check = (mail: MailSession) => assertLabelSupport(mail, update)
  const { row } = position
  return changeMessage(target, { ...position, check }, (mail, uids) =>
    readInMailbox(mail, { row, readOnly: false }, async () => {
      const { missing, unchanged } = await applyUpdate(mail, uids, update)
      if (missing.length > 0) throw messageNotFound()
      const result = updateResult(update, { flags: unchanged.length === 0, labels: true })
      // After a message's flags were changed, the command succeeds even if the message cannot be
      // read again.
      const [changed] = await mail.readFlags(uids).catch(() => [])
      return changed ? withState(result, changed, row) : result
    }),
  )
}

/** Adds all flags of the changed message, and its labels on Gmail, to the result of the change. */
function withState(
  { flags, labels }: FlagResult,
  changed: MessageFlags,
  row: MailboxRow,
): MessageFlagResult {
  const shown = changed.labels && messageLabels(row, changed.labels)
  return {
    flags: { ...flags, result: canonicalFlags(changed.flags) },
    ...(shown ? { labels: { ...labels, result: shown } } : defined({ labels })),
  }
}

/**
 * Moves a message to another mailbox. Returns the new message id if the server reports the new UID
 * (UIDPLUS).
 */
export async function moveMessage(
  { message, path, source }: AccountRequest<'moveMessage'>,
  target: AccountCommand,
  deps: CommandDeps,
): Promise<AccountReply<'moveMessage'>> {
  // A request with `source` is rejected, because a message id of an IMAP account already names the
  // mailbox.
  if (source !== undefined)
    throw validationError([fieldError('source', 'is for accounts on a mail API')])
  assertConnected(target.session.context)
  const { row, uid } = await locateMessage(deps.db, target.account, message)
  const destination = await getDestination(deps, target, path)
  const moved = await changeMessage(target, { row, uid, destination }, (mail, uids) =>
    mail.moveMessages(uids, destination.path),
  )
  const newUid = moved.uids?.get(uid)
  if (moved.uids && newUid === undefined) throw messageNotFound()
  const id = movedMessageId(destination, moved)(uid)
  return defined({ path: destination.path, id, uid: newUid })
}

/**
 * Moves a message to the trash. With `force`, if the message is in the trash already, or if the
 * account has no trash, deletes the message permanently.
 */
export async function deleteMessage(
  { message, force }: AccountRequest<'deleteMessage'>,
  target: AccountCommand,
  deps: CommandDeps,
): Promise<AccountReply<'deleteMessage'>> {
  const { row, uid } = await locateMessage(deps.db, target.account, message)
  const trash = await findTrash(deps, target.account)
  return changeMessage(target, { row, uid, destination: trash }, async (mail, uids) => {
    if (force || !trash || trash.id === row.id) {
      const left = await deletePermanently(mail, uids, { row, trash })
      if (left.length > 0) throw messageNotFound()
      return { deleted: true }
    }
    const id = movedMessageId(trash, await mail.moveMessages(uids, trash.path))(uid)
    return { deleted: false, moved: defined({ destination: trash.path, message: id }) }
  })
}

interface MessageChange {
  row: MailboxRow
  uid: number
  /** Mailbox to which a change of the message may move the message. */
  destination?: MailboxRow | undefined
  /**
   * Checks a precondition of the message's change on the connection, such as a server capability.
   * Throws if the precondition is not met.
   */
  check?: (mail: MailSession) => void
}

/**
 * Changes a single message over an IMAP connection of the account's command pool. First selects the
 * mailbox and verifies that the message exists, because servers ignore unknown UIDs. Afterwards
 * requests a sync of the mailbox and of the destination of a move, even if the change failed.
 */
export function changeMessage<T>(
  target: Pick<AccountCommand, 'session' | 'signal'>,
  { row, uid, destination = row, check }: MessageChange,
  change: (mail: MailSession, uids: UidRange[]) => Promise<T>,
): Promise<T> {
  const prepare = async (mail: MailSession): Promise<void> => {
    check?.(mail)
    await readInMailbox(mail, { row, readOnly: false }, async () => {
      if ((await mail.search({ uid: String(uid) })).length === 0) throw messageNotFound()
    })
  }
  return withMailSession(target, { mailbox: row.path, prepare }, async (mail) => {
    try {
      return await change(mail, [[uid, uid]])
    } finally {
      target.session.requestSync([row.id, destination.id])
    }
  })
}

/**
 * Finds the mailbox to which messages are moved. Its UIDVALIDITY is stored, so that the new message
 * ids can be computed. If the mailbox is not stored, lists the server's mailboxes.
 */
export async function getDestination(
  { db }: CommandDeps,
  target: AccountCommand,
  path: string,
): Promise<MailboxRow> {
  const { account, session } = target
  const stored = await findSelectable(db, account, path)
  if (!stored) await relistMailboxes(target)
  const row = stored ?? (await getMailbox(db, account, path))
  if (row.uidValidity !== null) return row
  return withMailSession(target, {}, async (mail) => {
    const { uidValidity } = await mail.status(row.path)
    return (await session.storeUidValidity(mail, row, uidValidity)) ?? row
  })
}

/**
 * Rejects changes of labels if the mail server does not support labels.
 *
 * @throws AppError `unprocessable`, before any change is made
 */
export function assertLabelSupport({ capabilities }: MailSession, { labels }: FlagUpdate): void {
  if (labels && !capabilities.gmail)
    throw new AppError('unprocessable', 'Mail server does not support labels', {
      code: 'MissingServerExtension',
    })
}

/**
 * Changes flags and labels of messages in the selected mailbox. Returns the messages that the
 * server shows without the requested flags, or does not show. Labels are not checked: Gmail does
 * not list the label of the selected mailbox, and removing that label removes the message from the
 * mailbox.
 */
export async function applyUpdate(
  mail: MailSession,
  uids: readonly UidRange[],
  { flags, labels }: FlagUpdate,
): Promise<UnconfirmedFlags> {
  const left = flags && (await mail.confirmFlags(uids, toFlagChange(flags)))
  if (labels) await mail.changeLabels(uids, toFlagChange(labels))
  return left ?? { unchanged: [], missing: [] }
}

function toFlagChange({ add = [], delete: remove = [], set }: NonNullable<FlagUpdate['flags']>) {
  return set ? { set } : { add, remove }
}

/**
 * Finds the trash mailbox of an account. Undefined if the account has no trash that can be
 * selected.
 */
export async function findTrash(
  { db }: CommandDeps,
  account: string,
): Promise<MailboxRow | undefined> {
  const trash = await findMailboxByUse(db, account, '\\Trash')
  return trash && trash.listed && isSelectable(trash) ? trash : undefined
}

/**
 * Deletes messages of the selected mailbox permanently. At Gmail, EXPUNGE outside of trash and spam
 * only removes a label, so the messages are moved to the trash and expunged there. Returns the
 * messages that Gmail did not report as moved, such as messages that another client deleted.
 */
export async function deletePermanently(
  mail: MailSession,
  uids: readonly UidRange[],
  { row, trash }: { row: MailboxRow; trash: MailboxRow | undefined },
): Promise<UidRange[]> {
  const deletesHere = row.id === trash?.id || row.specialUse?.toLowerCase() === '\\junk'
  if (!mail.capabilities.gmail || !trash || deletesHere) {
    await mail.expungeMessages(uids)
    return []
  }
  const moved = await mail.moveMessages(uids, trash.path)
  if (!moved.uids) return [...uids]
  await mail.ensureSelected(trash.path, { readOnly: false })
  await mail.expungeMessages(rangesOf(moved.uids.values()))
  return subtractRanges(uids, rangesOf(moved.uids.keys()))
}

/**
 * Creates the function that returns the new message id of a moved message. The function returns
 * undefined unless the server reports the new UID and the stored UIDVALIDITY of the destination.
 */
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
