import { createHmac, timingSafeEqual } from 'node:crypto'

/** What a link says. Short names: it travels in every message. */
export type SignedLink =
  | { act: 'open'; acc: string; msg: string }
  | { act: 'click'; acc: string; msg: string; url: string }
  /** Without `msg` only where the id was too long to be put into a header. */
  | { act: 'unsub'; acc: string; list: string; rcpt: string; msg?: string }
  /** The hosted form. What it is about is stored under the nonce: nothing of it is for an address bar. */
  | { act: 'form'; n: string }

/** The two query parameters of a link. */
export interface SignedParts {
  data: string
  sig: string
}

/** Characters of `data`. A request line of twice this passes the limits of common proxies, and ours. */
export const maxDataLength = 7_000
/** SHA-256 as base64url. */
const signatureLength = 43

const paths = {
  open: '/open.gif',
  click: '/redirect',
  unsub: '/unsubscribe',
  form: '/accounts/new',
} as const

/** The address of a link below `baseUrl`; undefined when it would be too long to be of use. */
export function linkTo(baseUrl: string, key: Buffer, link: SignedLink): string | undefined {
  const data = Buffer.from(JSON.stringify(link)).toString('base64url')
  if (data.length > maxDataLength) return undefined
  const sig = signatureOf(key, data).toString('latin1')
  return `${baseOf(baseUrl)}${paths[link.act]}?data=${data}&sig=${sig}`
}

/** What a link says; undefined unless we signed it, to the letter. The time it takes tells nothing about the right signature. */
export function readLink(key: Buffer, { data, sig }: SignedParts): SignedLink | undefined {
  if (data.length > maxDataLength || sig.length !== signatureLength) return undefined
  const given = Buffer.from(sig)
  const right = signatureOf(key, data)
  if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined
  return parse(data)
}

function signatureOf(key: Buffer, data: string): Buffer {
  return Buffer.from(createHmac('sha256', key).update(data).digest('base64url'))
}

const members: Record<SignedLink['act'], readonly string[]> = {
  open: ['acc', 'msg'],
  click: ['acc', 'msg', 'url'],
  unsub: ['acc', 'list', 'rcpt'],
  form: ['n'],
}

/** Signed by us, and yet looked at: what another release signed may have another shape. */
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

/** Without what could end the path, or an attribute. */
export function baseOf(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl)
  return `${origin}${pathname.replace(/\/+$/, '')}`
}

/** Whether an address is one of ours that must stay as it is: what is signed already, and the way out of a list. */
export function isOwnLink(baseUrl: string, url: URL): boolean {
  const base = baseOf(baseUrl)
  const address = `${url.origin}${url.pathname}`
  return address === `${base}${paths.unsub}` || address === `${base}${paths.click}`
}
