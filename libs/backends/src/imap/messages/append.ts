import { defined } from '@posthorn/contracts/defined'
import { AppError } from '@posthorn/errors'
import { canonicalLines } from '@posthorn/mime'
import type { AppendedMessage, AppendOptions } from '../../mail-session.ts'
import type { ImapConnection } from '../connection/connection.ts'
import { commandMs } from '../connection/connection.ts'
import { assertFlag } from './flags.ts'
import { pathOf } from '../mailboxes/mailbox-commands.ts'

/**
 * Lowest upload rate, in bytes per millisecond, for which an APPEND command is given time.
 * Determines the timeout of the command.
 */
const bytesPerMs = 32

/**
 * Uploads a message to a mailbox by APPEND (RFC 9051 §6.3.12). Line ends are converted to CRLF (RFC
 * 5322 §2.3), because some servers reject other line ends and some store them.
 */
export async function appendMessage(
  connection: ImapConnection,
  path: string,
  { content, flags = [], internalDate }: AppendOptions & { content: Buffer },
): Promise<AppendedMessage> {
  flags.forEach(assertFlag)
  const message = canonicalLines(content)
  const timeoutMs = commandMs + message.length / bytesPerMs
  return await connection.call(
    async (client) => {
      assertFits(message.length, client.capabilities.get('APPENDLIMIT'))
      const destination = pathOf(client, path)
      const stored = await client.append(destination, message, [...flags], internalDate)
      if (!stored) throw connection.rejection('store the message')
      const { uid, uidValidity, seq } = stored
      return defined({
        path: destination,
        // The UID of an appended message is left out if the server reported no UIDVALIDITY:
        // imapflow guessed the UID from the sequence number, and another message may have arrived
        // in between.
        ...(uid && uidValidity ? { uid, uidValidity } : {}),
        seq: seq || undefined,
      })
    },
    undefined,
    timeoutMs,
  )
}

/**
 * Throws if a message exceeds the server's APPENDLIMIT (RFC 7889), so that a message that would be
 * rejected is not sent.
 */
function assertFits(bytes: number, limit: boolean | number | undefined): void {
  if (typeof limit !== 'number' || bytes <= limit) return
  const response = `The mail server accepts messages of at most ${limit} bytes`
  throw new AppError('rejected', response, { code: 'TOOBIG', extras: { info: { response } } })
}
