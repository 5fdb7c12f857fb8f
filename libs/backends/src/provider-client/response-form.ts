import { MailApiError } from '../mail-api/errors.ts'

/** Form of the JSON responses of a mail provider, by the description of its API. */
export interface ResponseForm {
  /** Response members that are lists wherever they occur, and the type of their entries. */
  readonly lists: Readonly<Record<string, 'object' | 'string'>>
  /** True if the provider sends null for a list that it does not know. Such lists are absent. */
  readonly hasNullLists?: boolean
}

/**
 * Checks that a successful response of a mail provider is an object, and that its lists are lists.
 * Without this check a response of another form would be a page on which nothing was found.
 *
 * @throws MailApiError `unavailable`
 */
export function assertForm(json: unknown, form: ResponseForm): asserts json is object {
  if (!isObject(json)) throw malformed('no object')
  const left: object[] = [json]
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    const structures = Array.isArray(value) ? value.filter(isStructure) : structuresOf(value, form)
    for (const each of structures) left.push(each)
  }
}

/** Failure of a provider's response of another form. The text names the member, never its value. */
export function malformed(reason: string): MailApiError {
  return new MailApiError('unavailable', `The provider sent an unusable response: ${reason}`)
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isObjectList(value: unknown): value is object[] {
  return Array.isArray(value) && value.every(isObject)
}

function structuresOf(value: object, { lists, hasNullLists = false }: ResponseForm): object[] {
  const entries: [string, unknown][] = Object.entries(value)
  for (const [name, member] of entries) {
    if (!Object.hasOwn(lists, name) || (hasNullLists && member === null)) continue
    const isEntry = lists[name] === 'string' ? isString : isObject
    if (!Array.isArray(member) || !member.every(isEntry)) throw malformed(`${name} is no list`)
  }
  return entries.map(([, member]) => member).filter(isStructure)
}

function isStructure(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}
