import { AppError } from '@posthorn/errors'
import type { ImapFlow } from 'imapflow'
import { execCommand, responseCode } from './exec-command.ts'
import type { ImapConnection } from './connection.ts'
import { mailboxError, isRejection } from './errors.ts'
import { encodePath, normalizePath } from './imapflow-internals.ts'
import { clean } from './text.ts'
import { type Line, textOf, textsOf, type Token } from './tokens.ts'

/** So many subscriptions follow a mailbox to its new name. */
const maxFollowing = 1_000
const maxPathLength = 1_024

/** Also subscribes to it, as most programs show nothing else. */
export async function createMailbox(
  connection: ImapConnection,
  path: string | readonly string[],
): Promise<{ path: string; created: boolean; mailboxId?: string }> {
  return await connection.call(async (client) => {
    const full = newPathOf(client, path)
    const answer = await execMailboxCommand(connection, ['CREATE', nameToken(client, full)])
    await trySubscription(connection, 'SUBSCRIBE', full)
    const mailboxId = mailboxIdIn(answer)
    return { path: full, created: true, ...(mailboxId === undefined ? {} : { mailboxId }) }
  })
}

/** With what is below it (RFC 9051 §6.3.6). Subscriptions follow, which RENAME alone does not see to. */
export async function renameMailbox(
  connection: ImapConnection,
  path: string,
  newPath: string | readonly string[],
): Promise<string> {
  return await connection.call(async (client) => {
    const from = pathOf(client, path)
    const to = newPathOf(client, newPath)
    // What is in the inbox moves, but the inbox stays.
    const subscribed = from === 'INBOX' ? [] : await subscribedIn(connection, from)
    await deselectTree(connection, from)
    await execMailboxCommand(
      connection,
      ['RENAME', nameToken(client, from), nameToken(client, to)],
      'RenameFailed',
    )
    for (const old of subscribed) {
      await trySubscription(connection, 'SUBSCRIBE', to + old.slice(from.length))
      await trySubscription(connection, 'UNSUBSCRIBE', old)
    }
    return to
  })
}

/** Without what is below it: that stays (RFC 9051 §6.3.5), or the server refuses. */
export async function deleteMailbox(connection: ImapConnection, path: string): Promise<void> {
  await connection.call(async (client) => {
    const full = pathOf(client, path)
    if (full === 'INBOX') {
      const response = 'The inbox cannot be deleted'
      throw new AppError('rejected', response, { code: 'CANNOT', extras: { info: { response } } })
    }
    await deselectTree(connection, full)
    await execMailboxCommand(connection, ['DELETE', nameToken(client, full)], 'DeleteFailed')
    await trySubscription(connection, 'UNSUBSCRIBE', full)
  })
}

export async function subscribe(
  connection: ImapConnection,
  path: string,
  subscribed: boolean,
): Promise<void> {
  await connection.call((client) =>
    execMailboxCommand(connection, [
      subscribed ? 'SUBSCRIBE' : 'UNSUBSCRIBE',
      nameToken(client, pathOf(client, path)),
    ]),
  )
}

/** Gives a command about a mailbox itself, whose refusal is told as it came. */
async function execMailboxCommand(
  connection: ImapConnection,
  command: readonly [string, ...Token[]],
  fallbackCode?: string,
): Promise<Line> {
  try {
    return await execCommand(connection, command)
  } catch (error) {
    throw mailboxError(error, fallbackCode)
  }
}

/** SUBSCRIBE or UNSUBSCRIBE as a courtesy: what it follows is done, whatever the server says to it. */
async function trySubscription(
  connection: ImapConnection,
  command: string,
  path: string,
): Promise<void> {
  try {
    await execMailboxCommand(connection, [command, nameToken(connection.client, path)])
  } catch (error) {
    if (!(error instanceof AppError) || !isRejection(error)) throw error
  }
}

/** What is subscribed to of a mailbox and all that is below it. Some servers forget it when they rename. */
async function subscribedIn(connection: ImapConnection, path: string): Promise<string[]> {
  const below = `${path}${connection.client.namespace?.delimiter ?? '/'}`
  const subscribed = new Set([
    ...(await listSubscribed(connection, path)),
    ...(await listSubscribed(connection, `${below}*`)),
  ])
  // A name may hold the wildcards of LSUB.
  return [...subscribed].filter((each) => each === path || each.startsWith(below))
}

async function listSubscribed(connection: ImapConnection, pattern: string): Promise<string[]> {
  const { client, wire } = connection
  const paths: string[] = []
  try {
    await execCommand(connection, ['LSUB', '', nameToken(client, pattern)], {
      LSUB: async ({ attributes: [flags, , name] = [] }) => {
        // RFC 3501 §6.3.9: with this one it is not itself subscribed to, something below is.
        if (textsOf(flags).some((flag) => flag.toLowerCase() === '\\noselect')) return
        const raw = textOf(name)
        if (raw !== undefined && paths.length < maxFollowing) paths.push(wire.pathOf(raw))
      },
    })
  } catch (error) {
    const failure = mailboxError(error)
    if (!isRejection(failure)) throw failure
  }
  return paths
}

/**
 * Opens the inbox instead of a mailbox that is to go, or of one below it: servers refuse to rename or delete what is open. CLOSE would
 * expunge, and not every server has UNSELECT.
 */
async function deselectTree(connection: ImapConnection, path: string): Promise<void> {
  const { client, selectedIfAny: selected } = connection
  const below = `${path}${client.namespace?.delimiter ?? '/'}`
  if (path === 'INBOX' || !selected) return
  if (selected.path !== path && !selected.path.startsWith(below)) return
  connection.selected = undefined
  const inbox: unknown = await client.mailboxOpen('INBOX', { readOnly: true })
  if (!inbox) throw connection.rejection('open the inbox')
}

/** A mailbox that is there, as the server knows it. */
export function pathOf(client: ImapFlow, path: string): string {
  return validatePath(normalizePath(client, path))
}

/** One that is to be: under the personal namespace, its levels joined as the server does. */
function newPathOf(client: ImapFlow, path: string | readonly string[]): string {
  const delimiter = client.namespace?.delimiter ?? '/'
  let joined = typeof path === 'string' ? path : path.join(delimiter)
  // RFC 9051 §6.3.4: a delimiter at the end would only announce that something is to come below.
  while (delimiter !== '' && joined.endsWith(delimiter)) joined = joined.slice(0, -delimiter.length)
  if (joined === '' || (typeof path !== 'string' && path.some((level) => level === '')))
    throw invalidName()
  return pathOf(client, withInbox(joined, delimiter))
}

/** RFC 9051 §5.1: INBOX in any case is the primary mailbox. What is below it servers list under INBOX. */
function withInbox(path: string, delimiter: string): string {
  const inbox = `INBOX${delimiter}`
  return delimiter !== '' && path.slice(0, inbox.length).toUpperCase() === inbox
    ? inbox + path.slice(inbox.length)
    : path
}

/** RFC 9051 §5.1.1 has no control characters in names; servers that take them cannot be asked for them again. */
function validatePath(path: string): string {
  if (path === '' || path.length > maxPathLength || /[\0-\x1f\x7f]/.test(path)) throw invalidName()
  return path
}

function invalidName(): AppError {
  return new AppError('invalid', 'This cannot be the name of a mailbox')
}

function nameToken(client: ImapFlow, path: string): Token {
  return { type: 'STRING', value: encodePath(client, path) }
}

/** RFC 8474 §4.1. */
function mailboxIdIn(answer: Line): string | undefined {
  const [code, id] = responseCode(answer)
  const [mailboxId] = textsOf(id)
  return textOf(code)?.toUpperCase() === 'MAILBOXID' && mailboxId ? clean(mailboxId) : undefined
}
