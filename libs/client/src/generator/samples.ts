import {
  type ApiDocument,
  type ApiSchema,
  nameOfReference,
} from '@posthorn/contracts/openapi/document'
import type { ClientOperation } from './client-operations.ts'
import { pascal } from './declarations.ts'

/**
 * Returns sample inputs of all API operations with all members. The compiler rejects a sample after
 * a member was removed. There are two samples per operation, with the first and with the last of
 * all alternatives.
 */
export function samplesText(
  operations: readonly ClientOperation[],
  description: ApiDocument,
): string {
  const texts = operations.flatMap(({ id, input }) =>
    ([0, -1] as const).map((alternative) => {
      const value = JSON.stringify(sampleOf(input, { description, alternative }), undefined, 2)
      const suffix = alternative === 0 ? 'First' : 'Last'
      return `export const ${id}${suffix}: ${pascal(id)}Input = ${value}\n`
    }),
  )
  const names = operations.map(({ id }) => `  ${pascal(id)}Input,\n`)
  const imports = `import type {\n${names.join('')}} from '../../generated/inputs.ts'\n`
  return [imports, ...texts].join('\n')
}

interface SampleOptions {
  description: ApiDocument
  /**
   * Index of the alternative that a sample input takes of each union in the schema: the first or
   * the last.
   */
  alternative: 0 | -1
}

function sampleOf(schema: ApiSchema, options: SampleOptions): unknown {
  const { description, alternative } = options
  const { $ref, anyOf, allOf } = schema
  const { schemas } = description.components
  if ($ref !== undefined) return sampleOf(schemas[nameOfReference($ref)] ?? {}, options)
  if ('const' in schema) return schema.const
  if (schema.enum) return schema.enum.at(alternative)
  if (anyOf) return sampleOf(anyOf.at(alternative) ?? {}, options)
  return allOf
    ? (Object.assign({}, ...allOf.map((each) => sampleOf(each, options))) as unknown)
    : sampleOfType(schema, options)
}

function sampleOfType(schema: ApiSchema, options: SampleOptions): unknown {
  switch (schema.type) {
    case 'array':
      return [sampleOf(schema.items ?? {}, options)]
    case 'object':
      return sampleObject(schema, options)
    case 'integer':
    case 'number':
      return 1
    case 'boolean':
      return true
    default:
      return schema.type === 'null' ? null : 'text'
  }
}

function sampleObject(
  { properties = {}, patternProperties = {} }: ApiSchema,
  options: SampleOptions,
): object {
  const [values] = Object.values(patternProperties)
  const members = Object.entries({ ...properties, ...(values && { name: values }) })
  return Object.fromEntries(members.map(([name, each]) => [name, sampleOf(each, options)]))
}
