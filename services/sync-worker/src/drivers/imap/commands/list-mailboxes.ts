import type { MailSession } from '@posthorn/backends'
import { defined } from '@posthorn/contracts/defined'
import { type MailboxEntry, SpecialUse } from '@posthorn/contracts/schemas/message'
import { matches } from '@posthorn/contracts/validate'
import { AppError } from '@posthorn/errors'
import { isSelectable, listMailboxRows, type MailboxRow } from '../../../store/mailboxes.ts'
import type { AccountReply, AccountRequest } from '../../account-driver.ts'
import { assertConnected } from '../../availability.ts'
import { type AccountCommand, type CommandDeps, withMailSession } from './account.ts'
import { indexingError } from './mailbox.ts'

/**
 * Returns the stored mailbox list of an account. Needs no connection to the server, unless counters
 * are requested.
 *
 * @throws AppError `unavailable` while the first sync pass of the account has not stored the list
 */
export async function listMailboxes(
  { account, counters }: AccountRequest<'listMailboxes'>,
  target: AccountCommand,
  { db }: CommandDeps,
): Promise<AccountReply<'listMailboxes'>> {
  const rows = await listMailboxRows(db, account)
  if (rows.length === 0) {
    assertConnected(target.session.context)
    throw indexingError('init')
  }
  if (!counters) return { mailboxes: rows.map(toEntry) }
  return withMailSession(target, { mayBorrow: true }, async (mail) => {
    const mailboxes: MailboxEntry[] = []
    for (const row of rows) {
      target.signal.throwIfAborted()
      const status = isSelectable(row) ? await readCounters(mail, row.path) : undefined
      mailboxes.push(defined({ ...toEntry(row), status }))
    }
    return { mailboxes }
  })
}

async function readCounters(
  mail: MailSession,
  path: string,
): Promise<NonNullable<MailboxEntry['status']>> {
  try {
    const { messages, unseen } = await mail.status(path)
    return defined({ messages, unseen })
  } catch (error) {
    if (error instanceof AppError && error.kind !== 'unreachable') return { error: error.message }
    throw error
  }
}

function toEntry(row: MailboxRow): MailboxEntry {
  const { path, name, delimiter, parentPath, listed, subscribed, attributes } = row
  const noInferiors = attributes.some((attribute) => attribute.toLowerCase() === '\\noinferiors')
  return defined({
    path,
    delimiter,
    parentPath: parentPath ?? undefined,
    name,
    listed,
    subscribed,
    noSelect: !isSelectable(row) || undefined,
    ...specialUseOf(row),
    noInferiors: noInferiors || undefined,
    messages: row.messages ?? (false as const),
    uidNext: row.uidNext === null ? (false as const) : Number(row.uidNext),
  })
}

function specialUseOf({ specialUse, specialUseSource }: MailboxRow) {
  if (specialUse === null || !matches(SpecialUse, specialUse)) return {}
  return { specialUse, specialUseSource: specialUseSource ?? undefined }
}
