import { addressKey } from '@posthorn/contracts/address-key'
import { AppError } from '@posthorn/errors'
import { fieldValue, joinHead, splitHead } from './headers.ts'
import { parseAddresses } from './nodemailer.ts'

// Mail APIs have no separate envelope: a mail API takes the sender and the recipients from the
// header of a message, including Bcc.

interface Envelope {
  from: string
  to: readonly string[]
}

/**
 * Keys (see `addressKey`) of all addresses in a message's header fields with the given names,
 * including members of groups.
 */
function addressKeys(mime: Buffer, names: ReadonlySet<string>): Set<string> {
  const { fields = [] } = splitHead(mime) ?? {}
  const addresses = fields
    .filter(({ name }) => names.has(name))
    .flatMap((field) => parseAddresses(fieldValue(field), { flatten: true }))
  return new Set(addresses.map(({ address, name }) => addressKey(address || name)))
}

const authorFields = new Set(['from'])
const recipientFields = new Set(['to', 'cc', 'bcc'])

/**
 * Checks that the header of a message is equivalent to its envelope: the sender is an author, and
 * all recipients in the header are also recipients of the envelope.
 *
 * @throws AppError `invalid` `UnsupportedOperation`
 */
export function assertHeaderEnvelope(mime: Buffer, { from, to }: Envelope): void {
  if (!addressKeys(mime, authorFields).has(addressKey(from)))
    throw unsupported('The account cannot send with an envelope sender other than the author')
  const recipients = new Set(to.map(addressKey))
  for (const key of addressKeys(mime, recipientFields))
    if (!recipients.has(key))
      throw unsupported('The account cannot leave out a recipient that the header names')
}

function unsupported(message: string): AppError {
  return new AppError('invalid', message, { code: 'UnsupportedOperation' })
}

/**
 * Adds a Bcc field to a message for those recipients of the envelope that the header of the message
 * does not contain.
 */
export function withBcc(mime: Buffer, { to }: Pick<Envelope, 'to'>): Buffer {
  const named = addressKeys(mime, recipientFields)
  const hidden = to.filter((address) => !named.has(addressKey(address)))
  const head = splitHead(mime)
  if (hidden.length === 0 || !head) return mime
  // The Bcc field has one address per line, which limits the length of lines (RFC 5322 §2.1.1). The
  // line is converted to Latin-1, because raw fields have one character per byte.
  const line = Buffer.from(`Bcc: ${hidden.join(',\r\n ')}`).toString('latin1')
  return joinHead({ ...head, fields: [...head.fields, { name: 'bcc', line }] })
}
