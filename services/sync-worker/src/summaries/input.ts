import type { MailSession } from '@posthorn/backends'
import { defined, type MessageNew, type Settings } from '@posthorn/contracts'
import { htmlToText } from '@posthorn/mime'
import type { Outline } from '../messages/outline.ts'
import { type ReadText, readText } from '../messages/read-text.ts'
import { undefinedIfMissing } from '../messages/undefined-if.ts'

/** Part of a message that is sent to the endpoint: no attachments, no other headers. */
export interface SummaryInput {
  from?: string
  to?: string
  subject?: string
  date?: string
  text: string
}

/** Limit of the text in characters; the beginning of a message suffices for a summary. */
const maxText = 20_000
/** Limit of each header field in characters. */
const maxField = 1_000
const maxRecipients = 20
/** Read limit per kind of text. */
const maxBytes = 65_536
/** Limit of the HTML in characters, of which most is markup. */
const maxHtml = 400_000

export interface SummarySource {
  uid: number
  outline: Outline
  entry: Pick<MessageNew, 'from' | 'to' | 'subject' | 'date' | 'messageSpecialUse'>
  /** Texts that were read for the event. */
  read: Partial<ReadText>
}

/** Input for the summary of a new message. Undefined outside the inbox and without text. */
export async function buildSummaryInput(
  session: Pick<MailSession, 'readParts'>,
  { uid, outline, entry, read }: SummarySource,
  settings: Settings,
): Promise<SummaryInput | undefined> {
  if (settings.generateEmailSummary !== true || entry.messageSpecialUse !== '\\Inbox')
    return undefined
  const suffices = settings.notifyText === true && (settings.notifyTextSize ?? maxBytes) >= maxBytes
  const options = { plain: true, html: true, webSafe: false, maxBytes }
  const texts = suffices
    ? read
    : await undefinedIfMissing(readText(session, { uid, outline }, options))
  const text = toPlainText(texts ?? {})
  if (text === '') return undefined
  const { from, to = [], subject, date } = entry
  return defined({
    from: limitField(from && formatAddress(from)),
    to: limitField(to.slice(0, maxRecipients).map(formatAddress).join(', ')),
    subject: limitField(subject),
    date: limitField(date),
    text,
  })
}

/** Plain text, or converted HTML: some senders leave the plain text empty. */
function toPlainText({ plain = '', html = '' }: Partial<ReadText>): string {
  const text = plain.trim() === '' ? htmlToText(html.slice(0, maxHtml)) : plain
  return text.trim().slice(0, maxText).toWellFormed()
}

function formatAddress({ name = '', address = '' }: { name?: string; address?: string }): string {
  return name === '' ? address : `${name} <${address}>`
}

function limitField(value: string | undefined): string | undefined {
  return value ? value.slice(0, maxField).toWellFormed() : undefined
}
