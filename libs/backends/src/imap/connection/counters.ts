import { defined } from '@posthorn/contracts/defined'
import { AppError } from '@posthorn/errors'
import type { ImapFlow } from 'imapflow'
import type { MailboxCounters, MailboxStatus } from '../../mail-session.ts'
import { hasCapability } from '../imapflow-internals.ts'
import { type StatusItems, textOf } from '../tokens.ts'
import type { Wire } from './wire.ts'

/** STATUS items of the mailbox counters (RFC 9051 §6.3.11, RFC 7162 §3.1.7). */
export function counterNames(client: ImapFlow): string[] {
  const modseq = hasCapability(client, 'CONDSTORE') || hasCapability(client, 'QRESYNC')
  return ['MESSAGES', 'UIDNEXT', 'UIDVALIDITY', 'UNSEEN', ...(modseq ? ['HIGHESTMODSEQ'] : [])]
}

/**
 * Checks that an IMAP connection works by requesting STATUS, and reports a changed number of
 * messages in the mailbox. The caller must hold the mutex of the connection.
 */
export async function pollStatus(
  { client, wire }: { client: ImapFlow; wire: Wire },
  path: string,
): Promise<void> {
  await wire.status(path, ['MESSAGES', 'UIDNEXT'], (of, items) => {
    const { messages } = countersOf(items)
    if (messages !== undefined) updateMessageCount(client, of, messages)
  })
}

/** Valid mailbox counters of an IMAP STATUS response. */
export function countersOf(items: StatusItems | undefined): MailboxCounters {
  const count = (name: string) => {
    const text = textOf(items?.get(name)) ?? ''
    return /^\d{1,10}$/.test(text) ? Number(text) : undefined
  }
  const positive = (name: string) => {
    const text = textOf(items?.get(name)) ?? ''
    return /^(?!0+$)\d{1,19}$/.test(text) ? BigInt(text) : undefined
  }
  return defined({
    messages: count('MESSAGES'),
    uidNext: count('UIDNEXT'),
    unseen: count('UNSEEN'),
    uidValidity: positive('UIDVALIDITY'),
    highestModseq: positive('HIGHESTMODSEQ'),
  })
}

/** Status of a mailbox from its IMAP counters. A missing counter is 0. */
export function toStatus(
  path: string,
  counters: MailboxCounters,
  uidValidity: bigint,
): MailboxStatus {
  return { messages: 0, uidNext: 0, ...counters, path, uidValidity }
}

/**
 * MAILBOXID of a STATUS response (RFC 8474 §4.3). Accepts a value without parentheses, as some
 * servers send it.
 */
export function mailboxIdOf(items: StatusItems | undefined): string | undefined {
  const id = items?.get('MAILBOXID')
  return textOf(Array.isArray(id) ? id[0] : id)
}

/**
 * Emits the event `exists` if STATUS of the selected mailbox has a new message count. A server that
 * ignores NOOP does not report a new count in any other way.
 */
export function updateMessageCount(client: ImapFlow, path: string, messages: number): void {
  const { mailbox } = client
  if (!mailbox || mailbox.path !== path || mailbox.exists === messages) return
  const prevCount = mailbox.exists
  mailbox.exists = messages
  client.emit('exists', { path, count: messages, prevCount })
}

/**
 * Returns a valid UIDVALIDITY. Throws `NoUidValidity` for a missing or zero UIDVALIDITY, which RFC
 * 9051 §9 forbids. Without UIDVALIDITY, UIDs have no meaning, and state stored for them would be
 * lost at the next valid UIDVALIDITY.
 */
export function requireUidValidity(uidValidity: bigint | undefined): bigint {
  if (uidValidity === undefined || uidValidity <= 0n)
    throw new AppError('unreachable', 'The mail server reports no UIDVALIDITY for the mailbox', {
      code: 'NoUidValidity',
    })
  return uidValidity
}
