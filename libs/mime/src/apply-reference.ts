import { MailAddress, matches, type MessageContent } from '@posthorn/contracts'
import type { ComposeOptions } from './compose.ts'
import { unfoldHistory } from './fold-history.ts'
import { htmlToText } from './html-to-text.ts'

/** As read out of messages, where anything may stand. */
interface ReadAddress {
  name?: string
  address?: string
}

/** A stored message that another one answers or passes on, as it was read. Nothing in it is trusted. */
export interface ReferencedMessage {
  subject?: string
  messageId?: string
  from?: ReadAddress
  replyTo?: readonly ReadAddress[]
  to?: readonly ReadAddress[]
  cc?: readonly ReadAddress[]
  date?: string
  /** Lower-case name to values. */
  headers?: Readonly<Record<string, readonly string[]>>
  /** Needed for quoting alone; the HTML safe already. */
  text?: { plain?: string; html?: string }
}

export interface ReferenceOptions {
  action: 'reply' | 'reply-all' | 'forward'
  /** Quotes the text. */
  inline: boolean
  /** Addresses that are the writer's own: they are not answered. */
  own: readonly string[]
  locale?: string
  tz?: string
}

type Draft = Pick<MessageContent, 'to' | 'cc' | 'bcc' | 'subject' | 'text' | 'html'>

export interface ReferenceResult {
  draft: Draft
  /** Absent where the original has no Message-ID. */
  references?: NonNullable<ComposeOptions['references']>
}

/** RFC 5322 §3.6.4 sets no limit to References; beyond this the ones in the middle go. */
const maxReferences = 50
const maxRecipients = 500
const maxSubject = 1_000

/** Makes a message an answer to another, or pass it on. What the draft says itself stays as it is; what it leaves out is filled in. Pure. */
export function applyReference(
  draft: Draft,
  original: ReferencedMessage,
  referring: ReferenceOptions,
): ReferenceResult {
  const references = referencesOf(original)
  return {
    draft: {
      ...draft,
      subject: draft.subject ?? subjectOf(original, referring),
      ...recipientsOf(draft, original, referring),
      ...(referring.inline ? quotedIn(draft, original, referring) : {}),
    },
    ...(references === undefined ? {} : { references }),
  }
}

function referencesOf({ messageId, headers = {} }: ReferencedMessage) {
  const [id] = idsIn(messageId)
  if (id === undefined) return undefined
  // RFC 5322 §3.6.4: without References the In-Reply-To stands in for it, if it names one message.
  const parents = idsIn(headers['references']?.join(' '))
  const answered = idsIn(headers['in-reply-to']?.join(' '))
  const known = parents.length > 0 ? parents : answered.length === 1 ? answered : []
  const all = [...new Set(known.filter((parent) => parent !== id)), id]
  const [first = id] = all
  const last = all.slice(1 - maxReferences)
  return { inReplyTo: id, references: all.length > maxReferences ? [first, ...last] : all }
}

function idsIn(text = ''): string[] {
  return text.slice(0, 100_000).match(/<[\x21-\x3b\x3d\x3f-\x7e]{3,990}>/g) ?? []
}

function subjectOf({ subject = '' }: ReferencedMessage, { action }: ReferenceOptions): string {
  const line = subject
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, maxSubject)
  const [prefix, has] = action === 'forward' ? ['Fwd:', /^fwd?:/i] : ['Re:', /^re(?:\[\d+\])?:/i]
  return has.test(line) ? line : `${prefix} ${line}`.trim()
}

/** Answers go to whom the original asks for, or came from; to all: to its other recipients as well. Nobody twice, and never to oneself alone. */
function recipientsOf(
  { to, cc, bcc }: Draft,
  original: ReferencedMessage,
  { action, own }: ReferenceOptions,
): Pick<Draft, 'to' | 'cc'> {
  if (action === 'forward') return {}
  const asked = usable(original.replyTo ?? [])
  const back = asked.length > 0 ? asked : usable(original.from ? [original.from] : [])
  const seen = new Set([to, cc, bcc].flatMap((list = []) => list.map(addressKey)))
  const unseen = (list: Mailbox[]) => list.filter((entry) => !has(seen, entry))
  if (action === 'reply') return to ? {} : { to: unseen(back) }
  const mine = new Set(own.map((address) => address.toLowerCase()))
  const notMine = (list: Mailbox[]) => list.filter((entry) => !mine.has(addressKey(entry)))
  const others = notMine([...back, ...usable(original.to ?? [])])
  return {
    // An answer to all to what one wrote oneself, and only to oneself, is a note to oneself.
    ...(to ? {} : { to: unseen(others.length > 0 ? others : back) }),
    ...(cc ? {} : { cc: unseen(notMine(usable(original.cc ?? []))) }),
  }
}

type Mailbox = NonNullable<MessageContent['from']>

function usable(addresses: readonly ReadAddress[]): Mailbox[] {
  return addresses.slice(0, maxRecipients).flatMap(({ name = '', address = '' }) => {
    if (!matches(MailAddress, address)) return []
    const clean = name
      .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
      .trim()
      .slice(0, 256)
    return [clean === '' ? { address } : { name: clean, address }]
  })
}

function addressKey({ address }: Mailbox): string {
  return address.toLowerCase()
}

/** Whether it is among those seen; from now on it is. */
function has(seen: Set<string>, entry: Mailbox): boolean {
  const key = addressKey(entry)
  const known = seen.has(key)
  seen.add(key)
  return known
}

/** The original below what is written; HTML only where the message has HTML, or nothing at all. */
function quotedIn(
  { text, html }: Draft,
  original: ReferencedMessage,
  referring: ReferenceOptions,
): Pick<Draft, 'text' | 'html'> {
  const head = headOf(original, referring)
  const forward = referring.action === 'forward'
  const { plain, html: quoted } = original.text ?? {}
  const asHtml = html !== undefined || (text === undefined && quoted !== undefined)
  const asText = !asHtml || text !== undefined
  const below = { head, plain, html: quoted, forward }
  return {
    ...(asText ? { text: quotedText(text, below) } : {}),
    ...(asHtml ? { html: quotedHtml(html, below) } : {}),
  }
}

interface Below {
  head: string[]
  plain: string | undefined
  html: string | undefined
  forward: boolean
}

function quotedText(text: string | undefined, { head, forward, ...original }: Below): string {
  const plain = plainOf(original)
  const body = forward ? `\n${plain}` : plain.replace(/^/gm, '> ')
  return `${text === undefined ? '' : `${text}\n\n`}${head.join('\n')}\n${body}`
}

/** Much of what is passed on is written in HTML alone: its text is made of that. */
function plainOf({ plain, html }: Pick<Below, 'plain' | 'html'>): string {
  return plain || (html === undefined ? '' : htmlToText(unfoldHistory(html)))
}

function quotedHtml(written = '', { head, plain = '', html, forward }: Below): string {
  const quoted = html === undefined ? `<pre>${escaped(plain)}</pre>` : unfoldHistory(html)
  return `${written}<div><br>${head.map(escaped).join('<br>')}</div>${quote(quoted, forward)}`
}

function quote(html: string, forward: boolean): string {
  return forward ? `<div>${html}</div>` : `<blockquote type="cite">${html}</blockquote>`
}

function headOf(original: ReferencedMessage, referring: ReferenceOptions): string[] {
  const { from, to = [], cc = [], subject = '' } = original
  const date = dateOf(original, referring)
  const line = (value: string) => value.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').slice(0, maxSubject)
  const names = (list: readonly ReadAddress[]) =>
    line(list.slice(0, maxRecipients).map(shown).join(', '))
  const sender = from ? line(shown(from)) : ''
  if (referring.action !== 'forward') return [`${[date, sender].filter(Boolean).join(', ')}:`]
  return [
    '---------- Forwarded message ----------',
    `From: ${sender}`,
    ...(date === '' ? [] : [`Date: ${date}`]),
    `Subject: ${line(subject)}`,
    ...(to.length > 0 ? [`To: ${names(to)}`] : []),
    ...(cc.length > 0 ? [`Cc: ${names(cc)}`] : []),
  ]
}

function shown({ name = '', address = '' }: ReadAddress): string {
  return name === '' ? address : `${name} <${address}>`
}

/** As people of the locale write it; a locale or time zone nobody knows counts as none. */
function dateOf({ date }: ReferencedMessage, { locale, tz }: ReferenceOptions): string {
  const moment = new Date(date ?? Number.NaN)
  if (Number.isNaN(moment.getTime())) return ''
  const style = { dateStyle: 'medium', timeStyle: 'short' } as const
  for (const [language, zone] of [
    [locale ?? 'en', tz ?? 'UTC'],
    [locale ?? 'en', 'UTC'],
    ['en', tz ?? 'UTC'],
    ['en', 'UTC'],
  ] as const) {
    try {
      const format = new Intl.DateTimeFormat(language, { ...style, timeZone: zone })
      return format.format(moment).replaceAll(/\s/g, ' ')
    } catch {
      // the next one
    }
  }
  return ''
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => escapes[character] ?? '')
}
