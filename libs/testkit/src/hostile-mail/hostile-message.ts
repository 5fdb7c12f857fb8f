/** Message made to cost its reader time or memory. Contents are built on each call, not kept. */
export interface HostileMessage {
  name: string
  /** Whole message (RFC 5322). */
  mime: () => Buffer
  /** HTML body; absent if the message has no HTML body. */
  html?: () => string
  /** iCalendar object; absent if the message has no iCalendar object. */
  calendar?: () => string
}

/** Usual size limit of a body that a reader processes. */
export const bodyLength = 2 * 1024 * 1024

/** Repeats a piece up to a number of bytes. */
export function fill(piece: string, length = bodyLength): string {
  return piece.repeat(Math.floor(length / Buffer.byteLength(piece)))
}

export function htmlMessage(name: string, html: () => string): HostileMessage {
  return { name: `html: ${name}`, html, mime: () => withBody('text/html', html()) }
}

export function calendarMessage(name: string, lines: () => string[]): HostileMessage {
  const calendar = () =>
    ['BEGIN:VCALENDAR', 'VERSION:2.0', 'METHOD:REQUEST', ...lines(), 'END:VCALENDAR', ''].join(
      '\r\n',
    )
  const type = 'text/calendar; method=REQUEST'
  return { name: `calendar: ${name}`, calendar, mime: () => withBody(type, calendar()) }
}

export function rawMessage(name: string, text: () => string): HostileMessage {
  return { name, mime: () => Buffer.from(text(), 'latin1') }
}

/** Header section of a message that is otherwise usual. */
export const usualHead =
  'From: Ann <ann@example.com>\r\nTo: bob@example.com\r\nSubject: hello\r\nMIME-Version: 1.0\r\n'

function withBody(type: string, body: string): Buffer {
  return Buffer.from(`${usualHead}Content-Type: ${type}; charset=utf-8\r\n\r\n${body}`)
}
