import type { SeededRandom } from '../mail-api-model/random.ts'
import type { AlteredResponse } from './faults.ts'
import type { SentResponse } from './validator.ts'

/** Broken response of a provider, and a text that describes its fault. */
export interface BrokenResponse extends AlteredResponse {
  description: string
}

/**
 * Kinds of faults that a client can recognize by the form of the response: another type of a
 * member, no JSON, an incomplete body, another status.
 */
export const formFaults = [
  'swapped member',
  'null member',
  'swapped body',
  'error body',
  'html',
  'text',
  'empty',
  'truncated',
  'cut',
  'redirect',
  'outage',
  'limit',
  'refusal without JSON',
  'huge',
  'nested',
  'slow',
] as const

/**
 * Kinds of faults in the content of a well-formed response. A client cannot recognize them in the
 * response alone.
 */
export const contentFaults = [
  'missing entry',
  'repeated entry',
  'foreign entry',
  'missing member',
  'earlier response',
  'refusal',
] as const

export type ResponseFaultKind = (typeof formFaults)[number] | (typeof contentFaults)[number]
export interface BreakOptions {
  kind: ResponseFaultKind
  /** Returns true for names of members that may be null in responses of the provider. */
  nullable?: (name: string) => boolean
  /** Earlier response to the same operation, for the fault `earlier response`. */
  earlier?: SentResponse | undefined
}

type Broken = Partial<Omit<BrokenResponse, 'description'>> & { description: string }
type Break = (
  random: SeededRandom,
  response: SentResponse,
  options: BreakOptions,
) => Broken | undefined

/** Size of a huge faulty response of a provider fake. Clients read less of most responses. */
const hugeBytes = 3 * 1024 * 1024
const nestedLevels = 20_000
const html = '<!DOCTYPE html><html><head><title>Sign in</title></head><body>502</body></html>'

/** `Retry-After` in faulty provider responses. No value lets a client wait for seconds. */
const past = new Date(0).toUTCString()
const retryTimes = ['0', '-5', 'soon', '3600', '99999999999', past] as const
/** Redirect targets in faulty responses of provider fakes. Most of the addresses are private. */
const targets = [
  'http://127.0.0.1:1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://10.0.0.1/admin',
  'http://[::1]/',
  'https://login.example/signin?next=/',
  '//example.net/x',
  '/gmail/v1/users/me/profile',
] as const

const breaks: Record<ResponseFaultKind, Break> = {
  'swapped member': (random, response) =>
    changed(response, (json) => {
      const { holder, key, path } = pick(random, membersOf(json)) ?? {}
      if (!holder || key === undefined) return undefined
      const value = otherType(random, holder[key])
      holder[key] = value
      return `${path} is ${brief(value)}`
    }),
  'null member': (random, response, { nullable = () => false }) =>
    changed(response, (json) => {
      const strict = membersOf(json).filter(({ name }) => !nullable(name))
      const { holder, key, path } = pick(random, strict) ?? {}
      if (!holder || key === undefined) return undefined
      holder[key] = null
      return `${path} is null`
    }),
  'swapped body': (random) => {
    const value = pick(random, [null, [], '', 'text', 0, true, [[]], [null]])
    return { ...jsonBody(value), description: `the body is ${brief(value)}` }
  },
  'error body': (random, { status }) => {
    const body = { error: { code: pick(random, [500, 'UnknownError', null]), message: 'no' } }
    return { ...jsonBody(body), status: status < 300 ? 200 : status, description: 'an error, 200' }
  },
  html: () => ({ ...textBody(html, 'text/html'), description: 'HTML' }),
  text: (random) => {
    const text = random.text(1 + random.below(40), '{}[]",:abc0\0\u{FFFD}')
    return { ...textBody(text, 'application/json'), description: `the text ${brief(text)}` }
  },
  empty: () => ({ bytes: Buffer.alloc(0), description: 'an empty body' }),
  truncated: (random, { bytes }) => {
    const count = random.below(bytes.length)
    if (bytes.length === 0) return undefined
    return { bytes: bytes.subarray(0, count), description: `${count} of ${bytes.length} bytes` }
  },
  cut: (random, { bytes }) => {
    const count = random.below(bytes.length)
    const description = `the connection ends after ${count} of ${bytes.length} bytes`
    return { delivery: { kind: 'truncate', bytes: count }, description }
  },
  redirect: (random, { headers }) => {
    const status = pick(random, [301, 302, 303, 307, 308])
    const location = pick(random, targets)
    const description = `${status} to ${location}`
    return { ...textBody('', 'text/html'), status, headers: { ...headers, location }, description }
  },
  outage: (random, response) => failed(random, response, pick(random, [500, 502, 503, 504, 507])),
  limit: (random, response) => failed(random, response, 429),
  'refusal without JSON': (random, response) =>
    failed(random, response, pick(random, [400, 401, 403, 404, 405, 408, 409, 410, 411, 413, 418])),
  huge: (_random, response) => {
    const bytes = Buffer.concat([response.bytes, Buffer.alloc(hugeBytes, 0x20)])
    return { bytes, description: `${bytes.length} bytes` }
  },
  nested: (random) => {
    const [open, close] = random.happens(0.5) ? ['[', ']'] : ['{"a":', '}']
    const text = open.repeat(nestedLevels) + (open === '[' ? '' : '1') + close.repeat(nestedLevels)
    return { ...textBody(text, 'application/json'), description: `${nestedLevels} levels` }
  },
  slow: (random) => {
    const pieces = 2 + random.below(20)
    return { delivery: { kind: 'drip', pieces }, description: `${pieces} pieces` }
  },
  'missing entry': (random, response) =>
    changed(response, (json) => {
      const { list, path } = pick(random, listsOf(json)) ?? {}
      if (!list) return undefined
      const count = 1 + random.below(list.length)
      list.splice(random.below(list.length - count + 1), count)
      return `${path} lacks ${count} entries`
    }),
  'repeated entry': (random, response) =>
    changed(response, (json) => {
      const { list, path } = pick(random, listsOf(json)) ?? {}
      if (!list) return undefined
      list.splice(random.below(list.length + 1), 0, structuredClone(pick(random, list)))
      return `${path} repeats an entry`
    }),
  'foreign entry': (random, response) =>
    changed(response, (json) => {
      const { list, path } = pick(random, listsOf(json)) ?? {}
      if (!list) return undefined
      const entry: unknown = structuredClone(pick(random, list))
      list.splice(random.below(list.length + 1), 0, withOtherIds(random, entry))
      return `${path} has a foreign entry`
    }),
  'missing member': (random, response) =>
    changed(response, (json) => {
      const named = membersOf(json).filter(({ holder }) => !Array.isArray(holder))
      const { holder, key, path } = pick(random, named) ?? {}
      if (!holder || key === undefined) return undefined
      delete holder[key]
      return `${path} is missing`
    }),
  'earlier response': (_random, _response, { earlier }) =>
    earlier && { ...earlier, description: 'an earlier response' },
  refusal: (random) => {
    const status = pick(random, [400, 403, 404, 409, 410, 412])
    const error = { code: status, message: 'no', errors: [{ reason: 'failed', message: 'no' }] }
    return { ...jsonBody({ error }), status, description: `${status} with an error as JSON` }
  },
}

/**
 * Breaks a response of a provider in one way. Equal random numbers break a response in the same
 * way. Undefined if the fault is impossible, such as a missing entry without lists.
 */
export function breakResponse(
  random: SeededRandom,
  response: SentResponse,
  options: BreakOptions,
): BrokenResponse | undefined {
  const broken = breaks[options.kind](random, response, options)
  if (!broken) return undefined
  const { description, ...rest } = broken
  const { contentType = response.contentType } = rest
  const headers = { ...response.headers, ...rest.headers, 'content-type': contentType }
  return { ...response, ...rest, headers, description: `${options.kind}: ${description}` }
}

function failed(random: SeededRandom, { headers }: SentResponse, status: number): Broken {
  const retryAfter = random.happens(0.5) ? pick(random, retryTimes) : undefined
  const isHtml = random.happens(0.5)
  const more = retryAfter === undefined ? {} : { 'retry-after': retryAfter }
  const description = `${status}${retryAfter === undefined ? '' : `, Retry-After ${retryAfter}`}`
  const body = isHtml ? textBody(html, 'text/html') : textBody('', 'text/plain')
  return { ...body, status, headers: { ...headers, ...more }, description }
}

/** Provider response with changed JSON. Undefined without JSON or if there is nothing to change. */
function changed(
  { bytes }: SentResponse,
  change: (json: unknown) => string | undefined,
): Broken | undefined {
  const json = parse(bytes)
  const description = json === undefined ? undefined : change(json)
  return description === undefined ? undefined : { ...jsonBody(json), description }
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown
  } catch {
    return undefined
  }
}

function jsonBody(value: unknown) {
  return textBody(JSON.stringify(value), 'application/json')
}

function textBody(text: string, contentType: string) {
  return { bytes: Buffer.from(text), contentType }
}

interface Member {
  holder: Record<string, unknown>
  key: string
  name: string
  path: string
}

/** All members and entries below a JSON value of a response. Entries have their list's name. */
function membersOf(value: unknown, path = '', name = ''): Member[] {
  if (typeof value !== 'object' || value === null) return []
  const holder = value as Record<string, unknown>
  return Object.keys(holder).flatMap((key) => {
    const isList = Array.isArray(value)
    const member = { holder, key, name: isList ? name : key, path: `${path}/${key}` }
    return [member, ...membersOf(holder[key], member.path, member.name)]
  })
}

/** Lists below a JSON value of a provider's response that have entries. */
function listsOf(json: unknown): { list: unknown[]; path: string }[] {
  return membersOf(json).flatMap(({ holder, key, path }) => {
    const list = holder[key]
    return Array.isArray(list) && list.length > 0 ? [{ list: list as unknown[], path }] : []
  })
}

/** Random JSON value for a faulty response, of another type than `value`, never null. */
function otherType(random: SeededRandom, value: unknown): unknown {
  const others = [{}, [], 'x', '', 0, -1, 1e300, true, false, [{}], { a: [] }]
  const kindOf = (each: unknown) => (Array.isArray(each) ? 'array' : typeof each)
  return pick(
    random,
    others.filter((each) => kindOf(each) !== kindOf(value)),
  )
}

/** Replaces ids and names in a response's entry, so that the entry is no object of the mailbox. */
function withOtherIds(random: SeededRandom, value: unknown): unknown {
  if (typeof value === 'string') return foreignId(random, value)
  for (const { holder, key, name } of membersOf(value)) {
    const id = holder[key]
    if (typeof id === 'string' && /^(?:id|threadId|conversationId|name|displayName)$/.test(name))
      holder[key] = foreignId(random, id)
  }
  return value
}

/** Id of no object, for faulty provider responses, in the form of the given id: hex or letters. */
function foreignId(random: SeededRandom, id: string): string {
  const alphabet = /^[\da-f]+$/.test(id) ? '0123456789abcdef' : 'ABCDEFGHIJKLMNOP'
  return id.slice(0, -8) + random.text(Math.min(8, id.length), alphabet)
}

function brief(value: unknown): string {
  return JSON.stringify(value).slice(0, 40)
}

function pick<T>(random: SeededRandom, from: readonly [T, ...T[]]): T
function pick<T>(random: SeededRandom, from: readonly T[]): T | undefined
function pick<T>(random: SeededRandom, from: readonly T[]): T | undefined {
  return from[random.below(from.length)]
}
