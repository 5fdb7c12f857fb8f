import { createHmac, timingSafeEqual } from 'node:crypto'
import { decryptText, encryptText } from './encrypted-text.ts'
import type { LinkKey } from './link-key.ts'

/**
 * Content of a signed link (tracking, unsubscribing, hosted form). Member names are short, because
 * the content is contained in every message.
 */
export type SignedLink =
  | { act: 'open'; acc: string; msg: string }
  | { act: 'click'; acc: string; msg: string; url: string }
  /** Signed unsubscribe link. The Message-ID `msg` is absent if it was too long for a header. */
  | { act: 'unsub'; acc: string; list: string; rcpt: string; msg?: string }
  /**
   * Signed link to a hosted form. The parameters of the form are not in the URL, but stored under
   * the nonce `n`.
   */
  | { act: 'form'; n: string }

/** Query parameters of a signed link: its encoded content and its signature. */
export interface SignedParts {
  data: string
  sig: string
}

/**
 * Maximum number of characters in the query parameter `data` of a signed link. Common proxies
 * accept request lines of at least twice this length.
 */
export const maxDataLength = 7_000
/** Pattern of a link's signature: optionally a key id, and an HMAC-SHA256 in base64url. */
const signaturePattern = /^(?:([\w-]{8})\.)?([\w-]{43})$/

const paths = {
  open: '/open.gif',
  click: '/redirect',
  unsub: '/unsubscribe',
  form: '/accounts/new',
} as const

/**
 * Builds the URL of a signed link below `baseUrl`. Undefined if the URL would be too long. The
 * content of an unsubscribe link is encrypted, because it contains the address of the recipient.
 */
export function linkTo(baseUrl: string, key: LinkKey, link: SignedLink): string | undefined {
  const text = JSON.stringify(link)
  const data =
    link.act === 'unsub'
      ? encryptText(key.derive(encryption), text)
      : Buffer.from(text).toString('base64url')
  if (data.length > maxDataLength) return undefined
  const sig = `${key.id}.${signatureOf(signingKey(key, link.act), data)}`
  return `${baseOf(baseUrl)}${paths[link.act]}?data=${data}&sig=${sig}`
}

/**
 * URL that replaces a signed link in a dry run, in which a message is composed and not sent. No
 * request accepts this URL.
 */
export function placeholderLink(baseUrl: string, act: SignedLink['act']): string {
  return `${baseOf(baseUrl)}${paths[act]}?data=dry-run&sig=dry-run`
}

/** Content of a valid signed link, and the key with which the link was signed. */
export interface VerifiedLink<A extends SignedLink['act']> {
  link: Extract<SignedLink, { act: A }>
  /** Key of the signature. Undefined if an imported secret signed the link. */
  key?: LinkKey
}

/**
 * Verifies and parses a signed link of the kind `act`. Undefined if the link is invalid. The
 * signature is compared in constant time. Links of earlier releases are accepted: they have no key
 * id, are signed directly with the secret, and are not encrypted.
 */
export function readLink<A extends SignedLink['act']>(
  keys: readonly LinkKey[],
  act: A,
  { data, sig }: SignedParts,
): VerifiedLink<A> | undefined {
  if (data.length > maxDataLength) return undefined
  const [, id, signature = ''] = signaturePattern.exec(sig) ?? []
  const key = keys.find(
    (key) =>
      (id === undefined || id === key.id) &&
      isSame(signature, signatureOf(id === undefined ? key.secret : signingKey(key, act), data)),
  )
  if (!key) return undefined
  const isEncrypted = id !== undefined && act === 'unsub'
  const text = isEncrypted
    ? decryptText(key.derive(encryption), data)
    : Buffer.from(data, 'base64url').toString()
  const link = text === undefined ? undefined : parseLink(text)
  return link?.act === act ? { link: link as VerifiedLink<A>['link'], key } : undefined
}

/**
 * Parts of a well-formed signature. The id of the signing key is absent in links of earlier
 * releases and of EmailEngine. Undefined if the signature is not well-formed.
 */
export function parseSignature(sig: string): { keyId: string | undefined } | undefined {
  const match = signaturePattern.exec(sig)
  return match ? { keyId: match[1] } : undefined
}

/** Purpose for which the encryption key of unsubscribe links is derived. */
const encryption = 'encrypt unsub'

function signingKey(key: LinkKey, act: SignedLink['act']): Buffer {
  return key.derive(`sign ${act}`)
}

function signatureOf(key: Buffer, data: string): string {
  return createHmac('sha256', key).update(data).digest('base64url')
}

/** Compares two signatures of links in constant time. */
export function isSame(received: string, expected: string): boolean {
  return (
    received.length === expected.length &&
    timingSafeEqual(Buffer.from(received), Buffer.from(expected))
  )
}

/** Names of the required members in the content of a signed link, by kind of link. */
const members: Record<SignedLink['act'], readonly string[]> = {
  open: ['acc', 'msg'],
  click: ['acc', 'msg', 'url'],
  unsub: ['acc', 'list', 'rcpt'],
  form: ['n'],
}

/**
 * Parses the content of a signed link. Although the content is signed, its members are checked,
 * because another release may have created it with other members.
 */
export function parseLink(text: string): SignedLink | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const link = value as Record<string, unknown>
  const { act } = link
  if (!isAct(act)) return undefined
  return members[act].every((name) => typeof link[name] === 'string')
    ? (link as unknown as SignedLink)
    : undefined
}

function isAct(act: unknown): act is SignedLink['act'] {
  return typeof act === 'string' && Object.hasOwn(members, act)
}

/**
 * Origin and path of the base URL for signed links. A trailing slash, the query and the fragment
 * are removed.
 */
function baseOf(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl)
  return `${origin}${pathname.replace(/\/+$/, '')}`
}

/**
 * True for tracking redirects and unsubscribe links with the given base URL, which must not be
 * rewritten again.
 */
export function isOwnLink(baseUrl: string, url: URL): boolean {
  const base = baseOf(baseUrl)
  const address = `${url.origin}${url.pathname}`
  return address === `${base}${paths.unsub}` || address === `${base}${paths.click}`
}
