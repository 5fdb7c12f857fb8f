import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { ApiDescription } from './api-description.ts'
import { type DiscoveryDocument, reduceDiscovery } from './google.ts'
import { type GraphMetadata, type GraphOpenApi, reduceGraph } from './graph.ts'

// Reduces published descriptions to names and types, for the provider fakes:
//   node libs/testkit/src/providers/descriptions/write-main.ts <folder of the descriptions>

const folder = resolve(process.argv[2] ?? '.')
const target = join(import.meta.dirname, '../../../provider-apis/generated')

function read<T>(name: string): T {
  return JSON.parse(readFileSync(join(folder, name), 'utf8')) as T
}

function discovery(name: string): ApiDescription {
  const document = read<DiscoveryDocument>(name)
  const source = `${document.name} ${document.version} discovery document, revision ${document.revision}`
  return reduceDiscovery(document, { source, licence: 'Apache-2.0' })
}

/**
 * Formats an API description with one line per operation and type, so that differences between
 * versions are readable.
 */
function format({ operations, schemas, ...head }: ApiDescription): string {
  const lines = (all: string[]) => all.map((line) => `\n    ${line}`).join(',')
  const start = JSON.stringify(head, null, 2).slice(0, -2)
  const listed = lines(operations.map((operation) => JSON.stringify(operation)))
  const named = lines(
    Object.entries(schemas).map(([name, schema]) => `"${name}": ${JSON.stringify(schema)}`),
  )
  return `${start},\n  "operations": [${listed}\n  ],\n  "schemas": {${named}\n  }\n}\n`
}

const descriptions = {
  gmail: discovery('gmail.v1.discovery.json'),
  pubsub: discovery('pubsub.v1.subset.discovery.json'),
  graph: reduceGraph(
    read<GraphOpenApi>('graph-mail.v1.0.openapi.json'),
    read<GraphMetadata>('graph-mail.v1.0.metadata.json'),
    {
      source:
        'Microsoft Graph v1.0: OpenAPI of msgraph-sdk-powershell at 6c138c25d19cc83aafd45602716b6b1d2d1727fd (2022-05-26), metadata of microsoftgraph/msgraph-metadata at f54f11b60956ea7b185ca0447b2b80805836ec7b (2026-08-20)',
      licence: 'MIT',
    },
  ),
}
mkdirSync(target, { recursive: true })
for (const [name, description] of Object.entries(descriptions))
  writeFileSync(join(target, `${name}.json`), format(description))
