import type { PayloadMembers } from '@posthorn/contracts/openapi/payload-members'
import type { CompletionList, CompletionName, CompletionPlace } from '../../editor/completion.ts'

/** Members of the payloads of events, by event name. */
export type Payloads = Readonly<Record<string, PayloadMembers>>

/**
 * Maximum number of characters before the cursor that are searched for an expression, so that a
 * long source does not delay the typing.
 */
const maxExpression = 500
/** Maximum number of events that the text about a member names. */
const maxEvents = 6

const step = String.raw`\s*\??\.\s*[\w$]+|\s*(?:\?\.)?\[\s*(?:\d+|'[\w$]+'|"[\w$]+")\s*\]`
/**
 * Pattern of an expression before the cursor of an editor: a variable, its members, and the
 * beginning of a member's name.
 */
const memberAccess = new RegExp(String.raw`(?<![\w$.])([\w$]+)((?:${step})*)\s*\??\.\s*([\w$]*)$`)
const variable = /(?<![\w$.])[\w$]*$/
/** Pattern of a comparison with the name of an event whose string is open at the cursor. */
const eventComparison = /(?<![\w$.])payload\??\.event\s*[=!]==?\s*['"](\w*)$/
const declaration = new RegExp(
  String.raw`\b(?:const|let|var)\s+(\{[^{}]*\}|[\w$]+)\s*=\s*([\w$]+)((?:${step})*)\s*(?=[;\n]|$)`,
  'g',
)

/** Variables of the functions of a webhook route. */
const variables: readonly CompletionName[] = [
  { name: 'payload', type: 'object', info: 'Webhook body of the event, with eventId and _route' },
  { name: 'logger', type: 'object', info: 'Writes lines that a test of the function returns' },
  { name: 'env', type: 'object', info: 'Value of the setting scriptEnv' },
]
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'log']

/**
 * Finds names for a position in a function of a webhook route: variables, members of the payload,
 * and names of events. If the function contains names of events as strings, the members of these
 * events are offered, otherwise the members of all events.
 */
export function completePayload(
  place: CompletionPlace,
  payloads: Payloads,
): CompletionList | undefined {
  const before = place.before.slice(-maxExpression)
  if (place.isInString) {
    const typed = eventComparison.exec(before)?.[1]
    return typed === undefined ? undefined : listOf(typed, namesOf(Object.keys(payloads)))
  }
  const [, name, path = '', typed = ''] = memberAccess.exec(before) ?? []
  if (name === undefined) return completeVariable(before, place.isRequested)
  if (name === 'logger' && path === '')
    return listOf(typed, namesOf(logLevels, '(…values) => void'))
  const origin = originsOf(place.source).get(name)
  if (!origin) return undefined
  const named = namedEvents(place.source, payloads)
  const events = named.length > 0 ? named : Object.keys(payloads)
  return listOf(typed, membersAt(events, [...origin, ...stepsOf(path)], payloads))
}

function listOf(typed: string, names: readonly CompletionName[]): CompletionList | undefined {
  return names.length === 0 ? undefined : { typedLength: typed.length, names }
}

function namesOf(names: readonly string[], type?: string): CompletionName[] {
  return names.map((name) => ({ name, ...(type !== undefined && { type }) }))
}

function completeVariable(before: string, isRequested: boolean): CompletionList | undefined {
  const typed = variable.exec(before)?.[0]
  const isShown = typed !== undefined && (isRequested || typed !== '')
  return isShown ? listOf(typed, variables) : undefined
}

/** Steps of a path such as `.data?.to[0]`: names of members, and indexes of lists. */
function stepsOf(path: string): string[] {
  return path.match(/[\w$]+/g) ?? []
}

/**
 * Paths in the payload that the variables of a function stand for: the payload itself, and
 * variables that are declared as its members, such as `const { data } = payload`.
 */
function originsOf(source: string): ReadonlyMap<string, readonly string[]> {
  const origins = new Map<string, readonly string[]>([['payload', []]])
  for (const [, target = '', name = '', path = ''] of source.matchAll(declaration)) {
    const start = origins.get(name)
    if (!start) continue
    const origin = [...start, ...stepsOf(path)]
    for (const [alias, member] of declaredNames(target))
      origins.set(alias, member === undefined ? origin : [...origin, member])
  }
  return origins
}

/** Variables of a declaration, with the names of their members if the value is destructured. */
function declaredNames(target: string): (readonly [alias: string, member?: string])[] {
  if (!target.startsWith('{')) return [[target]]
  const entries = target.matchAll(/([\w$]+)(?:\s*:\s*([\w$]+))?/g)
  return [...entries].map(([, member = '', alias = member]) => [alias, member] as const)
}

/** Events whose names a function contains as strings, without names that follow `!==` or `!=`. */
function namedEvents(source: string, payloads: Payloads): string[] {
  const strings = source.matchAll(/(!==?\s*)?(['"`])(\w+)\2/g)
  const names = [...strings].flatMap(([, isExcluded, , name = '']) => (isExcluded ? [] : [name]))
  return Object.keys(payloads).filter((event) => names.includes(event))
}

/** Object or list in the payload of an event. */
interface PayloadPart {
  event: string
  members: PayloadMembers
  isList: boolean
}

/** Names of the members at a path in the payloads of events, with their types. */
function membersAt(
  events: readonly string[],
  path: readonly string[],
  payloads: Payloads,
): CompletionName[] {
  const parts = events.flatMap((event) => {
    const part = partAt({ event, members: payloads[event] ?? {}, isList: false }, path)
    return part && !part.isList ? [part] : []
  })
  const names = new Set(parts.flatMap(({ members }) => Object.keys(members)))
  return [...names].map((name) => {
    const having = parts.filter(({ members }) => Object.hasOwn(members, name))
    const types = new Set(having.map(({ members }) => members[name]?.type ?? ''))
    const isInAll = having.length === events.length
    return {
      name,
      type: [...types].join(' | '),
      ...(!isInAll && { info: eventsText(having.map(({ event }) => event)) }),
    }
  })
}

function partAt(part: PayloadPart | undefined, path: readonly string[]): PayloadPart | undefined {
  const [name, ...rest] = path
  if (!part || name === undefined) return part
  if (part.isList) return /^\d+$/.test(name) ? partAt({ ...part, isList: false }, rest) : undefined
  const member = Object.hasOwn(part.members, name) ? part.members[name] : undefined
  if (!member?.members) return undefined
  const { members, isList = false } = member
  return partAt({ event: part.event, members, isList }, rest)
}

function eventsText(events: readonly string[]): string {
  const more = events.length - maxEvents
  return `In ${events.slice(0, maxEvents).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
