import { defined } from '@posthorn/contracts/defined'
import { SpecialUse } from '@posthorn/contracts/schemas/message'
import { matches } from '@posthorn/contracts/validate'
import { AppError } from '@posthorn/errors'
import type { ImapFlow, ListResponse } from 'imapflow'
import type { ListedMailbox } from '../../mail-session.ts'
import type { ImapConnection } from '../connection/connection.ts'
import { counterNames, countersOf, mailboxIdOf, toStatus } from '../connection/counters.ts'
import { hasCapability } from '../imapflow-internals.ts'
import { maxMailboxes } from '../connection/mailbox-names.ts'
import { clean } from '../text.ts'
import type { StatusItems } from '../tokens.ts'
import type { Wire } from '../connection/wire.ts'

/**
 * Lists all mailboxes of an account that exist at the IMAP server. Throws for a list without a
 * selectable mailbox: every account has mailboxes, and an empty list would delete all of them.
 */
export async function listMailboxes(
  connection: ImapConnection,
  { status = false }: { status?: boolean },
): Promise<ListedMailbox[]> {
  const { wire } = connection
  return await connection.call(async (client) => {
    const counters = new Map<string, StatusItems>()
    const items = [
      ...(status ? counterNames(client) : []),
      ...(hasCapability(client, 'OBJECTID') && !isCyrus(client) ? ['MAILBOXID'] : []),
    ]
    const onStatus = (path: string, items: StatusItems) => {
      if (counters.size < maxMailboxes) counters.set(path, items)
    }
    const listed =
      items.length > 0 && hasCapability(client, 'LIST-STATUS')
        ? await wire.withCounters({ items, onStatus }, () => client.list())
        : await client.list()
    const mailboxes = new Map<string, ListedMailbox>()
    for (const each of listed)
      if (!isNonExistent(each)) add(mailboxes, toListed(wire, each, { counters, status }))
    if (![...mailboxes.values()].some(({ selectable }) => selectable))
      throw new AppError('unreachable', 'The mail server lists no selectable mailbox')
    if (!mailboxes.has('INBOX')) {
      const inbox = await findInbox(client, wire)
      if (inbox) mailboxes.set('INBOX', inbox)
    }
    if (mailboxes.size > maxMailboxes)
      throw new AppError('unreachable', `The mail server lists more than ${maxMailboxes} mailboxes`)
    return [...mailboxes.values()]
  })
}

/**
 * True for a listed mailbox name that does not exist as a mailbox, such as a level above mailboxes
 * or a subscription (RFC 5258 §3.1).
 */
function isNonExistent({ flags }: ListResponse): boolean {
  return [...flags].some((flag) => flag.toLowerCase() === '\\nonexistent')
}

/**
 * True for the mail server Cyrus 3.6. Cyrus 3.6 reads the MAILBOXID for mailbox lists from freed
 * memory, so that mailbox ids change or have an invalid syntax.
 */
function isCyrus(client: ImapFlow): boolean {
  return hasCapability(client, 'X-REPLICATION')
}

/**
 * Adds an entry to the mailbox list. Some servers list a mailbox twice, and NOTIFY adds entries
 * (RFC 5465 §5.4). Of two entries for one mailbox, the selectable entry is kept.
 */
function add(mailboxes: Map<string, ListedMailbox>, mailbox: ListedMailbox): void {
  const before = mailboxes.get(mailbox.path)
  if (!before || (mailbox.selectable && !before.selectable)) mailboxes.set(mailbox.path, mailbox)
}

/**
 * Inbox of an account whose LIST response omits the inbox. Undefined if the account has no inbox.
 */
async function findInbox(client: ImapFlow, wire: Wire): Promise<ListedMailbox | undefined> {
  const flags = await wire.findListed('INBOX').catch((error: unknown) => {
    if (!client.usable) throw error
    return undefined
  })
  const attributes = flags && attributesOf(flags)
  if (!attributes?.selectable) return undefined
  return {
    path: 'INBOX',
    name: 'INBOX',
    delimiter: client.namespace?.delimiter ?? null,
    parentPath: '',
    specialUse: '\\Inbox',
    specialUseSource: 'name',
    ...attributes,
    subscribed: true,
  }
}

function toListed(
  wire: Wire,
  listed: ListResponse,
  { counters, status }: { counters: ReadonlyMap<string, StatusItems>; status: boolean },
): ListedMailbox {
  const { specialUse, specialUseSource } = listed
  const path = wire.pathOf(listed.pathAsListed)
  const items = counters.get(path)
  const counted = countersOf(status ? items : undefined)
  const { uidValidity, messages } = counted
  const isCounted = uidValidity !== undefined && messages !== undefined
  return defined({
    ...hierarchyOf(path, (listed.delimiter as string | false | null) || null),
    ...(matches(SpecialUse, specialUse)
      ? { specialUse, specialUseSource: specialUseSource === 'extension' ? 'extension' : 'name' }
      : {}),
    ...attributesOf([...listed.flags], path),
    subscribed: listed.subscribed === true,
    mailboxId: mailboxIdOf(items),
    // The counters of a listed mailbox are left out without UIDVALIDITY, because they cannot be
    // assigned to a mailbox, and without MESSAGES, because the mailbox would seem to be empty.
    status: isCounted ? toStatus(path, counted, uidValidity) : undefined,
  })
}

function hierarchyOf(
  path: string,
  delimiter: string | null,
): Pick<ListedMailbox, 'path' | 'name' | 'delimiter' | 'parentPath'> {
  const cut = delimiter === null ? -1 : path.lastIndexOf(delimiter)
  const name = cut < 0 ? path : path.slice(cut + (delimiter?.length ?? 0))
  return {
    path: clean(path),
    name: clean(name),
    delimiter,
    parentPath: clean(path.slice(0, Math.max(0, cut))),
  }
}

/**
 * LIST attributes of a mailbox, and whether the mailbox is selectable. A mailbox name with invalid
 * UTF-8 is not selectable: decoding has lost bytes of the name, so the name cannot be sent to the
 * server.
 */
function attributesOf(
  flags: readonly string[],
  path = '',
): Pick<ListedMailbox, 'attributes' | 'selectable'> {
  const attributes = flags.map(clean)
  const lower = new Set(attributes.map((attribute) => attribute.toLowerCase()))
  const selectable =
    !lower.has('\\noselect') && !lower.has('\\nonexistent') && !path.includes('\uFFFD')
  return { attributes, selectable }
}
