import {
  applyReference,
  canonicalLines,
  decodeText,
  htmlToText,
  isAutoReply,
  parseCalendar,
  parseHeaders,
  parseMessage,
  safeHtml,
  splitHead,
} from '@posthorn/mime'
import type { HostileMessage } from '@posthorn/testkit'

type Reading = () => unknown

/** Charsets that a message can name for any bytes, such as `iso-2022-jp`. */
const charsets = ['utf-8', 'iso-2022-jp', 'gb18030', 'big5', 'shift_jis', 'euc-kr', 'utf-16le', '']

/** Calls of every reading function for one message, by name of the function. */
export function readingsOf({ mime, html, calendar }: HostileMessage): Record<string, Reading> {
  const bytes = mime()
  const isText = !html && !calendar
  return {
    ...readingsOfBytes(bytes, isText ? charsets : charsets.slice(0, 1)),
    ...(html && readingsOfHtml(html())),
    ...(calendar && readingsOfCalendar(calendar())),
  }
}

function readingsOfBytes(bytes: Buffer, labels: readonly string[]): Record<string, Reading> {
  return {
    parseHeaders: () => isAutoReply(parseHeaders(bytes)),
    splitHead: () => splitHead(canonicalLines(bytes)),
    ...Object.fromEntries(
      labels.map((charset) => [`decodeText ${charset}`, () => decodeText(bytes, charset)]),
    ),
    // The body of the message is cut off, because services use mailparser for the header section
    // only.
    parseMessage: () => parseMessage(bytes.subarray(0, bytes.indexOf('\r\n\r\n') + 4)),
  }
}

function readingsOfHtml(html: string): Record<string, Reading> {
  const options = { action: 'reply', inline: true, own: [] } as const
  const safe = safeHtml(html)
  return {
    safeHtml: () => safeHtml(html),
    htmlToText: () => htmlToText(html),
    'applyReference to HTML': () => applyReference({ html: '' }, { text: { html: safe } }, options),
    'applyReference to text': () => applyReference({ text: '' }, { text: { html: safe } }, options),
  }
}

function readingsOfCalendar(calendar: string): Record<string, Reading> {
  return { parseCalendar: () => parseCalendar(calendar) }
}
