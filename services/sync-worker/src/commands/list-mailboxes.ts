import type { MailSession } from '@posthorn/backends'
import { type CommandHandler, on } from '@posthorn/bus'
import { listMailboxes, type MailboxEntry, matches, SpecialUse } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import { listMailboxRows, type MailboxRow } from '../store/mailboxes.ts'
import { isSelectable } from '../sync/mailbox-list/listing.ts'
import { assertConnected, type CommandDeps, getSession, withMailSession } from './account.ts'

/** Answers from the last listing, also while the server is away; only counters have to be asked for. */
export function onListMailboxes(deps: CommandDeps): CommandHandler {
  return on(listMailboxes, async ({ account, counters }, context) => {
    const session = getSession(deps, account)
    const rows = await listMailboxRows(deps.db, account)
    if (rows.length === 0) assertConnected(session)
    const entries = rows.map(entryOf)
    if (!counters) return { mailboxes: entries }
    return withMailSession(session, context, async (mail) => {
      const mailboxes: MailboxEntry[] = []
      for (const [at, entry] of entries.entries()) {
        context.signal.throwIfAborted()
        const row = rows[at]
        mailboxes.push(
          row && isSelectable(row) ? { ...entry, status: await countersOf(mail, row.path) } : entry,
        )
      }
      return { mailboxes }
    })
  })
}

async function countersOf(
  mail: MailSession,
  path: string,
): Promise<NonNullable<MailboxEntry['status']>> {
  try {
    const { messages, unseen } = await mail.status(path)
    return { messages, ...(unseen === undefined ? {} : { unseen }) }
  } catch (error) {
    if (error instanceof AppError && error.kind !== 'unreachable') return { error: error.message }
    throw error
  }
}

function entryOf(row: MailboxRow): MailboxEntry {
  const { path, name, delimiter, parentPath, listed, subscribed, attributes } = row
  const has = (attribute: string) => attributes.some((given) => given.toLowerCase() === attribute)
  return {
    path,
    delimiter,
    ...(parentPath === null ? {} : { parentPath }),
    name,
    listed,
    subscribed,
    ...(isSelectable(row) ? {} : { noSelect: true }),
    ...specialUseOf(row),
    ...(has('\\noinferiors') ? { noInferiors: true } : {}),
    messages: row.messages ?? false,
    uidNext: row.uidNext === null ? false : Number(row.uidNext),
  }
}

function specialUseOf({ specialUse, specialUseSource }: MailboxRow) {
  if (specialUse === null || !matches(SpecialUse, specialUse)) return {}
  return { specialUse, ...(specialUseSource === null ? {} : { specialUseSource }) }
}
