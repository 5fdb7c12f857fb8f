import type { TypeField, Type } from './declarations.ts'
import { checkFormats } from './check-formats.ts'
import { type Fault, formatPath, isObject, type Path } from './path.ts'
import { findSchema, resolveReference, type KindSchema } from './schemas.ts'

/**
 * Validates a manifest against the schema of its kind. If the manifest conforms, also checks the
 * formats of its fields. Unknown fields are faults, except in maps such as labels.
 */
export function validateDocument(apiVersion: string, kind: string, content: unknown): Fault[] {
  const schema = findSchema(apiVersion, kind)
  if (!schema) return [{ path: ['kind'], text: `no schema has kind ${kind} of ${apiVersion}` }]
  const faults = validate(content, schema, [])
  return faults.length > 0 ? faults : checkFormats(kind, content)
}

function validate(value: unknown, schema: KindSchema, path: Path): Fault[] {
  const { type, path: file } = resolveReference(schema.type, schema.path)
  switch (type.kind) {
    case 'any':
    case 'reference':
      return []
    case 'scalar':
      return typeof value === type.name ? [] : [mismatch(value, type, path)]
    case 'literal':
      return value === type.value ? [] : [mismatch(value, type, path)]
    case 'array':
      if (!Array.isArray(value)) return [mismatch(value, type, path)]
      return value.flatMap((item, index) =>
        validate(item, { type: type.items, path: file }, [...path, index]),
      )
    case 'object':
      if (!isObject(value)) return [mismatch(value, type, path)]
      return validateObject(value, { type, path: file }, path)
    case 'union':
      return validateUnion(value, { types: type.types, path: file }, path)
  }
}

/**
 * Validates a manifest value whose type is a union: the value has to match one of the types. If no
 * type matches, reports faults inside the value, if possible, because they are more exact than a
 * mismatch of the union.
 */
function validateUnion(
  value: unknown,
  { types, path: file }: { types: readonly Type[]; path: string },
  path: Path,
): Fault[] {
  const results = types.map((type) => validate(value, { type, path: file }, path))
  if (results.some((faults) => faults.length === 0)) return []
  const nested = results.find((faults) => faults.some((fault) => fault.path.length > path.length))
  return nested ?? [mismatch(value, { kind: 'union', types }, path)]
}

function validateObject(
  value: Record<string, unknown>,
  { type, path: file }: KindSchema & { type: { kind: 'object' } },
  path: Path,
): Fault[] {
  const fields = allFields(type, file)
  const faults: Fault[] = []
  for (const [name, content] of Object.entries(value)) {
    const field = fields.get(name)
    const schema = field ?? (type.values && { type: type.values, file })
    const place = [...path, name]
    if (!schema) faults.push({ path: place, text: `${formatPath(place)} is not a field` })
    else faults.push(...validate(content, { type: schema.type, path: schema.file }, place))
  }
  for (const [name, { isOptional }] of fields)
    if (!isOptional && value[name] === undefined)
      faults.push({ path, text: `${formatPath([...path, name])} is missing` })
  return faults
}

/**
 * Fields of a declared object type and its base types. Each field has the file that declares it.
 */
function allFields(
  type: Type & { kind: 'object' },
  file: string,
): Map<string, TypeField & { file: string }> {
  const fields = new Map<string, TypeField & { file: string }>()
  for (const base of type.bases) {
    const resolved = resolveReference(base, file)
    if (resolved.type.kind === 'object')
      for (const [name, field] of allFields(resolved.type, resolved.path)) fields.set(name, field)
  }
  for (const [name, field] of type.fields) fields.set(name, { ...field, file })
  return fields
}

function mismatch(value: unknown, type: Type, path: Path): Fault {
  const actual = isObject(value) ? 'an object' : Array.isArray(value) ? 'a list' : String(value)
  return { path, text: `${formatPath(path)} must be ${describe(type)}, is ${actual}` }
}

function describe(type: Type): string {
  switch (type.kind) {
    case 'scalar':
      return `a ${type.name}`
    case 'literal':
      return JSON.stringify(type.value)
    case 'array':
      return 'a list'
    case 'union':
      return type.types.map(describe).join(' or ')
    default:
      return 'an object'
  }
}
