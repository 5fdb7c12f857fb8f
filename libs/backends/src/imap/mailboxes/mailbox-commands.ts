import { defined } from '@posthorn/contracts/defined'
import { AppError } from '@posthorn/errors'
import type { ImapFlow } from 'imapflow'
import type { ImapConnection } from '../connection/connection.ts'
import { mailboxError, isRejection } from '../connection/errors.ts'
import { normalizePath } from '../imapflow-internals.ts'
import { clean } from '../text.ts'
import { type Line, responseCode, textOf, textsOf } from '../tokens.ts'

/** Maximum number of subscriptions to child mailboxes that are renamed with a mailbox. */
const maxSubscriptions = 1_000
const maxPathLength = 1_024

/** Creates and subscribes to a mailbox. Most clients show only subscribed mailboxes. */
export async function createMailbox(
  connection: ImapConnection,
  path: string | readonly string[],
): Promise<{ path: string; created: boolean; mailboxId?: string }> {
  return await connection.call(async (client) => {
    const full = newPathOf(client, path)
    const response = await execMailboxCommand(connection, ['CREATE', full])
    await trySubscription(connection, 'SUBSCRIBE', full)
    return defined({ path: full, created: true, mailboxId: mailboxIdIn(response) })
  })
}

/**
 * Renames a mailbox with its children (RFC 9051 §6.3.6), then the subscriptions to these
 * mailboxes, which RENAME leaves unchanged.
 */
export async function renameMailbox(
  connection: ImapConnection,
  path: string,
  newPath: string | readonly string[],
): Promise<string> {
  return await connection.call(async (client) => {
    const from = pathOf(client, path)
    const to = newPathOf(client, newPath)
    // The subscriptions of the inbox stay unchanged: RENAME of the inbox moves its messages, and
    // the inbox itself stays.
    const subscribed = from === 'INBOX' ? [] : await subscribedIn(connection, from)
    await deselectTree(connection, from)
    await execMailboxCommand(connection, ['RENAME', from, to], 'RenameFailed')
    for (const old of subscribed) {
      await trySubscription(connection, 'SUBSCRIBE', to + old.slice(from.length))
      await trySubscription(connection, 'UNSUBSCRIBE', old)
    }
    return to
  })
}

/**
 * Deletes a mailbox without its children. The child mailboxes stay (RFC 9051 §6.3.5), or the
 * server rejects the command.
 */
export async function deleteMailbox(connection: ImapConnection, path: string): Promise<void> {
  await connection.call(async (client) => {
    const full = pathOf(client, path)
    if (full === 'INBOX') {
      const response = 'The inbox cannot be deleted'
      throw new AppError('rejected', response, { code: 'CANNOT', extras: { info: { response } } })
    }
    await deselectTree(connection, full)
    await execMailboxCommand(connection, ['DELETE', full], 'DeleteFailed')
    await trySubscription(connection, 'UNSUBSCRIBE', full)
  })
}

export async function subscribe(
  connection: ImapConnection,
  path: string,
  subscribed: boolean,
): Promise<void> {
  const command = subscribed ? 'SUBSCRIBE' : 'UNSUBSCRIBE'
  await connection.call((client) => execMailboxCommand(connection, [command, pathOf(client, path)]))
}

/**
 * Sends a command that creates, renames or deletes a mailbox. A rejection of the command is an
 * error of kind `rejected`.
 */
async function execMailboxCommand(
  { wire }: ImapConnection,
  [command, ...paths]: readonly [string, ...string[]],
  fallbackCode?: string,
): Promise<Line> {
  try {
    return await wire.run(
      command,
      paths.map((path) => wire.nameOf(path)),
    )
  } catch (error) {
    throw mailboxError(error, fallbackCode)
  }
}

/**
 * Sends SUBSCRIBE or UNSUBSCRIBE for a mailbox that was created, renamed or deleted. A rejection is
 * ignored.
 */
async function trySubscription(
  connection: ImapConnection,
  command: string,
  path: string,
): Promise<void> {
  try {
    await execMailboxCommand(connection, [command, path])
  } catch (error) {
    if (!isRejection(error)) throw error
  }
}

/**
 * Paths of a mailbox and its children that are subscribed to. Some servers drop the subscriptions
 * to these paths on RENAME.
 */
async function subscribedIn(connection: ImapConnection, path: string): Promise<string[]> {
  const below = `${path}${connection.client.namespace?.delimiter ?? '/'}`
  const subscribed = new Set([
    ...(await listSubscribed(connection, path)),
    ...(await listSubscribed(connection, `${below}*`)),
  ])
  // Filters the subscribed paths by prefix here, because the path of the mailbox may contain
  // wildcards of LSUB, which then also lists other mailboxes.
  return [...subscribed].filter((each) => each === path || each.startsWith(below))
}

async function listSubscribed({ wire }: ImapConnection, pattern: string): Promise<string[]> {
  const paths: string[] = []
  try {
    await wire.run('LSUB', ['', wire.nameOf(pattern)], {
      LSUB: async ({ attributes: [flags, , name] = [] }) => {
        // Skips an entry with `\Noselect`: LSUB lists such a mailbox because one of its children is
        // subscribed to (RFC 3501 §6.3.9).
        if (textsOf(flags).some((flag) => flag.toLowerCase() === '\\noselect')) return
        const raw = textOf(name)
        if (raw !== undefined && paths.length < maxSubscriptions) paths.push(wire.pathOf(raw))
      },
    })
  } catch (error) {
    const failure = mailboxError(error)
    if (!isRejection(failure)) throw failure
  }
  return paths
}

/**
 * Before a mailbox is renamed or deleted, selects the inbox if the mailbox or one of its children
 * is selected, because servers refuse to rename or delete a selected mailbox. CLOSE would expunge
 * messages, and UNSELECT is not always available.
 */
async function deselectTree(connection: ImapConnection, path: string): Promise<void> {
  const { client, selectedIfAny: selected } = connection
  const below = `${path}${client.namespace?.delimiter ?? '/'}`
  if (path === 'INBOX' || !selected) return
  if (selected.path !== path && !selected.path.startsWith(below)) return
  connection.selected = undefined
  const inbox: unknown = await client.mailboxOpen('INBOX', { readOnly: true })
  if (!inbox) throw connection.rejection('select the inbox')
}

/**
 * Normalised path of a mailbox. Rejects control characters (RFC 9051 §5.1.1): a server that accepts
 * control characters cannot address such a mailbox again.
 */
export function pathOf(client: ImapFlow, path: string): string {
  const full = normalizePath(client, path)
  if (full === '' || full.length > maxPathLength || /[\0-\x1f\x7f]/.test(full)) throw invalidName()
  return full
}

/**
 * Path of a mailbox to create, with the prefix of the personal namespace and the delimiter of the
 * IMAP server.
 */
function newPathOf(client: ImapFlow, path: string | readonly string[]): string {
  const delimiter = client.namespace?.delimiter ?? '/'
  let joined = typeof path === 'string' ? path : path.join(delimiter)
  // Removes trailing delimiters of a mailbox path, which only announce child mailboxes (RFC 9051
  // §6.3.4).
  while (delimiter !== '' && joined.endsWith(delimiter)) joined = joined.slice(0, -delimiter.length)
  if (joined === '' || (typeof path !== 'string' && path.some((level) => level === '')))
    throw invalidName()
  return pathOf(client, withInbox(joined, delimiter))
}

/**
 * Path with its first level INBOX in capitals. INBOX is case-insensitive (RFC 9051 §5.1), and
 * servers list its children below `INBOX`.
 */
function withInbox(path: string, delimiter: string): string {
  const inbox = `INBOX${delimiter}`
  return delimiter !== '' && path.slice(0, inbox.length).toUpperCase() === inbox
    ? inbox + path.slice(inbox.length)
    : path
}

function invalidName(): AppError {
  return new AppError('invalid', 'Invalid mailbox name')
}

/** MAILBOXID in the response code of an IMAP response (RFC 8474 §4.1). */
function mailboxIdIn(response: Line): string | undefined {
  const [code, id] = responseCode(response)
  const [mailboxId] = textsOf(id)
  return textOf(code)?.toUpperCase() === 'MAILBOXID' && mailboxId ? clean(mailboxId) : undefined
}
