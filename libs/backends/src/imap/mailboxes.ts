import { AppError } from '@posthorn/errors'
import type { ImapFlowError, MailboxObject } from 'imapflow'
import type { SelectedMailbox } from '../backend.ts'
import { hasCondstore } from './capabilities.ts'
import type { ImapConnection } from './connection.ts'
import { clean } from './text.ts'

export async function select(
  connection: ImapConnection,
  path: string,
  readOnly: boolean,
): Promise<SelectedMailbox> {
  return await connection.call(async (client) => {
    try {
      const opened = await openIdentified(connection, path, readOnly)
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

/**
 * Coremail lets nobody open a mailbox who has not said who they are after the login ("Unsafe Login"); imapflow says so before, and leaves
 * it at that when it got an answer.
 */
async function openIdentified(
  { client, wire }: ImapConnection,
  path: string,
  readOnly: boolean,
): Promise<MailboxObject> {
  try {
    return await client.mailboxOpen(path, { readOnly })
  } catch (error) {
    const { responseText } = error as ImapFlowError
    if (!/unsafe login/i.test(responseText ?? '')) throw error
    await wire.identify()
    return await client.mailboxOpen(path, { readOnly })
  }
}

/** Missing, or zero, which RFC 9051 §9 rules out: without it a UID names nothing, and state kept under it would be lost at the next real value. */
export function mustHave(uidValidity: bigint | undefined): bigint {
  if (uidValidity === undefined || uidValidity <= 0n)
    throw new AppError('unreachable', 'The mail server gives the mailbox no UIDVALIDITY', {
      code: 'NoUidValidity',
    })
  return uidValidity
}

export function modseqOf(highestModseq: bigint | undefined): { highestModseq?: bigint } {
  return highestModseq === undefined || highestModseq <= 0n ? {} : { highestModseq }
}
