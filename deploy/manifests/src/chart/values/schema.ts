import { isObject } from '../../schema/path.ts'
import type { Values } from './values.ts'

/**
 * JSON schemas of maps and lists in the Helm chart's values whose keys users choose freely, such as
 * environment variables, settings, parameters and resources.
 */
const openMaps: Readonly<Record<string, object>> = {
  environment: { type: 'object', additionalProperties: { type: 'string' } },
  parameters: { type: 'object', additionalProperties: { type: 'string' } },
  annotations: { type: 'object', additionalProperties: { type: 'string' } },
  nodeSelector: { type: 'object', additionalProperties: { type: 'string' } },
  tolerations: { type: 'array', items: { type: 'object' } },
  settings: { type: 'object' },
  resources: {
    type: 'object',
    additionalProperties: false,
    properties: { requests: quantities(), limits: quantities() },
  },
  storage: { type: 'object' },
  walStorage: { type: 'object' },
  persistence: { type: 'object' },
}

function quantities(): object {
  return { type: 'object', additionalProperties: { type: ['string', 'number'] } }
}

const patterns: Readonly<Record<string, string>> = {
  digest: '^(sha256:[0-9a-f]{64})?$',
  // Pattern for the tag of the container image. The tag becomes part of the names of Jobs.
  tag: '^([a-z0-9]([a-z0-9.-]{0,40}[a-z0-9])?)?$',
  repository: '^[a-z0-9.-]+(:[0-9]+)?(/[a-z0-9._-]+)*$',
}

/**
 * JSON schema for the values of the Helm chart. The schema rejects unknown keys and values of a
 * wrong type.
 */
export function valuesSchema(values: Values): object {
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...schemaOf('', values) }
}

function schemaOf(key: string, value: unknown): object {
  const open = openMaps[key]
  if (open) return open
  if (Array.isArray(value)) return { type: 'array', items: { type: 'string' } }
  if (isObject(value))
    return {
      type: 'object',
      additionalProperties: false,
      properties: {
        // Helm adds the map `global` to the values of each chart, so the schema has to allow the
        // map.
        ...(key === '' && { global: { type: 'object' } }),
        ...Object.fromEntries(
          Object.entries(value).map(([name, member]) => [name, schemaOf(name, member)]),
        ),
      },
    }
  if (typeof value === 'number') return { type: 'integer', minimum: 0 }
  if (typeof value === 'boolean') return { type: 'boolean' }
  const pattern = patterns[key]
  return { type: 'string', ...(pattern !== undefined && { pattern }) }
}
