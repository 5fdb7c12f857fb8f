import { Secret } from '@posthorn/config'
import { check } from '@posthorn/contracts/validate'
import { AppError } from '@posthorn/errors'
import type { Static, TSchema } from 'typebox'
import type { Entry, EntryKind } from '../entry.ts'
import { removeMember } from './remove-member.ts'

/**
 * Members of an imported entity's input that may not be left out. The patterns `valid` and
 * `complete` match paths such as `imap.host`.
 */
export interface EssentialMembers {
  /**
   * Members of an imported entity's input that must be valid. Unknown members below them are left
   * out.
   */
  valid: RegExp
  /**
   * Members of an imported entity's input that must be valid including all members below them. A
   * limit that Posthorn does not know must not be lost.
   */
  complete?: RegExp
}

/**
 * Input of an imported entity that is not validated yet, with the differences that are known
 * already.
 */
export interface Draft {
  candidate: Record<string, unknown>
  changes?: string[]
  omitted?: string[]
}

interface Identity<S extends TSchema> {
  kind: EntryKind
  id: string
  /** Schema of the API operation's input to which an imported EmailEngine entity is fitted. */
  schema: S
  essential: EssentialMembers
}

/**
 * Maximum number of members that are left out of an imported entity, so that the mapping of a
 * hostile entity ends quickly.
 */
const maxOmitted = 100

/**
 * Fits the input of an imported entity to the schema of an API operation: leaves out members that
 * the operation would reject and reports them. Skips the entity if an essential member is invalid
 * or missing.
 */
export function fitInput<S extends TSchema>(
  { kind, id, schema, essential }: Identity<S>,
  { candidate, changes = [], omitted = [] }: Draft,
): Entry<Static<S>> {
  const left = [...omitted]
  for (let round = 0; round < maxOmitted; round++) {
    const rejected = firstRejected(schema, candidate)
    if (!rejected)
      return { kind, id, input: new Secret(candidate as Static<S>), changes, omitted: left }
    if (isEssential(rejected, essential) || !removeMember(candidate, rejected.path))
      return { kind, id, skipped: rejected.message }
    left.push(rejected.message)
  }
  return { kind, id, skipped: 'too many members are not supported' }
}

interface RejectedMember {
  path: string
  message: string
}

function firstRejected(schema: TSchema, candidate: unknown): RejectedMember | undefined {
  try {
    check(schema, candidate)
    return undefined
  } catch (error) {
    if (error instanceof AppError && error.kind === 'invalid')
      return error.extras.fields?.[0] ?? { path: '', message: error.message }
    throw error
  }
}

function isEssential({ path, message }: RejectedMember, essential: EssentialMembers): boolean {
  if (essential.complete?.test(path)) return true
  const isUnknown = message.endsWith('is not allowed')
  return !isUnknown && (path === '' || essential.valid.test(path))
}
