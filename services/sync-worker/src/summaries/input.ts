import type { MailSession } from '@posthorn/backends'
import type { MessageNew, Settings } from '@posthorn/contracts'
import { htmlToText } from '@posthorn/mime'
import { undefinedIfMissing } from '../messages/read-text.ts'
import type { Outline } from '../messages/outline.ts'
import { type ReadText, readText } from '../messages/read-text.ts'

/** What of a message leaves this system to be summarised: text and the head of a letter, no headers and no attachments. */
export interface SummaryInput {
  from?: string
  to?: string
  subject?: string
  date?: string
  text: string
}

/** Characters of the text; what follows hardly ever says what a message is about. */
const maxText = 20_000
const maxField = 1_000
/** Read of each kind of text. */
const maxBytes = 65_536
/** Looked at of HTML, which is mostly something else than text. */
const maxHtml = 400_000

export interface SummarySource {
  uid: number
  outline: Outline
  entry: Pick<MessageNew, 'from' | 'to' | 'subject' | 'date' | 'messageSpecialUse'>
  /** What was read of its texts already. */
  read: Partial<ReadText>
}

/** What is to be summarised of a new message; undefined where nothing is: other mail than the Inbox's, or none with words in it. */
export async function buildSummaryInput(
  session: Pick<MailSession, 'readParts'>,
  { uid, outline, entry, read }: SummarySource,
  settings: Settings,
): Promise<SummaryInput | undefined> {
  if (settings.generateEmailSummary !== true || entry.messageSpecialUse !== '\\Inbox')
    return undefined
  const isEnough = settings.notifyText === true && (settings.notifyTextSize ?? maxBytes) >= maxBytes
  const texts = isEnough
    ? read
    : await undefinedIfMissing(
        readText(session, { uid, outline }, { plain: true, html: true, webSafe: false, maxBytes }),
      )
  const text = textOf(texts ?? {})
  if (text === '') return undefined
  const { from, to = [], subject, date } = entry
  return {
    ...field('from', from && nameOf(from)),
    ...field('to', to.slice(0, 20).map(nameOf).join(', ')),
    ...field('subject', subject),
    ...field('date', date),
    text,
  }
}

/** The plain text; some senders leave it empty beside the HTML. */
function textOf({ plain = '', html = '' }: Partial<ReadText>): string {
  const text = plain.trim() === '' ? htmlToText(html.slice(0, maxHtml)) : plain
  return text.trim().slice(0, maxText).toWellFormed()
}

function nameOf({ name = '', address = '' }: { name?: string; address?: string }): string {
  return name === '' ? address : `${name} <${address}>`
}

function field<K extends string>(name: K, value: string | undefined): { [_ in K]?: string } {
  const members = value ? { [name]: value.slice(0, maxField).toWellFormed() } : {}
  return members as { [_ in K]?: string }
}
