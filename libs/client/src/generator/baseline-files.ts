import type { ApiDocument } from '@posthorn/contracts/openapi/document'
import { listOperations } from './client-operations.ts'
import {
  eventDeclarations,
  operationDeclarations,
  pascal,
  schemaDeclarations,
} from './declarations.ts'
import { samplesText } from './samples.ts'

const head = '// Contracts when they were last recorded. Written by `make client-baseline`.\n'

/**
 * Returns the source files with the recorded types of the API client, with which later types must
 * be compatible, as pairs of path below `src` and text.
 */
export function generateBaseline(description: ApiDocument): [path: string, text: string][] {
  const operations = listOperations(description)
  const options = { hasComments: false }
  const calls = operations.map(({ id, contentType }) => {
    const result =
      contentType === 'application/json'
        ? `${pascal(id)}Result`
        : contentType === 'text/plain'
          ? 'string'
          : 'Response'
    return `  ${id}: (client: Client, input: ${pascal(id)}Input) => Promise<${result}>\n`
  })
  const types = [
    head,
    "import type { Client } from '../../calls/client.ts'",
    "import type { Base64 } from '../../calls/json-body.ts'\n",
    ...schemaDeclarations(description, options),
    ...operationDeclarations(operations, options),
    ...eventDeclarations(description, options),
    `export interface Operations {\n${calls.join('')}}\n`,
  ].join('\n')
  const uses = operations.map(({ id }) => `  ${id}: operations.${id},\n`)
  const programs = [
    head,
    "import * as operations from '../../generated/operations.ts'",
    "import type { Operations } from './baseline.ts'",
    samplesText(operations, description),
    `export const recordedOperations: Operations = {\n${uses.join('')}}\n`,
  ].join('\n')
  return [
    ['compatibility/generated/baseline.ts', types],
    ['compatibility/generated/programs.ts', programs],
  ]
}
