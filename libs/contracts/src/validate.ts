import { AppError } from '@posthorn/errors'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { Static, TSchema } from 'typebox'
import { describeError, fieldError, type FieldError } from './describe-error.ts'
import { formats } from './formats.ts'
import { isSmall } from './is-small.ts'
import { addTextLengths } from './text-length.ts'
import { reduceUnionErrors } from './union-errors.ts'

/**
 * Kind of a value to validate. `text`: a value from a path, query or header, which is converted to
 * the type in the schema. `body`: a value from a body, which is not converted.
 */
type Kind = 'body' | 'text'

const options = { strict: false, useDefaults: true, discriminator: false, formats } as const
const coerceTypes = { body: false, text: 'array' } as const

// Validation of a value against its schema stops at the first error. Only small values are
// validated again to find all errors: a hostile body with a million invalid items must not produce
// a million error objects.
const passes = { first: passOf(false), full: passOf(true) }

interface Pass {
  ajv: Record<Kind, Ajv2020>
  /**
   * Compiled validators, by schema. A schema is compiled when it is first used, because compiling
   * takes as long as hundreds of validations.
   */
  compiled: Record<Kind, WeakMap<TSchema, ValidateFunction>>
}

function passOf(allErrors: boolean): Pass {
  const ajv = (kind: Kind) => {
    const engine = new Ajv2020({ ...options, allErrors, coerceTypes: coerceTypes[kind] })
    addTextLengths(engine)
    return engine
  }
  return {
    ajv: { body: ajv('body'), text: ajv('text') },
    compiled: { body: new WeakMap(), text: new WeakMap() },
  }
}

function validator(pass: Pass, schema: TSchema, kind: Kind): ValidateFunction {
  const cached = pass.compiled[kind].get(schema)
  if (cached) return cached
  const compiled = pass.ajv[kind].compile(schema)
  pass.compiled[kind].set(schema, compiled)
  return compiled
}

/** Maximum number of rejected fields that an error response lists. */
const maxFields = 50

/**
 * Validates a value against a schema and fills in defaults, which changes the value itself. Takes
 * linear time.
 *
 * @throws AppError `invalid` with one entry of `fields` per rejected field
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

/** Creates the error for a request with rejected fields. */
export function validationError(fields: FieldError[]): AppError {
  return new AppError('invalid', fields[0]?.message ?? 'Input validation failed', {
    extras: { fields },
  })
}

/** True if a value conforms to a schema. */
export function matches<S extends TSchema>(schema: S, value: unknown): value is Static<S> {
  return validator(passes.first, schema, 'body')(value)
}

/**
 * Wraps a single value in an array where the schema allows a list with `single: true`, also in
 * nested objects.
 */
function wrapSingles(schema: object, value: unknown): unknown {
  const { properties } = schema as { properties?: Record<string, { single?: boolean }> }
  if (!properties || value === null || typeof value !== 'object' || Array.isArray(value))
    return value
  const object = value as Record<string, unknown>
  for (const [name, property] of Object.entries(properties)) {
    if (!Object.hasOwn(object, name)) continue
    const wrapped = wrapSingles(property, object[name])
    if (!acceptsSingle(property)) continue
    if (wrapped !== undefined && wrapped !== null && !Array.isArray(wrapped))
      object[name] = [wrapped]
  }
  return object
}

/**
 * True if the schema of a list also accepts a single value (`single`). In the schema of a nullable
 * list, `single` is in a branch of the union.
 */
function acceptsSingle(schema: { single?: boolean; anyOf?: { single?: boolean }[] }): boolean {
  return schema.single ?? schema.anyOf?.some((branch) => branch.single) ?? false
}

/**
 * Adds the name of the replacement to the error about an unsupported member. The schema option
 * `x-unsupported` maps unsupported members to their replacements.
 */
function explainUnsupported(schema: TSchema, field: FieldError): FieldError {
  const { 'x-unsupported': unsupported = {} } = schema as {
    'x-unsupported'?: Readonly<Record<string, string>>
  }
  const { path } = field
  if (!Object.hasOwn(unsupported, path)) return field
  return fieldError(path, `is not supported: ${unsupported[path]}`)
}

function fieldErrors(schema: TSchema, value: unknown, kind: Kind): FieldError[] {
  const validate = validator(isSmall(value) ? passes.full : passes.first, schema, kind)
  validate(value)
  const fields = new Map<string, FieldError>()
  for (const error of reduceUnionErrors(validate.errors ?? [])) {
    const field = explainUnsupported(schema, describeError(error))
    if (!fields.has(field.path)) fields.set(field.path, field)
    if (fields.size >= maxFields) break
  }
  return [...fields.values()]
}
