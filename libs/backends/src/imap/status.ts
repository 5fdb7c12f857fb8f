import type { ImapFlow, ImapFlowError } from 'imapflow'
import { hasCapability, normalizePath } from 'imapflow/lib/tools.js'
import type { MailboxStatus } from '../backend.ts'
import type { ImapConnection } from './connection.ts'
import { folderNotFound } from './errors.ts'
import { modseqOf, mustHave } from './mailboxes.ts'
import { type StatusItems, textOf } from './tokens.ts'

/** RFC 9051 §6.3.11, RFC 7162 §3.1.7. */
export function counterNames(client: ImapFlow): string[] {
  const modseq = hasCapability(client, 'CONDSTORE') || hasCapability(client, 'QRESYNC')
  return ['MESSAGES', 'UIDNEXT', 'UIDVALIDITY', 'UNSEEN', ...(modseq ? ['HIGHESTMODSEQ'] : [])]
}

/** imapflow's own takes any STATUS for the answer: with NOTIFY they come unasked, and of other mailboxes. */
export async function status(connection: ImapConnection, given: string): Promise<MailboxStatus> {
  const { wire } = connection
  return await connection.call(async (client) => {
    const path = normalizePath(client, given)
    let found: StatusItems | undefined
    const told = (of: string, items: StatusItems) => {
      if (of === path) found = items
      else wire.onStatus(of, items)
    }
    try {
      await wire.status(path, counterNames(client), told)
    } catch (error) {
      if (await isMissing(connection, path, error as ImapFlowError)) throw folderNotFound(error)
      throw error
    }
    const counters = countersOf(found)
    if (counters.messages !== undefined) tellOpen(client, path, counters.messages)
    return { ...complete(counters, path), uidValidity: mustHave(counters.uidValidity) }
  })
}

/** As a sign of life, for whoever holds the lane; what the answer says of the open mailbox is told. */
export async function pollStatus({ client, wire }: ImapConnection, path: string): Promise<void> {
  await wire.status(path, ['MESSAGES', 'UIDNEXT'], (of, items) => {
    const { messages } = countersOf(items)
    if (messages !== undefined) tellOpen(client, of, messages)
  })
}

/** The counters as far as they are told and make sense. */
export function countersOf(items: StatusItems | undefined): Partial<Omit<MailboxStatus, 'path'>> {
  const number = (name: string, digits: number) => {
    const text = textOf(items?.get(name)) ?? ''
    return /^\d+$/.test(text) && text.length <= digits ? text : undefined
  }
  const [messages, uidNext, unseen] = ['MESSAGES', 'UIDNEXT', 'UNSEEN'].map((name) =>
    number(name, 10),
  )
  const uidValidity = number('UIDVALIDITY', 19)
  const modseq = number('HIGHESTMODSEQ', 19)
  return {
    ...(messages === undefined ? {} : { messages: Number(messages) }),
    ...(uidNext === undefined ? {} : { uidNext: Number(uidNext) }),
    ...(unseen === undefined ? {} : { unseen: Number(unseen) }),
    ...(uidValidity === undefined || BigInt(uidValidity) === 0n
      ? {}
      : { uidValidity: BigInt(uidValidity) }),
    ...(modseq === undefined ? {} : modseqOf(BigInt(modseq))),
  }
}

/** Undefined without UIDVALIDITY: then they are counters of nothing one could know again. */
export function toStatus(path: string, items: StatusItems): MailboxStatus | undefined {
  const counters = countersOf(items)
  const { uidValidity } = counters
  return uidValidity === undefined ? undefined : { ...complete(counters, path), uidValidity }
}

/** RFC 8474 §4.3: in parentheses, and bare in the wild. */
export function mailboxIdOf(items: StatusItems | undefined): string | undefined {
  const id = items?.get('MAILBOXID')
  return textOf(Array.isArray(id) ? id[0] : id)
}

function complete(
  counters: Partial<Omit<MailboxStatus, 'path'>>,
  path: string,
): Omit<MailboxStatus, 'uidValidity'> {
  return { messages: 0, uidNext: 0, ...counters, path }
}

/** What STATUS says of the open mailbox is news like any other: to a server that ignores NOOP it is the only question. */
function tellOpen(client: ImapFlow, path: string, messages: number): void {
  const { mailbox } = client
  if (!mailbox || mailbox.path !== path || mailbox.exists === messages) return
  const prevCount = mailbox.exists
  mailbox.exists = messages
  client.emit('exists', { path, count: messages, prevCount })
}

/** A plain NO means anything; a list that has no such mailbox does not. */
async function isMissing(
  { client, wire }: ImapConnection,
  path: string,
  { responseStatus, code }: ImapFlowError,
): Promise<boolean> {
  if (responseStatus !== 'NO' || code === 'ETHROTTLE' || !client.usable) return false
  try {
    return (await wire.lists(path)) === undefined
  } catch {
    return false
  }
}
