import { addressKey } from '@posthorn/contracts/address-key'
import { defined } from '@posthorn/contracts/defined'
import type { MessageContent } from '@posthorn/contracts/schemas/content'
import { MailAddress } from '@posthorn/contracts/schemas/primitives'
import { matches } from '@posthorn/contracts/validate'
import type { ComposeOptions } from './compose.ts'
import { unfoldHistory } from './fold-history.ts'
import { escapeHtml, htmlToText } from './html-to-text.ts'
import { toSingleLine } from './reject-injection.ts'

/** Email address that was read from a message. The address is not validated. */
interface ReadAddress {
  name?: string
  address?: string
}

/**
 * Stored message to which a draft replies, or which a draft forwards. All of its members are
 * untrusted input.
 */
export interface ReferencedMessage {
  subject?: string
  messageId?: string
  from?: ReadAddress
  replyTo?: readonly ReadAddress[]
  to?: readonly ReadAddress[]
  cc?: readonly ReadAddress[]
  date?: string
  /**
   * Values of the headers of the stored message to which a draft refers, by lower-case header name.
   */
  headers?: Readonly<Record<string, readonly string[]>>
  /**
   * Texts of the stored message to which a draft refers. The texts are only used for quoting, and
   * their HTML must already be sanitised.
   */
  text?: { plain?: string; html?: string }
}

export interface ReferenceOptions {
  action: 'reply' | 'reply-all' | 'forward'
  /** True if the text of the stored message is to be quoted in the reply or forwarded message. */
  inline: boolean
  /** Email addresses of the account itself. A reply is not sent to these addresses. */
  own: readonly string[]
  locale?: string
  tz?: string
}

type Draft = Pick<MessageContent, 'to' | 'cc' | 'bcc' | 'subject' | 'text' | 'html'>

export interface ReferenceResult {
  draft: Draft
  /**
   * Message-IDs for the References header of the reply. Absent if the original message has no
   * Message-ID.
   */
  references?: NonNullable<ComposeOptions['references']>
}

/**
 * Maximum number of Message-IDs in a References header. RFC 5322 §3.6.4 sets no limit. In longer
 * chains, Message-IDs in the middle are left out.
 */
const maxReferences = 50
const maxRecipients = 500
const maxSubject = 1_000

/**
 * Fills in the missing members of a draft that replies to a message or forwards a message. Members
 * that the draft already has are not changed. Pure function.
 */
export function applyReference(
  draft: Draft,
  original: ReferencedMessage,
  options: ReferenceOptions,
): ReferenceResult {
  return defined({
    draft: {
      ...draft,
      subject: draft.subject ?? buildSubject(original, options),
      ...chooseRecipients(draft, original, options),
      ...(options.inline ? quoteOriginal(draft, original, options) : {}),
    },
    references: buildReferences(original),
  })
}

function buildReferences({ messageId, headers = {} }: ReferencedMessage) {
  const [id] = idsIn(messageId)
  if (id === undefined) return undefined
  // If the original message has no References header, the id in its In-Reply-To header is used,
  // provided that there is exactly one id (RFC 5322 §3.6.4).
  const parents = idsIn(headers['references']?.join(' '))
  const inReplyTo = idsIn(headers['in-reply-to']?.join(' '))
  const earlier = parents.length > 0 ? parents : inReplyTo.length === 1 ? inReplyTo : []
  const all = [...new Set(earlier.filter((parent) => parent !== id)), id]
  const [first = id] = all
  const last = all.slice(1 - maxReferences)
  return { inReplyTo: id, references: all.length > maxReferences ? [first, ...last] : all }
}

function idsIn(text = ''): string[] {
  return text.slice(0, 100_000).match(/<[\x21-\x3b\x3d\x3f-\x7e]{3,990}>/g) ?? []
}

function buildSubject({ subject = '' }: ReferencedMessage, { action }: ReferenceOptions): string {
  const line = toSingleLine(subject).trim().slice(0, maxSubject)
  const [prefix, has] = action === 'forward' ? ['Fwd:', /^fwd?:/i] : ['Re:', /^re(?:\[\d+\])?:/i]
  return has.test(line) ? line : `${prefix} ${line}`.trim()
}

/**
 * Chooses the recipients of a reply: the addresses in Reply-To of the original message, or else in
 * From. `reply-all` adds the other recipients of the original. Each address occurs once. Addresses
 * of the account itself are left out, unless no other address remains.
 */
function chooseRecipients(
  { to, cc, bcc }: Draft,
  original: ReferencedMessage,
  { action, own }: ReferenceOptions,
): Pick<Draft, 'to' | 'cc'> {
  if (action === 'forward') return {}
  const replyTo = usable(original.replyTo ?? [])
  const back = replyTo.length > 0 ? replyTo : usable(original.from ? [original.from] : [])
  const seen = new Set([to, cc, bcc].flatMap((list = []) => list.map(keyOf)))
  const unseen = (list: NamedAddress[]) => list.filter((entry) => addNew(seen, entry))
  if (action === 'reply') return to ? {} : { to: unseen(back) }
  const mine = new Set(own.map(addressKey))
  const notMine = (list: NamedAddress[]) => list.filter((entry) => !mine.has(keyOf(entry)))
  const others = notMine([...back, ...usable(original.to ?? [])])
  return defined({
    // If no other address remains for a reply, because the account sent the original message only
    // to itself, the reply goes to the account.
    to: to ? undefined : unseen(others.length > 0 ? others : back),
    cc: cc ? undefined : unseen(notMine(usable(original.cc ?? []))),
  })
}

type NamedAddress = NonNullable<MessageContent['from']>

function usable(addresses: readonly ReadAddress[]): NamedAddress[] {
  return addresses.slice(0, maxRecipients).flatMap(({ name = '', address = '' }) => {
    if (!matches(MailAddress, address)) return []
    const clean = toSingleLine(name).trim().slice(0, 256)
    return [clean === '' ? { address } : { name: clean, address }]
  })
}

function keyOf({ address }: NamedAddress): string {
  return addressKey(address)
}

/**
 * Adds an email address to the set `seen` of addresses that a reply already has as recipients.
 * Returns true if the set did not contain the address.
 */
function addNew(seen: Set<string>, entry: NamedAddress): boolean {
  const { size } = seen
  return seen.add(keyOf(entry)).size > size
}

/**
 * Body of a reply or forwarded message that quotes the original message. HTML is only produced if
 * the draft has HTML, or if the draft has no body at all.
 */
function quoteOriginal(
  { text, html }: Draft,
  original: ReferencedMessage,
  options: ReferenceOptions,
): Pick<Draft, 'text' | 'html'> {
  const head = attribution(original, options)
  const forward = options.action === 'forward'
  const { plain, html: quoted } = original.text ?? {}
  const asHtml = html !== undefined || (text === undefined && quoted !== undefined)
  const asText = !asHtml || text !== undefined
  const quote = { head, plain, html: quoted, forward }
  return defined({
    text: asText ? appendText(text, quote) : undefined,
    html: asHtml ? appendHtml(html, quote) : undefined,
  })
}

interface Quote {
  head: string[]
  plain: string | undefined
  html: string | undefined
  forward: boolean
}

function appendText(text: string | undefined, { head, forward, ...original }: Quote): string {
  const plain = toPlainText(original)
  const body = forward ? `\n${plain}` : plain.replace(/^/gm, '> ')
  return `${text === undefined ? '' : `${text}\n\n`}${head.join('\n')}\n${body}`
}

/**
 * Plain text of the original message to which a draft refers. If the original has no plain text,
 * its HTML is converted.
 */
function toPlainText({ plain, html }: Pick<Quote, 'plain' | 'html'>): string {
  return plain || (html === undefined ? '' : htmlToText(unfoldHistory(html)))
}

function appendHtml(written = '', { head, plain = '', html, forward }: Quote): string {
  const quoted = html === undefined ? `<pre>${escapeHtml(plain)}</pre>` : unfoldHistory(html)
  return `${written}<div><br>${head.map(escapeHtml).join('<br>')}</div>${wrap(quoted, forward)}`
}

function wrap(html: string, forward: boolean): string {
  return forward ? `<div>${html}</div>` : `<blockquote type="cite">${html}</blockquote>`
}

/**
 * Lines above the quoted message. For a reply, the date and the sender of the quoted message. For a
 * forwarded message, its header fields.
 */
function attribution(original: ReferencedMessage, options: ReferenceOptions): string[] {
  const { from, to = [], cc = [], subject = '' } = original
  const date = formatDate(original, options)
  const line = (value: string) => toSingleLine(value).slice(0, maxSubject)
  const names = (list: readonly ReadAddress[]) =>
    line(list.slice(0, maxRecipients).map(formatAddress).join(', '))
  const sender = from ? line(formatAddress(from)) : ''
  if (options.action !== 'forward') return [`${[date, sender].filter(Boolean).join(', ')}:`]
  return [
    '---------- Forwarded message ----------',
    `From: ${sender}`,
    ...(date === '' ? [] : [`Date: ${date}`]),
    `Subject: ${line(subject)}`,
    ...(to.length > 0 ? [`To: ${names(to)}`] : []),
    ...(cc.length > 0 ? [`Cc: ${names(cc)}`] : []),
  ]
}

function formatAddress({ name = '', address = '' }: ReadAddress): string {
  return name === '' ? address : `${name} <${address}>`
}

/**
 * Date of the quoted message in the given locale and time zone. An unknown locale is replaced by
 * `en`, and an unknown time zone by `UTC`.
 */
function formatDate({ date }: ReferencedMessage, { locale, tz }: ReferenceOptions): string {
  const moment = new Date(date ?? Number.NaN)
  if (Number.isNaN(moment.getTime())) return ''
  const style = { dateStyle: 'medium', timeStyle: 'short' } as const
  for (const language of [locale ?? 'en', 'en'])
    for (const timeZone of [tz ?? 'UTC', 'UTC']) {
      try {
        const format = new Intl.DateTimeFormat(language, { ...style, timeZone })
        return format.format(moment).replaceAll(/\s/g, ' ')
      } catch {
        // An error of `Intl` means that the locale or the time zone is unknown. The next
        // combination of locale and time zone is tried.
      }
    }
  return ''
}
