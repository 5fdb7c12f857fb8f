import { defined } from '@posthorn/contracts/defined'
import { type ParsedAddress, parseMessage } from '@posthorn/mime'
import type { FetchMessageObject, MessageAddressObject } from 'imapflow'

/**
 * True if the envelope of a message has no address at all. Every message has an author, so the
 * server did not fill in this envelope.
 */
export function lacksAddresses({ envelope }: FetchMessageObject): boolean {
  if (!envelope) return false
  const { from, sender, replyTo, to, cc, bcc } = envelope
  return [from, sender, replyTo, to, cc, bcc].every((list = []) =>
    list.every(({ address }) => !address),
  )
}

/**
 * Returns a FETCH response (row) whose envelope has the addresses of the message header instead of
 * the server's addresses.
 */
export async function withHeaderAddresses(
  row: FetchMessageObject,
  header: Buffer,
): Promise<FetchMessageObject> {
  const { from, to, cc, replyTo } = await parseMessage(header)
  return {
    ...row,
    envelope: {
      ...row.envelope,
      from: from.map(addressOf),
      sender: from.map(addressOf),
      replyTo: (replyTo.length > 0 ? replyTo : from).map(addressOf),
      to: to.map(addressOf),
      cc: cc.map(addressOf),
    },
  }
}

function addressOf({ name, address }: ParsedAddress): MessageAddressObject {
  return defined({ name: name || undefined, address: address || undefined })
}
