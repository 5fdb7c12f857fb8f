import { isIP } from 'node:net'
import { AppError } from '@posthorn/errors'
import { linkTo } from './signed-link.ts'

export interface ListMessage {
  /** Where the pages are: the address of the service. */
  baseUrl: string
  key: Buffer
  account: string
  listId: string
  /** The one address this copy goes to. */
  recipient: string
  messageId: string
}

export interface ListLinks {
  headers: { 'List-ID': string; 'List-Unsubscribe': string; 'List-Unsubscribe-Post': string }
  unsubscribeUrl: string
}

/** RFC 5322 §2.1.1: 998 characters a line; the name of the header and what a composer adds want room. */
const maxLineLength = 900

/**
 * The headers by which mail clients offer to leave a list, and the address for a link in the text. The same for the same input.
 *
 * @throws AppError `invalid` for a list id that is no host name
 */
export function listHeaders({
  baseUrl,
  key,
  account,
  listId,
  recipient,
  messageId,
}: ListMessage): ListLinks {
  const list = listId.toLowerCase()
  if (!isHostName(list))
    throw new AppError('invalid', 'A list id consists of letters, digits, dots and hyphens')
  const link = { act: 'unsub', acc: account, list, rcpt: recipient } as const
  const whole = linkTo(baseUrl, key, { ...link, msg: messageId })
  // A message id that makes the line too long is a curiosity; the way out of the list is not.
  const short =
    whole && whole.length <= maxLineLength ? whole : (linkTo(baseUrl, key, link) ?? whole)
  if (short === undefined) throw new AppError('invalid', 'The recipient is too long for a list')
  return {
    headers: {
      'List-ID': `<${list}.${namespaceOf(baseUrl)}>`, // RFC 2919 §2
      'List-Unsubscribe': `<${foldable(short)}>`, // RFC 2369 §3.2
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click', // RFC 8058 §3.1
    },
    unsubscribeUrl: whole ?? short,
  }
}

function isHostName(text: string): boolean {
  return (
    text.length <= 253 &&
    /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/.test(text)
  )
}

/** The domain that list ids are unique in. RFC 2919 §2: `localhost` where there is none. */
function namespaceOf(baseUrl: string): string {
  const { hostname } = new URL(baseUrl)
  return hostname.startsWith('[') || isIP(hostname) !== 0 ? 'localhost' : hostname
}

/** RFC 2369 §2: readers ignore white space inside the brackets, so a line that would be too long can be folded there. */
function foldable(url: string): string {
  return url.length <= maxLineLength ? url : (url.match(/.{1,900}/g) ?? []).join(' ')
}
