import { defined } from '@posthorn/contracts/defined'
import type { MessageNew } from '@posthorn/contracts/events/message'
import type { Settings } from '@posthorn/contracts/settings/settings'
import type { ReadPart, ReadText } from '@posthorn/message-reader'

/**
 * Data of a message that are sent to the language model for a summary. Attachments and other
 * headers are not sent.
 */
export interface SummaryInput {
  from?: string
  to?: string
  subject?: string
  date?: string
  text: string
}

/** Maximum characters of each header field in the input of a summary. */
const maxField = 1_000
const maxRecipients = 20
/** Maximum bytes that are read of each text of a message (plain or HTML) for a summary. */
const maxBytes = 65_536

/** Functions that read the message for which a summary is requested. */
export interface SummarySource {
  /**
   * Reads the plain text and the HTML of the message to summarise. Undefined if the server returns
   * neither.
   */
  readTexts: (maxBytes: number) => Promise<Partial<ReadText> | undefined>
  read: ReadPart
}

interface SummarisedMessage {
  entry: Pick<MessageNew, 'from' | 'to' | 'subject' | 'date' | 'messageSpecialUse'>
  /** Texts of the message that were already read for its `messageNew` event. */
  texts: Partial<ReadText>
}

/** Builds the input for a summary. Undefined if a message is outside the inbox or has no text. */
export async function buildSummaryInput(
  { readTexts, read }: SummarySource,
  { entry, texts: notified }: SummarisedMessage,
  settings: Settings,
): Promise<SummaryInput | undefined> {
  if (settings.generateEmailSummary !== true || entry.messageSpecialUse !== '\\Inbox')
    return undefined
  const suffices = settings.notifyText === true && (settings.notifyTextSize ?? maxBytes) >= maxBytes
  const texts = suffices ? notified : await readTexts(maxBytes)
  const text = await read('summary', texts ?? {})
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
