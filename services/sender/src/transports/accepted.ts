import type { NetworkRouting } from '@posthorn/db'
import type { SMTPConnectionSendInfo } from 'nodemailer/lib/smtp-connection'
import type { PreparedEnvelope } from './smtp-envelope.ts'
import { serverMessageIdOf } from './server-message-id.ts'
import { clean, toFailure } from './smtp-replies.ts'
import type { SendResult } from './transport.ts'

/** What a server has taken, and from whom it has not, in the caller's spelling of the addresses. */
export function toSendResult(
  { response, accepted, rejectedErrors = [] }: SMTPConnectionSendInfo,
  { rejected: refused, originalAddresses: spoken }: PreparedEnvelope,
  { host, routing }: { host: string; routing: NetworkRouting | undefined },
): SendResult {
  const given = (address: string) => spoken.get(address) ?? address
  const serverMessageId = serverMessageIdOf(response, host)
  return {
    response: clean(response),
    ...(serverMessageId === undefined ? {} : { serverMessageId }),
    accepted: accepted.map(given),
    rejected: [
      ...refused,
      ...rejectedErrors.map((error) => ({
        recipient: given((error as { recipient?: string }).recipient ?? ''),
        failure: toFailure(error, 'RCPT TO'),
      })),
    ],
    ...(routing === undefined ? {} : { routing }),
  }
}
