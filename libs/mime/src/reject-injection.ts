import { check, MailAddress, matches, MessageContent } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'

/** What ends a line for some mail software. Such a character in a header or an SMTP command could start another one. */
const lineBreaks = /[\r\n\0\u0085\u2028\u2029]/

/** Lines have 998 characters at most (RFC 5322 §2.1.1), and are folded at spaces alone: this does not fit behind one. */
const longWord = /[!-~]{998}/

/** Headers that the composer alone writes: they say how the bytes are to be read, or who gets them. */
const reserved = /^(?:content-.*|mime-version|bcc|resent-.*|return-path|received|dkim-signature)$/i

export function invalidField(path: string, reason: string): AppError {
  const message = `"${path}" ${reason}`
  const key = path.slice(path.lastIndexOf('.') + 1)
  return new AppError('invalid', message, { extras: { fields: [{ message, key, path }] } })
}

/**
 * The content, checked once more against its contract: whoever composes may have got it from elsewhere than the API.
 *
 * @throws AppError `invalid` with `fields` when a header or the envelope could be broken out of.
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

/** What a header means is not ours to encode. */
function rejectLongWords(headers: NonNullable<MessageContent['headers']>): void {
  for (const [name, values] of Object.entries(headers))
    if ([values].flat().some(hasLongWord))
      throw invalidField(`headers.${name}`, 'has a word that is longer than a line')
}

/** An address that may go into an SMTP command. */
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
