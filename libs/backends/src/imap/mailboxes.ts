import type { SpecialUse } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import type { ListResponse, MailboxObject } from 'imapflow'
import type { ListedMailbox, MailboxStatus, SelectedMailbox } from '../backend.ts'
import { hasCondstore } from './capabilities.ts'
import type { ImapConnection } from './connection.ts'
import { clean } from './text.ts'

/** What lies beyond is left out: the special ones come first in what imapflow lists. */
export const maxMailboxes = 10_000

const specialUses = new Set<string>([
  '\\All',
  '\\Archive',
  '\\Drafts',
  '\\Flagged',
  '\\Junk',
  '\\Sent',
  '\\Trash',
  '\\Inbox',
])

export async function listMailboxes(connection: ImapConnection): Promise<ListedMailbox[]> {
  const listed = await connection.call((client) => client.list())
  // Every account has an inbox: whoever took this for the truth would forget all mailboxes.
  if (listed.length === 0)
    throw new AppError('unreachable', 'The mail server lists no mailbox at all')
  return listed.slice(0, maxMailboxes).map(toListed)
}

export async function status(connection: ImapConnection, path: string): Promise<MailboxStatus> {
  return await connection.call(async (client) => {
    const query = {
      messages: true,
      uidNext: true,
      uidValidity: true,
      unseen: true,
      highestModseq: true,
    }
    const found = await client.status(path, query)
    if (!found) throw connection.refused('tell the status of the mailbox')
    const { messages = 0, uidNext = 0, uidValidity, unseen, highestModseq } = found
    return {
      path,
      messages,
      uidNext,
      uidValidity: mustHave(uidValidity),
      ...(unseen === undefined ? {} : { unseen }),
      ...modseqOf(highestModseq),
    }
  })
}

export async function select(
  connection: ImapConnection,
  path: string,
  readOnly: boolean,
): Promise<SelectedMailbox> {
  return await connection.call(async (client) => {
    try {
      const opened = await client.mailboxOpen(path, { readOnly })
      if (!(opened as unknown)) throw connection.refused('open the mailbox')
      const { exists, uidNext, flags, highestModseq, noModseq }: Partial<MailboxObject> = opened
      const uidValidity = mustHave(opened.uidValidity)
      connection.open = { path, uidValidity }
      return {
        path,
        messages: exists ?? 0,
        uidNext: uidNext ?? 0,
        uidValidity,
        ...(noModseq || !hasCondstore(client) ? {} : modseqOf(highestModseq)),
        flags: [...(flags ?? [])].map(clean),
      }
    } catch (error) {
      // RFC 9051 §6.3.2: a SELECT that fails leaves no mailbox selected.
      connection.open = undefined
      throw error
    }
  })
}

/** Missing, or zero, which RFC 9051 §9 rules out: without it a UID names nothing, and state kept under it would be lost at the next real value. */
function mustHave(uidValidity: bigint | undefined): bigint {
  if (uidValidity === undefined || uidValidity <= 0n)
    throw new AppError('unreachable', 'The mail server gives the mailbox no UIDVALIDITY', {
      code: 'NoUidValidity',
    })
  return uidValidity
}

function modseqOf(highestModseq: bigint | undefined): { highestModseq?: bigint } {
  return highestModseq === undefined || highestModseq <= 0n ? {} : { highestModseq }
}

function toListed(listed: ListResponse): ListedMailbox {
  const attributes = [...listed.flags].map(clean)
  const lower = new Set(attributes.map((attribute) => attribute.toLowerCase()))
  const { specialUse, specialUseSource } = listed
  return {
    path: clean(listed.path),
    name: clean(listed.name),
    delimiter: (listed.delimiter as string | false | null) || null,
    parentPath: clean(listed.parentPath),
    ...(isSpecialUse(specialUse)
      ? { specialUse, specialUseSource: specialUseSource === 'extension' ? 'extension' : 'name' }
      : {}),
    attributes,
    subscribed: listed.subscribed === true,
    selectable: !lower.has('\\noselect') && !lower.has('\\nonexistent'),
  }
}

function isSpecialUse(use: string | undefined): use is SpecialUse {
  return use !== undefined && specialUses.has(use)
}
