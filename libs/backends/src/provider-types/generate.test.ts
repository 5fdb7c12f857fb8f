import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, test } from '@jest/globals'
import { generateDiscoveryTypes, generateGraphTypes } from './generate.ts'
import { generateProviderTypes } from './generated-files.ts'

test.each(generateProviderTypes().map(([file, text]) => [basename(file.pathname), file, text]))(
  'provider types: %s is current, see `make provider-types`',
  (_name, file, text) => expect(readFileSync(file as URL, 'utf8')).toBe(text),
)

test('generateDiscoveryTypes: 64-bit numbers are strings, nothing is required', () => {
  const schemas = {
    Thing: {
      properties: {
        historyId: { type: 'string', format: 'uint64' },
        count: { type: 'integer', format: 'int32' },
        kinds: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
        parts: { type: 'array', items: { $ref: 'Thing' } },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
        anything: { type: 'any' },
      },
    },
  }
  expect(generateDiscoveryTypes({ api: 'API', schemas }, 'Gmail')).toBe(`\
// Types of the API. Written by \`make provider-types\`, do not edit.

/** Resource \`Thing\`, as defined in API. */
export interface GmailThing {
  historyId?: string
  count?: number
  kinds?: ('a' | 'b')[]
  parts?: GmailThing[]
  labels?: Record<string, string>
  anything?: unknown
}
`)
})

test('generateGraphTypes: null unless excluded, collections never, members of enumerations', () => {
  const property = (name: string, type: string, more = {}) => ({ name, type, ...more })
  const types = {
    entity: { properties: [property('id', 'Edm.String', { nullable: false })] },
    item: {
      baseType: 'entity',
      properties: [
        property('at', 'Edm.DateTimeOffset'),
        property('size', 'Edm.Int64', { nullable: false }),
        property('kind', 'microsoft.graph.kind'),
        property('items', 'Collection(microsoft.graph.item)'),
      ],
    },
  }
  expect(generateGraphTypes({ api: 'API', types, enums: { kind: ['low', 'high'] } })).toBe(`\
// Types of the API. Written by \`make provider-types\`, do not edit.

/** Resource \`entity\`, as defined in API. */
export interface GraphEntity {
  '@odata.type'?: string
  id?: string
}

/** Resource \`item\`, as defined in API. */
export interface GraphItem extends GraphEntity {
  at?: string | null
  size?: number
  kind?: GraphKind | null
  items?: GraphItem[]
}

/** Enumeration \`kind\`, as defined in API. */
export type GraphKind = 'low' | 'high'
`)
})
