import { domainToASCII } from 'node:url'
import { defined } from '@posthorn/contracts/defined'
import type { DsnRequest, NetworkRouting } from '@posthorn/db'
import type { AttemptFailure } from '../classify-reply.ts'
import { AttemptError, type RejectedRecipient, type SendResult } from '../transport.ts'
import type { OutgoingMessage } from './handover-stream.ts'
import { acceptedSoFar, clean, type SendInfo, toFailure } from './nodemailer.ts'

/** Capabilities of a mail server, as stated in the server's EHLO reply (RFC 5321 §4.1.1.1). */
export interface EhloOffers {
  /** EHLO keywords of the SMTP extensions that the server offers, in upper case. */
  extensions: ReadonlySet<string>
  /** SASL mechanisms that the SMTP server offers, in upper case. */
  mechanisms: readonly string[]
  /** Maximum message size of the server (RFC 1870). Absent if the server states no limit. */
  maxBytes?: number
}

/** SMTP envelope in the form that nodemailer takes. */
export interface SmtpEnvelope {
  from: string
  to: string[]
  size: number
  use8BitMime: boolean
  dsn?: { id?: string; return: 'headers' | 'full'; notify?: string[]; recipient?: string }
}

export interface PreparedEnvelope {
  envelope: SmtpEnvelope
  /** Recipients that the mail server cannot accept, because the server does not offer SMTPUTF8. */
  rejected: RejectedRecipient[]
  /** Original spelling of each recipient address in the SMTP envelope. */
  originalAddresses: ReadonlyMap<string, string>
}

/** Maximum characters of an envelope id (DSN parameter ENVID, RFC 3461 §4.4). */
const maxEnvelopeId = 100

/**
 * Parses the lines of an SMTP server's EHLO reply. The lines contain neither codes nor the
 * greeting.
 */
export function parseOffers(lines: readonly string[]): EhloOffers {
  const extensions = new Set<string>()
  const mechanisms: string[] = []
  let maxBytes: number | undefined
  for (const line of lines) {
    // Splits a line of the EHLO reply at `=` as well as at spaces, because legacy servers write the
    // keyword AUTH as `AUTH=LOGIN`.
    const [keyword = '', ...args] = line.toUpperCase().split(/[\s=]+/)
    extensions.add(keyword)
    if (keyword === 'AUTH') mechanisms.push(...args.filter((arg) => arg !== ''))
    if (keyword === 'SIZE' && /^\d{1,15}$/.test(args[0] ?? '')) maxBytes = Number(args[0])
  }
  return defined({ extensions, mechanisms, maxBytes: maxBytes || undefined })
}

/**
 * Adapts the envelope of a message to the capabilities of the mail server. Domains are always sent
 * in ASCII (RFC 5890). Addresses with a non-ASCII local part need SMTPUTF8 (RFC 6531).
 *
 * 8-bit content is declared to servers with 8BITMIME (RFC 6152) and sent unchanged to other
 * servers. Servers without 8-bit support are extinct, and re-encoding would break signatures.
 *
 * @throws AttemptError `EMESSAGE` if the message exceeds the server's size limit; `ESMTPUTF8` if
 * the server cannot accept the sender, or any of the recipients
 */
export function prepareEnvelope(
  { envelope, mime, dsn }: Pick<OutgoingMessage, 'envelope' | 'mime' | 'dsn'>,
  { extensions, maxBytes = Infinity }: EhloOffers,
): PreparedEnvelope {
  if (mime.length > maxBytes) throw new AttemptError(tooLarge(mime.length, maxBytes))
  const isAllowed = (address: string) => isAscii(address) || extensions.has('SMTPUTF8')
  const from = withAsciiDomain(envelope.from)
  if (!isAllowed(from)) throw new AttemptError(needsSmtpUtf8(envelope.from))
  const originalAddresses = new Map(
    envelope.to.map((address) => [withAsciiDomain(address), address]),
  )
  const to = [...originalAddresses.keys()].filter(isAllowed)
  const rejected = [...originalAddresses]
    .filter(([address]) => !isAllowed(address))
    .map(([, recipient]) => ({ recipient, failure: needsSmtpUtf8(recipient) }))
  const [first] = rejected
  if (to.length === 0 && first) throw new AttemptError(first.failure)
  return {
    envelope: defined({
      from,
      to,
      size: mime.length,
      use8BitMime: hasEightBit(mime),
      dsn: dsn && extensions.has('DSN') ? dsnParameters(dsn) : undefined,
    }),
    rejected,
    originalAddresses,
  }
}

/** Recipients that the mail server has accepted so far, in the submission's spelling. */
export function acceptedRecipients({ envelope, originalAddresses }: PreparedEnvelope): string[] {
  return acceptedSoFar(envelope).map((address) => originalAddresses.get(address) ?? address)
}

/** Accepted and rejected recipients of a sent message, in the submission's spelling. */
export function toSendResult(
  { response, accepted, rejectedErrors = [] }: SendInfo,
  { rejected, originalAddresses }: PreparedEnvelope,
  { host, routing }: { host: string; routing: NetworkRouting | undefined },
): SendResult {
  const original = (address: string) => originalAddresses.get(address) ?? address
  return defined({
    response: clean(response),
    serverMessageId: serverMessageIdOf(response, host),
    accepted: accepted.map(original),
    rejected: [
      ...rejected,
      ...rejectedErrors.map((error) => ({
        recipient: original((error as { recipient?: string }).recipient ?? ''),
        failure: toFailure(error, 'RCPT TO'),
      })),
    ],
    routing,
  })
}

function dsnParameters({
  id,
  notify,
  recipient,
  ...request
}: DsnRequest): NonNullable<SmtpEnvelope['dsn']> {
  return defined({
    return: request.return,
    // Truncates the envelope id (ENVID), because servers reject the whole message if the id is
    // longer.
    id: id?.slice(0, maxEnvelopeId),
    notify: notifyParameter(notify),
    recipient: recipient === undefined ? undefined : originalRecipient(recipient),
  })
}

/** Values of the DSN parameter NOTIFY (RFC 3461 §4.1). NEVER excludes the other values. */
function notifyParameter(notify: string[] = []): string[] | undefined {
  if (notify.length === 0) return undefined
  return notify.includes('never') ? ['never'] : notify
}

/**
 * Value of the DSN parameter ORCPT: RFC 3461 §4.2, and RFC 6533 §3 for non-ASCII addresses. An
 * address type is preserved.
 */
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

function withAsciiDomain(address: string): string {
  const at = address.lastIndexOf('@')
  const domain = address.slice(at + 1)
  if (at < 0 || isAscii(domain)) return address
  // An invalid domain of an address stays unchanged: the mail server rejects the domain.
  return `${address.slice(0, at)}@${domainToASCII(domain) || domain}`
}

/**
 * Failure of a message that exceeds the size limit of the mail server. RFC 1870 §6.1: the client
 * may fail without trying.
 */
function tooLarge(bytes: number, maxBytes: number): AttemptFailure {
  const message = `The message has ${bytes} bytes, the limit of the server is ${maxBytes} bytes`
  return { message, code: 'EMESSAGE', command: 'MAIL FROM' }
}

function needsSmtpUtf8(address: string): AttemptFailure {
  const message = `The server cannot accept the address ${address}: it does not offer SMTPUTF8`
  return { message, code: 'ESMTPUTF8' }
}

function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text)
}

function hasEightBit(bytes: Uint8Array): boolean {
  for (const byte of bytes) if (byte > 127) return true
  return false
}

/**
 * Final reply of Exchange Online, which replaces the Message-ID: `250 2.0.0 OK
 * <id@….prod.outlook.com> [Hostname=…]`.
 */
const exchangeOnline = /^250[ -]2\.0\.0 OK (<[^<>\s]{1,900}@[^<>\s]+\.prod\.outlook\.com>)/i
/** Final reply of Exchange Server: `250 2.6.0 <id> [InternalId=…] Queued mail for delivery`. */
const exchange = /^250[ -]2\.6\.0 (<[^<>\s]{1,900}@[^<>\s]+>) \[InternalId=/i
/**
 * Final reply of Amazon SES, with the local part of the new Message-ID: `250 Ok
 * 0102018b5c3c0a4f-…-000000`.
 */
const ses = /^250 Ok ([0-9a-f]{8,32}(?:-[0-9a-f]{1,32})+)$/i
/** Region in a host name of Amazon SES: `us-east-1`, `ap-southeast-2`, `us-gov-west-1`. */
const region = /^[a-z]{2}(?:-[a-z]+)+-\d{1,2}$/

/**
 * Message-ID under which a mail server relays the message, if the server's final reply names a
 * Message-ID. `host` is the server's name: only replies of Amazon's hosts are read as SES ids.
 */
export function serverMessageIdOf(response: string, host: string): string | undefined {
  const reply = response.trim()
  const messageId = exchangeOnline.exec(reply)?.[1] ?? exchange.exec(reply)?.[1]
  if (messageId !== undefined) return messageId
  const local = ses.exec(reply)?.[1]
  const domain = local === undefined ? undefined : sesDomain(host)
  return domain === undefined ? undefined : `<${local?.toLowerCase()}@${domain}>`
}

/**
 * Domain of the Message-IDs that Amazon SES assigns: `email.amazonses.com` in us-east-1,
 * `<region>.amazonses.com` elsewhere. Undefined for other hosts.
 */
function sesDomain(host: string): string | undefined {
  const labels = host.toLowerCase().replace(/\.$/, '').split('.')
  const domain = labels.splice(-2).join('.')
  if (domain !== 'amazonaws.com' && domain !== 'awsapps.com') return undefined
  const label = labels.find((each) => region.test(each))
  return label && `${label === 'us-east-1' ? 'email' : label}.amazonses.com`
}
