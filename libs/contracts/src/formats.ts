import { isIP } from 'node:net'

const controls = /[\u0000-\u001F\u007F]/

/**
 * True for an email address that is safe in header lines and SMTP commands. See RFC 5321 §4.1.2 and
 * RFC 6531 §3.3.
 */
function isMailAddress(value: string): boolean {
  const at = value.lastIndexOf('@')
  if (at < 1 || at === value.length - 1 || value.length > 320 || controls.test(value)) return false
  const local = value.slice(0, at)
  if (!/^"(?:[^"\\]|\\.)*"$/.test(local) && !/^[^\s@"(),:;<>[\]\\]+$/u.test(local)) return false
  const domain = value.slice(at + 1)
  return /^\[[0-9a-fA-F:.]+\]$|^\[IPv6:[0-9a-fA-F:.]+\]$/.test(domain) || isHostName(domain)
}

function isHostName(value: string): boolean {
  return (
    value.length <= 253 &&
    value
      .split('.')
      .every((label) =>
        /^[\p{L}\p{N}\p{M}_](?:[\p{L}\p{N}\p{M}_-]{0,61}[\p{L}\p{N}\p{M}_])?$/u.test(label),
      )
  )
}

function isHttpUrl(value: string): boolean {
  return URL.canParse(value) && ['http:', 'https:'].includes(new URL(value).protocol)
}

/** True for a URL that can identify a webhook target: without credentials, query and fragment. */
function isTargetAddress(value: string): boolean {
  if (!isHttpUrl(value)) return false
  const { username, password, search, hash } = new URL(value)
  return username === '' && password === '' && search === '' && hash === ''
}

const date =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)([Zz]|[+-]\d{2}:?\d{2})?)?$/

const proxyProtocols = ['http:', 'https:', 'socks:', 'socks4:', 'socks4a:', 'socks5:']

function isProxyUrl(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, hostname } = new URL(value)
  return proxyProtocols.includes(protocol) && hostname !== ''
}

/**
 * Parses an ISO 8601 time. A time without a zone is read as UTC. Returns undefined for invalid
 * dates such as February 30, which JavaScript would accept.
 */
export function parseDate(value: string): Date | undefined {
  const [, day, time = '00:00', zone = 'Z'] = date.exec(value) ?? []
  if (day === undefined) return undefined
  const midnight = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== day)
    return undefined
  const offset = zone.toUpperCase().replace(/^([+-]\d{2})(\d{2})$/, '$1:$2')
  const moment = new Date(`${day}T${time}${offset}`)
  return Number.isNaN(moment.getTime()) ? undefined : moment
}

/**
 * True for an IP address or CIDR range. Addresses with a zone id are rejected, because zone ids are
 * only valid on one host (RFC 4007 §6).
 */
function isAddressRange(value: string): boolean {
  const [address = '', bits, ...rest] = value.split('/')
  const family = isIP(address)
  if (family === 0 || address.includes('%') || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}

/**
 * True for a list id (RFC 2919 §2) with the syntax of a host name. The restriction exists because
 * headers and links contain list ids.
 */
function isListId(value: string): boolean {
  return (
    value.length <= 253 &&
    value.split('.').every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i.test(label))
  )
}

const maxHeaderPrefixLength = 32

/**
 * True for a prefix of header names such as `X-EE-`: `X-`, then words of letters and digits, each
 * followed by a hyphen. The prefix `X-SVC-` is taken, and proxies write and remove `X-Forwarded-`.
 */
function isHeaderPrefix(value: string): boolean {
  return (
    value.length <= maxHeaderPrefixLength &&
    /^X-(?!(?:SVC|Forwarded)-)(?:[A-Z0-9]+-)+$/i.test(value)
  )
}

/**
 * True for the id of a row of the table account_changes (list of account changes): `<xid>-<id>`. An
 * empty text is also accepted, because some clients send it before they have received a row.
 */
function isChangeId(value: string): boolean {
  const [, xid, id] = /^(\d{1,20})-(\d{1,19})$/.exec(value) ?? []
  if (xid === undefined || id === undefined) return value === ''
  return BigInt(xid) < 1n << 64n && BigInt(id) < 1n << 63n
}

/**
 * True for a flag of an IMAP message: a keyword or a system flag other than `\\Recent`. See `flag`
 * in RFC 9051 §9, restricted to ASCII.
 */
function isMessageFlag(value: string): boolean {
  return /^(?:\\(?:answered|flagged|deleted|seen|draft)|[!#$&'+-[^-z|}~]+)$/i.test(value)
}

/**
 * True for a set of UIDs or sequence numbers, which may include `*`. See `sequence-set` in RFC 9051
 * §9.
 */
function isSequenceSet(value: string): boolean {
  return value.split(',').every((piece) => {
    const [, first, last = first] =
      /^ *([1-9]\d{0,9}|\*)(?::([1-9]\d{0,9}|\*))? *$/.exec(piece) ?? []
    return [first, last].every((number) => number === '*' || Number(number) <= 0xffff_ffff)
  })
}

function isJsonObject(value: string): boolean {
  try {
    const parsed: unknown = JSON.parse(value)
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
  } catch {
    return false
  }
}

/** True for a valid language tag such as `en-GB` (RFC 5646). */
function isLocale(value: string): boolean {
  try {
    return Intl.getCanonicalLocales(value).length === 1
  } catch {
    return false
  }
}

/** True for the name of a time zone in the IANA database, or an offset such as `+01:00`. */
function isTimeZone(value: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** Format checks for schemas, by name of the format. Each check runs in linear time. */
export const formats: Record<string, (value: string) => boolean> = {
  'mail-address': isMailAddress,
  'host-name': (value) => isHostName(value) || isIP(value) !== 0,
  'http-url': isHttpUrl,
  'target-address': isTargetAddress,
  'proxy-url': isProxyUrl,
  'ip-address': (value) => isIP(value) !== 0,
  'list-id': isListId,
  'proxy-url-or-empty': (value) => value === '' || isProxyUrl(value),
  'http-url-or-empty': (value) => value === '' || isHttpUrl(value),
  'date-time': (value) => parseDate(value) !== undefined,
  'one-line': (value) => !controls.test(value.replaceAll('\t', '')),
  'header-name': (value) => /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(value),
  'header-prefix-or-empty': (value) => value === '' || isHeaderPrefix(value),
  'address-range': isAddressRange,
  base64: (value) => /^[A-Za-z0-9+/\s]*(?:=\s*){0,2}$/.test(value),
  'change-id': isChangeId,
  'message-flag': isMessageFlag,
  'sequence-set': isSequenceSet,
  'delivery-cursor': (value) =>
    /^\d{1,18}_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value),
  'event-cursor': (value) => /^\d{1,18}_\d{1,18}$/.test(value),
  'event-stream-id': (value) => /^\d{0,18}$/.test(value),
  uuid: (value) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value),
  'json-object': isJsonObject,
  locale: isLocale,
  'time-zone': isTimeZone,
  'search-text': (value) => !value.includes('\0'),
  'mailbox-path': (value) => value !== '' && !controls.test(value),
}
