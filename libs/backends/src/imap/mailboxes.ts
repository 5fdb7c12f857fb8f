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
      const opened = await openMended(connection, path, readOnly)
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

/** What can be mended of a refusal is mended. */
async function openMended(
  { client, wire }: ImapConnection,
  path: string,
  readOnly: boolean,
): Promise<MailboxObject> {
  try {
    return await client.mailboxOpen(path, { readOnly })
  } catch (error) {
    const { responseText = '', mailboxMissing = false } = error as ImapFlowError
    // Coremail lets nobody open a mailbox who has not said who they are after the login; imapflow says so before, and leaves it at that.
    if (/unsafe login/i.test(responseText)) await wire.identify()
    else if (!mailboxMissing || !(await wire.learnRawName(path))) throw error
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
