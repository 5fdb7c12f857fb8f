import { incompleteResponse, MailApiError } from '../mail-api/errors.ts'

/**
 * Expected form of the JSON responses of a mail provider, according to the description of its API.
 */
export interface ResponseForm {
  /**
   * Names of members that are lists in any object of a mail provider's response, and the type of
   * their entries.
   */
  readonly lists: Readonly<Record<string, 'object' | 'string'>>
  /**
   * Types of members that are no lists, in any object of a mail provider's response. Every member
   * may be absent.
   */
  readonly members: Readonly<Record<string, MemberType>>
  /**
   * Types of members of a mail provider's response, by the name of the object that contains the
   * members. Needed for members that have another type in other objects of the response.
   */
  readonly within?: Readonly<Record<string, Readonly<Record<string, MemberType>>>>
  /**
   * True if the mail provider sends null for a response member whose value is unknown. Members that
   * are null count as absent.
   */
  readonly hasNulls?: boolean
  /**
   * Response members that are never null, although the mail provider sends null for other members.
   */
  readonly neverNull?: ReadonlySet<string>
}

type MemberType = 'object' | 'string' | 'number' | 'boolean'

/**
 * Checks that a successful response of a mail provider is an object without an error, and that its
 * members have the expected types. An unchecked response of another form could look like an empty
 * page, or cause an error in later code.
 *
 * @throws MailApiError `unavailable`
 */
export function assertForm(json: unknown, form: ResponseForm): asserts json is object {
  assertObject(json)
  const left: object[] = [json]
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    const structures = Array.isArray(value) ? value.filter(isStructure) : structuresOf(value, form)
    for (const each of structures) left.push(each)
  }
}

/**
 * Checks that a successful response of a mail provider is an object without an error.
 * @throws MailApiError `unavailable`
 */
export function assertObject(json: unknown): asserts json is object {
  if (!isObject(json)) throw malformed('no object')
  if (Object.hasOwn(json, 'error')) throw malformed('an error with a status of success')
}

/**
 * Failure for a mail provider's response that does not have the expected form. The error text names
 * the member, never its value.
 */
export function malformed(reason: string): MailApiError {
  return new MailApiError('unavailable', textOf(reason))
}

/**
 * Failure for one member of a mail provider's response that does not have the expected form. Other
 * members of its object, or a smaller page, may still be usable.
 */
export function malformedMember(reason: string): MailApiError {
  return incompleteResponse(textOf(reason))
}

function textOf(reason: string): string {
  return `The provider sent an unusable response: ${reason}`
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isObjectList(value: unknown): value is object[] {
  return Array.isArray(value) && value.every(isObject)
}

function structuresOf(value: object, form: ResponseForm): object[] {
  const entries: [string, unknown][] = Object.entries(value)
  for (const [name, member] of entries) assertMember(name, member, form)
  return entries.map(([, member]) => member).filter(isStructure)
}

function assertMember(name: string, member: unknown, form: ResponseForm): void {
  const { lists, members, within = {} } = form
  if (isAbsent(name, member, form)) return
  if (Object.hasOwn(lists, name)) assertList(name, member, lists[name])
  assertType(name, member, members)
  const inner = Object.hasOwn(within, name) ? within[name] : undefined
  if (!inner || !isObject(member)) return
  for (const [each, value] of Object.entries(member))
    if (!isAbsent(each, value, form)) assertType(each, value, inner)
}

/**
 * True for a member of a mail provider's response that is null because the provider does not know
 * its value.
 */
function isAbsent(
  name: string,
  member: unknown,
  { hasNulls = false, neverNull }: ResponseForm,
): boolean {
  return member === null && hasNulls && !neverNull?.has(name)
}

function assertType(name: string, member: unknown, types: Record<string, MemberType>): void {
  const type = Object.hasOwn(types, name) ? types[name] : undefined
  const isOfType = type === 'object' ? isObject(member) : typeof member === type
  if (type !== undefined && !isOfType) throw malformedMember(`${name} is no ${type}`)
}

function assertList(name: string, list: unknown, entries: 'object' | 'string' | undefined): void {
  const isEntry = entries === 'string' ? isString : isObject
  if (!Array.isArray(list) || !list.every(isEntry)) throw malformedMember(`${name} is no list`)
}

function isStructure(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}
