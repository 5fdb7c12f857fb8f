import { defined } from '@posthorn/contracts/defined'
import type { ImapFlowError, MailboxObject } from 'imapflow'
import type { SelectedMailbox, SelectedMailboxSummary } from '../../mail-session.ts'
import { hasCondstore } from '../connection/capabilities.ts'
import type { ImapConnection } from '../connection/connection.ts'
import { requireUidValidity } from '../connection/counters.ts'
import { clean } from '../text.ts'
import { countMessages } from './status.ts'

export async function select(
  connection: ImapConnection,
  path: string,
  readOnly: boolean,
): Promise<SelectedMailbox> {
  return await connection.call(async (client) => {
    try {
      const mailbox = await selectWithRecovery(connection, path, readOnly)
      if (!(mailbox as unknown)) throw connection.rejection('select the mailbox')
      const { exists, uidNext, flags, noModseq, ...rest }: Partial<MailboxObject> = mailbox
      const { highestModseq = 0n } = rest
      const uidValidity = requireUidValidity(mailbox.uidValidity)
      connection.selected = { path, uidValidity }
      const hasModseq = !noModseq && hasCondstore(client) && highestModseq > 0n
      return defined({
        path,
        messages: exists ?? (await countMessages(connection, path)),
        uidNext: uidNext ?? 0,
        uidValidity,
        highestModseq: hasModseq ? highestModseq : undefined,
        flags: [...(flags ?? [])].map(clean),
      })
    } catch (error) {
      // After a failed SELECT no mailbox is selected (RFC 9051 §6.3.2).
      connection.selected = undefined
      throw error
    }
  })
}

/** Selects a mailbox. Sends SELECT once more if the cause of a rejection could be removed. */
async function selectWithRecovery(
  { client, wire }: ImapConnection,
  path: string,
  readOnly: boolean,
): Promise<MailboxObject> {
  try {
    return await client.mailboxOpen(path, { readOnly })
  } catch (error) {
    const { responseText = '', mailboxMissing = false } = error as ImapFlowError
    // The mail server Coremail requires the command ID after the login. imapflow sends ID only
    // before the login, so ID is sent here.
    if (/unsafe login/i.test(responseText)) await wire.identify()
    else if (!mailboxMissing || !(await wire.learnRawName(path))) throw error
    return await client.mailboxOpen(path, { readOnly })
  }
}

/** Selects a mailbox unless the IMAP connection has already selected this mailbox. */
export async function ensureSelected(
  connection: ImapConnection,
  path: string,
  { readOnly = false, fresh = false }: { readOnly?: boolean; fresh?: boolean },
): Promise<SelectedMailboxSummary> {
  const selected = selectedSummary(connection, path, readOnly)
  if (selected && !fresh) return selected
  const current =
    selected &&
    (await connection
      .call((client) => connection.noop(client))
      .then(() => selectedSummary(connection, path, readOnly)))
  return current ?? select(connection, path, readOnly)
}

/**
 * Summary of a mailbox that the IMAP connection has selected, for writing if writing is requested.
 * Undefined if the mailbox is not selected in this way.
 */
function selectedSummary(
  { client, selectedIfAny }: ImapConnection,
  path: string,
  readOnly: boolean,
): SelectedMailboxSummary | undefined {
  const { mailbox } = client
  if (!client.usable || !mailbox || selectedIfAny?.path !== path) return undefined
  if (mailbox.readOnly && !readOnly) return undefined
  return { path, messages: mailbox.exists, uidValidity: selectedIfAny.uidValidity }
}
