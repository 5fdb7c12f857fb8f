import { AppError } from '@posthorn/errors'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { Static, TSchema } from 'typebox'
import { describeError, type FieldError } from './describe-error.ts'
import { formats } from './formats.ts'
import { isSmall } from './is-small.ts'
import { reduceUnionErrors } from './union-errors.ts'

export { type FieldError } from './describe-error.ts'

/** `body`: taken as it is. `text` (path, query, headers): turned into what the schema asks for. */
type Kind = 'body' | 'text'

const options = { strict: false, useDefaults: true, discriminator: false, formats } as const
const coerceTypes = { body: false, text: 'array' } as const

// The first pass stops at the first error and so costs no more than reading the value. Only a small value that failed is
// looked at again for all its errors: a hostile body of a million wrong items must not become a million error objects.
const passes = { first: passOf(false), full: passOf(true) }

interface Pass {
  ajv: Record<Kind, Ajv2020>
  /** Compiled once per schema: compiling is hundreds of times dearer than checking. */
  compiled: Record<Kind, WeakMap<TSchema, ValidateFunction>>
}

function passOf(allErrors: boolean): Pass {
  const ajv = (kind: Kind) => new Ajv2020({ ...options, allErrors, coerceTypes: coerceTypes[kind] })
  return {
    ajv: { body: ajv('body'), text: ajv('text') },
    compiled: { body: new WeakMap(), text: new WeakMap() },
  }
}

function validator(pass: Pass, schema: TSchema, kind: Kind): ValidateFunction {
  const known = pass.compiled[kind].get(schema)
  if (known) return known
  const made = pass.ajv[kind].compile(schema)
  pass.compiled[kind].set(schema, made)
  return made
}

/** At most this many rejected inputs are listed. */
const maxFields = 50

/**
 * Checks a value against a contract and fills in defaults (in place). Takes time in proportion to the value's size.
 *
 * @throws AppError `invalid` with `fields`, one a rejected input.
 */
export function check<S extends TSchema>(
  schema: S,
  value: unknown,
  kind: Kind = 'body',
): Static<S> {
  const candidate = kind === 'body' ? wrapSingles(schema, value) : value
  const validate = validator(passes.first, schema, kind)
  if (validate(candidate)) return candidate as Static<S>
  throw validationError(fieldErrors(schema, candidate, kind))
}

/** The error of a request whose fields do not do, in the form every client knows. */
export function validationError(fields: FieldError[]): AppError {
  return new AppError('invalid', fields[0]?.message ?? 'Input validation failed', {
    extras: { fields },
  })
}

/** Compiles a schema ahead of its first use, which would else pay for it. */
export function precompile(schema: TSchema, kind: Kind = 'body'): void {
  validator(passes.first, schema, kind)
}

/** Whether the value satisfies the schema; says nothing about why not. */
export function matches<S extends TSchema>(schema: S, value: unknown): value is Static<S> {
  return validator(passes.first, schema, 'body')(value)
}

/** Lists may be given as a single value where the schema says `single: true`, also those of objects within. */
function wrapSingles(schema: object, value: unknown): unknown {
  const { properties } = schema as { properties?: Record<string, { single?: boolean }> }
  if (!properties || value === null || typeof value !== 'object' || Array.isArray(value))
    return value
  const object = value as Record<string, unknown>
  for (const [name, property] of Object.entries(properties)) {
    if (!Object.hasOwn(object, name)) continue
    const given = wrapSingles(property, object[name])
    if (!acceptsSingle(property)) continue
    if (given !== undefined && given !== null && !Array.isArray(given)) object[name] = [given]
  }
  return object
}

/** `single` may stand on the list itself or, where null is taken as well, on a branch. */
function acceptsSingle(schema: { single?: boolean; anyOf?: { single?: boolean }[] }): boolean {
  return schema.single ?? schema.anyOf?.some((branch) => branch.single) ?? false
}

function fieldErrors(schema: TSchema, value: unknown, kind: Kind): FieldError[] {
  const validate = validator(isSmall(value) ? passes.full : passes.first, schema, kind)
  validate(value)
  const fields = new Map<string, FieldError>()
  for (const error of reduceUnionErrors(validate.errors ?? [])) {
    const field = describeError(error)
    if (!fields.has(field.path)) fields.set(field.path, field)
    if (fields.size >= maxFields) break
  }
  return [...fields.values()]
}
