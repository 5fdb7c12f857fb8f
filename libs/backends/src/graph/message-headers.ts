import { defined } from '@posthorn/contracts/defined'
import { decodeWords, fieldValue, type HeaderField, splitHead, toSingleLine } from '@posthorn/mime'
import { isMailApiError } from '../mail-api/errors.ts'

interface ExtendedProperty {
  id: string
  value: string
}

/** Members of a Graph message that become header fields when Graph sends the message. */
export interface HeaderMembers {
  internetMessageHeaders?: { name: string; value: string }[]
  singleValueExtendedProperties?: ExtendedProperty[]
}

/** Header fields of a message, in the structured format of Graph. */
export interface StructuredHeaders {
  members: HeaderMembers
  /** Members without the header fields whose names a mailbox must register. */
  taggedMembers: HeaderMembers
  /** Names of the header fields that `taggedMembers` lack. */
  named: string[]
  /** Names of header fields that the structured format cannot keep, or not with all values. */
  omitted: string[]
}

/**
 * MAPI properties that Exchange writes as header fields ("PidTagListUnsubscribe Canonical
 * Property"). A header field with a property of its own is not written from a named property
 * (MS-OXCMAIL 2.1.3.2.14).
 */
const properties: Readonly<Record<string, string>> = {
  'in-reply-to': 'String 0x1042',
  references: 'String 0x1039',
  'list-help': 'String 0x1043',
  'list-subscribe': 'String 0x1044',
  'list-unsubscribe': 'String 0x1045',
}
/**
 * Property set of header fields (PS_INTERNET_HEADERS): Exchange writes each string property of the
 * set as a header field with the name of the property (MS-OXCMAIL 2.1.3.2.14).
 */
const headerSet = 'String {00020386-0000-0000-C000-000000000046} Name '
/** Header fields that other members of a Graph message express, or that Exchange writes itself. */
const expressed =
  /^(?:from|to|cc|bcc|reply-to|subject|date|message-id|mime-version|content-[a-z-]+|importance|x-priority)$/
/**
 * Header fields that Exchange writes or removes when it sends a message: traces, signatures of the
 * original message, requests of receipts, and header fields inside of an Exchange organization.
 */
const replaced =
  /^(?:sender|return-path|received|resent-[a-z-]+|dkim-signature|arc-[a-z-]+|authentication-results|disposition-notification-to|return-receipt-to|sensitivity|x-ms-exchange-(?:organization|forest)-.*|x-microsoft-exchange-(?:organization|forest).*)$/
/** Maximum of `internetMessageHeaders`. Graph refuses more, and names without `x-`. */
const maxInternetHeaders = 5
/**
 * Maximum header fields of a message that are named properties. The names of a mailbox are limited,
 * and are never freed.
 */
const maxNamed = 50
/** Maximum length of the name of a header field that becomes a property, in characters. */
const maxNameLength = 127
/** Maximum length of the value of a header field that becomes a property, in characters. */
const maxValueLength = 16_384
/** Maximum names of omitted header fields that are reported. */
const maxOmitted = 100

/** Converts the header fields of a message to members of a Graph message. */
export function toHeaderMembers(content: Buffer): StructuredHeaders {
  const omitted = new Set<string>()
  const tagged: ExtendedProperty[] = []
  const named: { name: string; value: string }[] = []
  for (const [key, fields] of groupByName(splitHead(content)?.fields ?? [])) {
    const [first] = fields
    if (!first || expressed.test(key)) continue
    const name = first.line.slice(0, key.length)
    const value = toSingleLine(decodeWords(fieldValue(first))).trim()
    const property = properties[key]
    const isKept = isKeepable(key, value)
    if (isKept && property !== undefined) tagged.push({ id: property, value })
    else if (isKept && named.length < maxNamed + maxInternetHeaders) named.push({ name, value })
    else omitted.add(name)
    // A property of a Graph message has one value, so further fields of a name are omitted.
    if (fields.length > 1) omitted.add(name)
  }
  return { ...membersOf(tagged, named), omitted: [...omitted].slice(0, maxOmitted) }
}

/** True if Exchange writes a header field of this name and value. */
function isKeepable(key: string, value: string): boolean {
  const isShort = key.length <= maxNameLength && value.length <= maxValueLength
  return value !== '' && isShort && !replaced.test(key)
}

/**
 * Passes the members of the header fields to `post`. A mailbox that has no room for further names
 * refuses members with names, although the mailbox is not full
 * (microsoftgraph/microsoft-graph-docs issue 12168), and Exchange may refuse a name or a value:
 * `post` is then called again without the names. A refused post has no effect.
 */
export async function postWithHeaders<T>(
  { members, taggedMembers, named, omitted }: StructuredHeaders,
  post: (members: HeaderMembers) => Promise<T>,
): Promise<{ posted: T; omittedHeaders?: string[] }> {
  try {
    return { posted: await post(members), ...listed(omitted) }
  } catch (error) {
    const isRefused = isMailApiError(error, 'mailbox-full') || isMailApiError(error, 'refused')
    if (!isRefused || named.length === 0) throw error
    const names = [...new Set([...named, ...omitted])].slice(0, maxOmitted)
    return { posted: await post(taggedMembers), ...listed(names) }
  }
}

function listed(omittedHeaders: string[]): { omittedHeaders?: string[] } {
  return omittedHeaders.length > 0 ? { omittedHeaders } : {}
}

function membersOf(
  tagged: ExtendedProperty[],
  named: { name: string; value: string }[],
): Omit<StructuredHeaders, 'omitted'> {
  const custom = named.filter(({ name }) => /^x-/i.test(name)).slice(0, maxInternetHeaders)
  const others = named.filter((each) => !custom.includes(each))
  const all = [...tagged, ...others.map(({ name, value }) => ({ id: headerSet + name, value }))]
  return {
    members: defined({
      internetMessageHeaders: custom.length > 0 ? custom : undefined,
      singleValueExtendedProperties: all.length > 0 ? all : undefined,
    }),
    taggedMembers: tagged.length > 0 ? { singleValueExtendedProperties: tagged } : {},
    named: named.map(({ name }) => name),
  }
}

/** Header fields by name in lower case, in their order. Lines that are no field are left out. */
function groupByName(fields: readonly HeaderField[]): Map<string, HeaderField[]> {
  const groups = new Map<string, HeaderField[]>()
  for (const field of fields) {
    const group = groups.get(field.name)
    if (group) group.push(field)
    else if (field.name !== '') groups.set(field.name, [field])
  }
  return groups
}
