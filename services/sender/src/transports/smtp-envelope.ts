import { domainToASCII } from 'node:url'
import type { DsnRequest } from '@posthorn/db'
import { AttemptError, type AttemptFailure } from './stage-errors.ts'
import type { Offers } from './offers.ts'
import type { OutgoingMessage, RejectedRecipient } from './transport.ts'

/** An envelope as nodemailer takes it. */
export interface SmtpEnvelope {
  from: string
  to: string[]
  size: number
  use8BitMime: boolean
  dsn?: { id?: string; return: 'headers' | 'full'; notify?: string[]; recipient?: string }
}

export interface PreparedEnvelope {
  envelope: SmtpEnvelope
  /** Recipients that this server cannot be told of. */
  rejected: RejectedRecipient[]
  /** Addresses as they are said, with what they were. */
  originalAddresses: ReadonlyMap<string, string>
}

/** RFC 3461 §4.4. */
const maxEnvelopeId = 100

/**
 * Puts an envelope into words that this server knows. Domains are said in ASCII (RFC 5890); an address that is not ASCII before the
 * `@` needs SMTPUTF8 (RFC 6531), and nothing else here does.
 *
 * Eight-bit bytes are announced where the server takes them (RFC 6152); where it does not say so they are sent as they are: servers
 * that drop the eighth bit are a thing of the past, and written anew a message would lose its signatures.
 *
 * @throws DeliveryError `EMESSAGE` when the server takes no message of this size; `ESMTPUTF8` when the sender, or every recipient,
 * cannot be said
 */
export function prepareEnvelope(
  { envelope, mime, dsn }: Pick<OutgoingMessage, 'envelope' | 'mime' | 'dsn'>,
  { extensions, maxBytes = Infinity }: Offers,
): PreparedEnvelope {
  if (mime.length > maxBytes) throw new AttemptError(tooLarge(mime.length, maxBytes))
  const isSayable = (address: string) => isAscii(address) || extensions.has('SMTPUTF8')
  const from = inAsciiDomain(envelope.from)
  if (!isSayable(from)) throw new AttemptError(unsayable(envelope.from))
  const spoken = new Map(envelope.to.map((address) => [inAsciiDomain(address), address]))
  const to = [...spoken.keys()].filter(isSayable)
  const refused = [...spoken]
    .filter(([said]) => !isSayable(said))
    .map(([, recipient]) => ({ recipient, failure: unsayable(recipient) }))
  const [first] = refused
  if (to.length === 0 && first) throw new AttemptError(first.failure)
  return {
    envelope: {
      from,
      to,
      size: mime.length,
      use8BitMime: hasEightBit(mime),
      ...(dsn && extensions.has('DSN') ? { dsn: dsnWords(dsn) } : {}),
    },
    rejected: refused,
    originalAddresses: spoken,
  }
}

function dsnWords({ id, notify, recipient, ...how }: DsnRequest): NonNullable<SmtpEnvelope['dsn']> {
  return {
    return: how.return,
    // Longer ones are refused, and with them the message.
    ...(id === undefined ? {} : { id: id.slice(0, maxEnvelopeId) }),
    // NEVER stands alone, RFC 3461 §4.1.
    ...(notify === undefined || notify.length === 0
      ? {}
      : { notify: notify.includes('never') ? ['never'] : notify }),
    ...(recipient === undefined ? {} : { recipient: originalRecipient(recipient) }),
  }
}

/** RFC 3461 §4.2, and RFC 6533 §3 for addresses that are not ASCII. A type that is given stays. */
function originalRecipient(address: string): string {
  if (/^[a-z0-9-]+;/i.test(address)) return address
  if (isAscii(address)) return `rfc822;${address}`
  const escaped = Array.from(address, (char) =>
    /^[!-~]$/.test(char) && !'\\+='.includes(char)
      ? char
      : `\\x{${(char.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`,
  )
  return `utf-8;${escaped.join('')}`
}

function inAsciiDomain(address: string): string {
  const at = address.lastIndexOf('@')
  const domain = address.slice(at + 1)
  if (at < 0 || isAscii(domain)) return address
  // A name that is none is left for the server to refuse.
  return `${address.slice(0, at)}@${domainToASCII(domain) || domain}`
}

/** RFC 1870 §6.1: said without trying. */
function tooLarge(bytes: number, maxBytes: number): AttemptFailure {
  const message = `The message has ${bytes} bytes, and the server takes ${maxBytes} at most`
  return { message, code: 'EMESSAGE', command: 'MAIL FROM' }
}

function unsayable(address: string): AttemptFailure {
  return {
    message: `The server cannot take the address ${address}: it does not offer SMTPUTF8`,
    code: 'ESMTPUTF8',
  }
}

function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text)
}

function hasEightBit(bytes: Uint8Array): boolean {
  for (const byte of bytes) if (byte > 127) return true
  return false
}
