import { type ParsedAddress, parseMessage } from '@posthorn/mime'
import type { FetchMessageObject, MessageAddressObject } from 'imapflow'

/** Every message has an author: an envelope without a single address is one that the server did not fill in. */
export function lacksAddresses({ envelope }: FetchMessageObject): boolean {
  if (!envelope) return false
  const { from, sender, replyTo, to, cc, bcc } = envelope
  return [from, sender, replyTo, to, cc, bcc].every((list = []) =>
    list.every(({ address }) => !address),
  )
}

/** The same with the addresses of its header. */
export async function withAddressesOf(
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
  return { ...(name ? { name } : {}), ...(address ? { address } : {}) }
}
