import { createHmac, timingSafeEqual } from 'node:crypto'

/** Content of a signed link. Names are short, because it is part of every message. */
export type SignedLink =
  | { act: 'open'; acc: string; msg: string }
  | { act: 'click'; acc: string; msg: string; url: string }
  /** `msg` is absent if the id was too long for a header. */
  | { act: 'unsub'; acc: string; list: string; rcpt: string; msg?: string }
  /** Hosted form. Its parameters are stored under the nonce, not in the URL. */
  | { act: 'form'; n: string }

/** Query parameters of a signed link. */
export interface SignedParts {
  data: string
  sig: string
}

/** Maximum characters of `data`. Common proxies accept request lines of at least twice this. */
export const maxDataLength = 7_000
/** Characters of an HMAC-SHA256 in base64url. */
const signatureLength = 43

const paths = {
  open: '/open.gif',
  click: '/redirect',
  unsub: '/unsubscribe',
  form: '/accounts/new',
} as const

/** Builds the URL of a signed link below `baseUrl`; undefined if it would be too long. */
export function linkTo(baseUrl: string, key: Buffer, link: SignedLink): string | undefined {
  const data = Buffer.from(JSON.stringify(link)).toString('base64url')
  if (data.length > maxDataLength) return undefined
  const sig = signatureOf(key, data).toString('latin1')
  return `${baseOf(baseUrl)}${paths[link.act]}?data=${data}&sig=${sig}`
}

/** Verifies and parses a link; undefined if it is invalid. Compares in constant time. */
export function readLink(key: Buffer, { data, sig }: SignedParts): SignedLink | undefined {
  if (data.length > maxDataLength || sig.length !== signatureLength) return undefined
  const received = Buffer.from(sig)
  const expected = signatureOf(key, data)
  if (received.length !== expected.length || !timingSafeEqual(received, expected)) return undefined
  return parse(data)
}

function signatureOf(key: Buffer, data: string): Buffer {
  return Buffer.from(createHmac('sha256', key).update(data).digest('base64url'))
}

/** Required members per kind of link. */
const members: Record<SignedLink['act'], readonly string[]> = {
  open: ['acc', 'msg'],
  click: ['acc', 'msg', 'url'],
  unsub: ['acc', 'list', 'rcpt'],
  form: ['n'],
}

/**
 * Parses signed data. Checked although signed, since another release may have used another shape.
 */
function parse(data: string): SignedLink | undefined {
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(data, 'base64url').toString())
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

/** Origin and path of a base URL, without a trailing slash, query or fragment. */
function baseOf(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl)
  return `${origin}${pathname.replace(/\/+$/, '')}`
}

/** True for redirect and unsubscribe links of this service, which must not be rewritten again. */
export function isOwnLink(baseUrl: string, url: URL): boolean {
  const base = baseOf(baseUrl)
  const address = `${url.origin}${url.pathname}`
  return address === `${base}${paths.unsub}` || address === `${base}${paths.click}`
}
