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
  /**
   * Members of the Graph message for header fields, without the fields whose names the mailbox
   * would have to register.
   */
  taggedMembers: HeaderMembers
  /**
   * Names of header fields that Graph can only store after their names were registered in the
   * mailbox.
   */
  named: string[]
  /**
   * Names of header fields that the structured format of Graph cannot store, or not with all their
   * values.
   */
  omitted: string[]
}

/**
 * MAPI properties that Exchange writes as header fields ("PidTagListUnsubscribe Canonical
 * Property"). If a header field has such a property, Exchange does not write the field from a named
 * property (MS-OXCMAIL 2.1.3.2.14).
 */
const properties: Readonly<Record<string, string>> = {
  'in-reply-to': 'String 0x1042',
  references: 'String 0x1039',
  'list-help': 'String 0x1043',
  'list-subscribe': 'String 0x1044',
  'list-unsubscribe': 'String 0x1045',
}
/**
 * Property set for header fields (PS_INTERNET_HEADERS): Exchange writes each string property of
 * this set as a header field with the property's name (MS-OXCMAIL 2.1.3.2.14).
 */
const headerSet = 'String {00020386-0000-0000-C000-000000000046} Name '
/**
 * Names of header fields that other members of a Graph message express, or that Exchange writes in
 * every message.
 */
const expressed =
  /^(?:from|to|cc|bcc|reply-to|subject|date|message-id|mime-version|content-[a-z-]+|importance|x-priority)$/
/**
 * Names of header fields that Exchange writes or removes when it sends a message: trace fields,
 * signatures of the original message, requests for receipts, and fields for use inside an Exchange
 * organization.
 */
const replaced =
  /^(?:sender|return-path|received|resent-[a-z-]+|dkim-signature|arc-[a-z-]+|authentication-results|disposition-notification-to|return-receipt-to|sensitivity|x-ms-exchange-(?:organization|forest)-.*|x-microsoft-exchange-(?:organization|forest).*)$/
/**
 * Maximum entries of `internetMessageHeaders` in a Graph message. Graph refuses more entries, and
 * names that do not start with `x-`.
 */
const maxInternetHeaders = 5
/**
 * Maximum header fields of a message that are stored as named properties. A mailbox can have a
 * limited number of property names, which are never freed.
 */
const maxNamed = 50
/**
 * Maximum length of the name of a header field that becomes a property of a Graph message, in
 * characters.
 */
const maxNameLength = 127
/**
 * Maximum length of the value of a header field that becomes a property of a Graph message, in
 * characters.
 */
const maxValueLength = 16_384
/** Maximum names of omitted header fields that are reported for a Graph message. */
const maxOmitted = 100

/** Converts the header fields of a message (RFC 5322) to members of a Graph message. */
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

/** True if Exchange keeps a header field with this name and value when it sends the message. */
function isKeepable(key: string, value: string): boolean {
  const isShort = key.length <= maxNameLength && value.length <= maxValueLength
  return value !== '' && isShort && !replaced.test(key)
}

/**
 * Creates a Graph message by calling `post` with members for the header fields of the message. If
 * Graph refuses, calls `post` again without named properties: Exchange may refuse a name or a
 * value, or the mailbox cannot store more property names although it is not full
 * (microsoftgraph/microsoft-graph-docs issue 12168). A refused call has no effect.
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

/**
 * Header fields of a message by name in lower case, in the order of the header. Lines that are no
 * header field are left out.
 */
function groupByName(fields: readonly HeaderField[]): Map<string, HeaderField[]> {
  const groups = new Map<string, HeaderField[]>()
  for (const field of fields) {
    const group = groups.get(field.name)
    if (group) group.push(field)
    else if (field.name !== '') groups.set(field.name, [field])
  }
  return groups
}
