import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { AppError } from '@posthorn/errors'
import type { Static, TSchema } from 'typebox'
import { describeError } from './describe-error.ts'
import { formats } from './formats.ts'

export interface FieldError {
  message: string
  /** The last part of the path. */
  key: string
  /** Dotted, such as `to.0.address`. */
  path: string
}

const options = { allErrors: true, strict: false, useDefaults: true, discriminator: false } as const
// Bodies are taken as they are; what comes as text (path, query, headers) is turned into what the schema asks for.
const bodies = addFormats.default(new Ajv2020({ ...options, formats }))
const texts = addFormats.default(new Ajv2020({ ...options, coerceTypes: 'array', formats }))

/** At most this many rejected inputs are listed: a hostile body must not make a long answer. */
const maxFields = 50

// Compiled once per schema: compiling is hundreds of times dearer than checking.
const compiled = { body: new WeakMap<TSchema, ValidateFunction>(), text: new WeakMap<TSchema, ValidateFunction>() }

function validator(schema: TSchema, kind: 'body' | 'text'): ValidateFunction {
  const known = compiled[kind].get(schema)
  if (known) return known
  const made = (kind === 'body' ? bodies : texts).compile(schema)
  compiled[kind].set(schema, made)
  return made
}

/**
 * Checks a value against a contract and fills in defaults (in place).
 *
 * @throws AppError `invalid` with `fields`, one a rejected input.
 */
export function check<S extends TSchema>(schema: S, value: unknown, kind: 'body' | 'text' = 'body'): Static<S> {
  const candidate = kind === 'body' ? wrapSingles(schema, value) : value
  const validate = validator(schema, kind)
  if (validate(candidate)) return candidate as Static<S>
  const fields = fieldErrors(validate.errors ?? [])
  throw new AppError('invalid', fields[0]?.message ?? 'Input validation failed', { extras: { fields } })
}

/** Whether the value satisfies the schema; says nothing about why not. */
export function matches<S extends TSchema>(schema: S, value: unknown): value is Static<S> {
  return validator(schema, 'body')(value) === true
}

/** Lists may be given as a single value where the schema says `single: true`. */
function wrapSingles(schema: TSchema, value: unknown): unknown {
  const properties = (schema as { properties?: Record<string, { single?: boolean }> }).properties
  if (!properties || value === null || typeof value !== 'object' || Array.isArray(value)) return value
  const object = value as Record<string, unknown>
  for (const [name, property] of Object.entries(properties)) {
    const given = object[name]
    if (property.single && given !== undefined && given !== null && !Array.isArray(given)) object[name] = [given]
  }
  return object
}

function fieldErrors(errors: ErrorObject[]): FieldError[] {
  const seen = new Map<string, FieldError>()
  for (const error of errors) {
    // A union reports each of its branches; what the branches say about the inside of the value comes first and tells more.
    if (error.keyword === 'if') continue
    const field = describeError(error)
    if (!seen.has(field.path)) seen.set(field.path, field)
    if (seen.size >= maxFields) break
  }
  return dropParents([...seen.values()])
}

/** `anyOf` failing at `imap` next to `imap.host` failing: the inner one is what the caller can act on. */
function dropParents(fields: FieldError[]): FieldError[] {
  return fields.filter(
    (field) => !fields.some((other) => other !== field && other.path.startsWith(`${field.path}.`)),
  )
}
