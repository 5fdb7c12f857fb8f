import { isIP } from 'node:net'
import { AppError } from '@posthorn/errors'
import type { LinkKey } from './link-key.ts'
import { linkTo, placeholderLink } from './signed-link.ts'

interface ListMessage {
  /** Base URL of the service that serves the unsubscribe links of messages. */
  baseUrl: string
  /**
   * Key that signs the unsubscribe links. Undefined in a dry run, in which a placeholder replaces
   * the link. No request accepts the placeholder.
   */
  key: LinkKey | undefined
  account: string
  listId: string
  /** Email address of the recipient who gets this copy of the list message. */
  recipient: string
  messageId: string
}

export interface ListLinks {
  headers: { 'List-ID': string; 'List-Unsubscribe': string; 'List-Unsubscribe-Post': string }
  unsubscribeUrl: string
}

/**
 * Maximum length of a URL in a message header: 998 characters per line (RFC 5322 §2.1.1), minus the
 * header name and the encoding.
 */
const maxLineLength = 900

/**
 * Builds the unsubscribe headers for a message to a list, and the unsubscribe URL for the text of
 * the message.
 *
 * @throws AppError `invalid` for a list id that is not a host name
 */
export function listHeaders(message: ListMessage): ListLinks {
  const { baseUrl, listId } = message
  const list = listId.toLowerCase()
  if (!isHostName(list))
    throw new AppError('invalid', 'A list id consists of letters, digits, dots and hyphens')
  const { full, short } = unsubscribeLinks(message, list)
  return {
    headers: {
      'List-ID': `<${list}.${namespaceOf(baseUrl)}>`, // header List-ID: RFC 2919 §2
      'List-Unsubscribe': `<${foldable(short)}>`, // header List-Unsubscribe: RFC 2369 §3.2
      // header List-Unsubscribe-Post: RFC 8058 §3.1
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
    unsubscribeUrl: full,
  }
}

/**
 * Builds two unsubscribe links for a message: the full link contains the Message-ID, and the short
 * link leaves it out if the full link is too long for a header.
 */
function unsubscribeLinks(
  { baseUrl, key, account, recipient, messageId }: ListMessage,
  list: string,
): { full: string; short: string } {
  if (!key) {
    const url = placeholderLink(baseUrl, 'unsub')
    return { full: url, short: url }
  }
  const link = { act: 'unsub', acc: account, list, rcpt: recipient } as const
  const full = linkTo(baseUrl, key, { ...link, msg: messageId })
  // A Message-ID that is too long is left out of the unsubscribe link, so that the link still
  // works.
  const short = full && full.length <= maxLineLength ? full : (linkTo(baseUrl, key, link) ?? full)
  if (short === undefined) throw new AppError('invalid', 'The recipient is too long for a list')
  return { full: full ?? short, short }
}

function isHostName(text: string): boolean {
  return (
    text.length <= 253 &&
    /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/.test(text)
  )
}

/**
 * Domain for the List-ID header of a message to a list. For IP addresses the domain is `localhost`
 * (RFC 2919 §2).
 */
function namespaceOf(baseUrl: string): string {
  const { hostname } = new URL(baseUrl)
  return hostname.startsWith('[') || isIP(hostname) !== 0 ? 'localhost' : hostname
}

/**
 * Adds positions at which a long URL in a header can be folded. Readers ignore white space inside
 * the angle brackets (RFC 2369 §2).
 */
function foldable(url: string): string {
  return url.length <= maxLineLength ? url : (url.match(/.{1,900}/g) ?? []).join(' ')
}
