import { defined, type MessageNew, type Settings } from '@posthorn/contracts'
import type { ReadText } from '@posthorn/message-reader'
import type { Outline } from '../messages/outline.ts'
import { readText } from '../messages/read-text.ts'
import type { MessageSource } from '../messages/source.ts'
import { undefinedIfMissing } from '../messages/undefined-if.ts'

/** Part of a message that is sent to the endpoint: no attachments, no other headers. */
export interface SummaryInput {
  from?: string
  to?: string
  subject?: string
  date?: string
  text: string
}

/** Limit of each header field in characters. */
const maxField = 1_000
const maxRecipients = 20
/** Read limit per kind of text. */
const maxBytes = 65_536

export interface SummarySource {
  uid: number
  outline: Outline
  entry: Pick<MessageNew, 'from' | 'to' | 'subject' | 'date' | 'messageSpecialUse'>
  /** Texts that were read for the event. */
  read: Partial<ReadText>
}

/** Input for the summary of a new message. Undefined outside the inbox and without text. */
export async function buildSummaryInput(
  source: MessageSource,
  { uid, outline, entry, read }: SummarySource,
  settings: Settings,
): Promise<SummaryInput | undefined> {
  if (settings.generateEmailSummary !== true || entry.messageSpecialUse !== '\\Inbox')
    return undefined
  const suffices = settings.notifyText === true && (settings.notifyTextSize ?? maxBytes) >= maxBytes
  const options = { plain: true, html: true, webSafe: false, maxBytes }
  const texts = suffices
    ? read
    : await undefinedIfMissing(readText(source, { uid, outline }, options))
  const text = await source.read('summary', texts ?? {})
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

function formatAddress({ name = '', address = '' }: { name?: string; address?: string }): string {
  return name === '' ? address : `${name} <${address}>`
}

function limitField(value: string | undefined): string | undefined {
  return value ? value.slice(0, maxField).toWellFormed() : undefined
}
