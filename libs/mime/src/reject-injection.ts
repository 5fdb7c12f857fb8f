import { MessageContent } from '@posthorn/contracts/schemas/content'
import { MailAddress } from '@posthorn/contracts/schemas/primitives'
import { check, matches } from '@posthorn/contracts/validate'
import { AppError } from '@posthorn/errors'

/**
 * Pattern of characters that some mail software treats as the end of a line. With such a character,
 * a value from an API request could start another header or SMTP command.
 */
const lineBreaks = /[\r\n\0\u0085\u2028\u2029]/

/**
 * Pattern of a word that is too long for a header line. A line has at most 998 characters and can
 * only be folded at spaces (RFC 5322 §2.1.1).
 */
const longWord = /[!-~]{998}/

/**
 * Pattern of message headers that only the composer of the message may write, because they
 * determine the encoding or the recipients.
 */
const reserved = /^(?:content-.*|mime-version|bcc|resent-.*|return-path|received|dkim-signature)$/i

/**
 * Replaces control characters in a text of a message by spaces, because some mail software treats
 * them as the end of a line.
 */
export function toSingleLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
}

export function invalidField(path: string, reason: string): AppError {
  const message = `"${path}" ${reason}`
  const key = path.slice(path.lastIndexOf('.') + 1)
  return new AppError('invalid', message, { extras: { fields: [{ message, key, path }] } })
}

/**
 * Validates message content against its contract. Content from the API was already validated, but
 * some callers have content from other sources.
 *
 * @throws AppError `invalid` with `fields` if the content could add headers or SMTP commands
 */
export function rejectInjection(content: MessageContent): MessageContent {
  const checked = check(MessageContent, structuredClone(content))
  const {
    text: _text,
    html: _html,
    previewText: _preview,
    attachments = [],
    headers = {},
    ...lines
  } = checked
  rejectLineBreaks(lines, '')
  rejectLineBreaks(headers, 'headers')
  rejectLongWords(headers)
  for (const [index, { content: _content, ...part }] of attachments.entries())
    rejectLineBreaks(part, `attachments.${index}`)
  for (const name of Object.keys(headers))
    if (reserved.test(name)) throw invalidField(`headers.${name}`, 'cannot be set')
  return checked
}

export function hasLongWord(text: string): boolean {
  return longWord.test(text)
}

/**
 * Rejects custom headers of a message with words that are longer than a line. The composer of the
 * message does not encode custom headers, because it does not know their syntax.
 */
function rejectLongWords(headers: NonNullable<MessageContent['headers']>): void {
  for (const [name, values] of Object.entries(headers))
    if ([values].flat().some(hasLongWord))
      throw invalidField(`headers.${name}`, 'has a word that is longer than a line')
}

/**
 * Checks that an email address is safe in an SMTP command, and returns the address.
 *
 * @throws AppError `invalid` that names `path`
 */
export function requireAddress(address: string, path: string): string {
  if (!matches(MailAddress, address) || lineBreaks.test(address))
    throw invalidField(path, 'must be a valid email address')
  return address
}

function rejectLineBreaks(value: unknown, path: string): void {
  if (typeof value === 'string') {
    if (lineBreaks.test(value)) throw invalidField(path, 'must be a single line of text')
  } else if (value !== null && typeof value === 'object') {
    for (const [key, member] of Object.entries(value))
      rejectLineBreaks(member, path === '' ? key : `${path}.${key}`)
  }
}
