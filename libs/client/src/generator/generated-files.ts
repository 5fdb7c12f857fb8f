import type { ApiDocument } from '@posthorn/contracts/openapi/document'
import { errorStatuses } from '@posthorn/contracts/openapi/error-statuses'
import { type ClientOperation, listOperations } from './client-operations.ts'
import {
  eventDeclarations,
  operationDeclarations,
  pascal,
  schemaDeclarations,
} from './declarations.ts'
import { commentText } from './type-text.ts'

const head = '// Written by `make client` from the contracts, do not edit.\n'
const importOfBase64 = "import type { Base64 } from '../calls/json-body.ts'\n"
const withComments = { hasComments: true }

/** Returns the generated sources of the client, as pairs of path below `src` and text. */
export function generateClient(description: ApiDocument): [path: string, text: string][] {
  const operations = listOperations(description)
  const schemas = schemaDeclarations(description, withComments)
  const inputs = operationDeclarations(operations, withComments)
  const events = eventDeclarations(description, withComments)
  return [
    ['calls/generated/error-codes.ts', errorCodesText()],
    ['generated/schemas.ts', [head, importOfBase64, ...schemas].join('\n')],
    ['generated/inputs.ts', [head, ...importsOf(description, inputs), ...inputs].join('\n')],
    ['generated/events.ts', [head, ...importsOf(description, events), ...events].join('\n')],
    ['generated/operations.ts', operationsText(operations)],
  ]
}

function errorCodesText(): string {
  const codes = Object.keys(errorStatuses).map((code) => `  | '${code}'\n`)
  return `${head}\n/** Documented error codes of the API. */\nexport type ErrorCode =\n${codes.join('')}`
}

/** TypeScript imports of the named schemas that declarations use. */
function importsOf({ components }: ApiDocument, declarations: readonly string[]): string[] {
  const code = declarations.join('\n').replaceAll(/\/\*\*[^]*?\*\//g, '')
  const words = new Set(code.match(/\b[A-Z]\w+/g))
  const names = Object.keys(components.schemas).filter((name) => words.has(name))
  const schemas = `import type {\n${names.map((name) => `  ${name},\n`).join('')}} from './schemas.ts'\n`
  return words.has('Base64') ? [importOfBase64, schemas] : [schemas]
}

function operationsText(operations: readonly ClientOperation[]): string {
  const functions = [...new Set(operations.map((operation) => definition(operation).define))]
  const names = functions.toSorted().map((name) => `  ${name},\n`)
  return [
    head,
    `import {\n${names.join('')}} from '../calls/define-operations.ts'`,
    "import type * as types from './inputs.ts'\n",
    ...operations.map(operationText),
  ].join('\n')
}

function operationText(operation: ClientOperation): string {
  const { id, route, documentation, contentType, entries } = operation
  const { define, rest } = definition(operation)
  const types = [`types.${pascal(id)}Input`]
  if (contentType === 'application/json') types.push(`types.${pascal(id)}Result`)
  if (entries !== undefined) types.push(`'${entries}'`)
  const args = [`'${id}'`, `'${route}'`, ...rest]
  return `${commentText(documentation)}export const ${id} = /* @__PURE__ */ ${define}<
${types.map((each) => `  ${each}`).join(',\n')}
>(
${args.map((each) => `  ${each},\n`).join('')})\n`
}

/**
 * Function that defines an API operation in the generated client, and its arguments after the
 * route.
 */
function definition(operation: ClientOperation): { define: string; rest: string[] } {
  const { route, contentType, isRepeatable, hasRanges, entries } = operation
  if (operation.hasIdempotencyKey) return { define: 'defineSubmission', rest: [] }
  if (contentType === 'text/plain') return { define: 'defineTextOperation', rest: [] }
  if (contentType !== 'application/json')
    return { define: hasRanges ? 'defineResumableDownload' : 'defineDownload', rest: [] }
  if (entries !== undefined) return { define: 'defineList', rest: [`'${entries}'`] }
  // By default, the API client treats all operations except POST as repeatable.
  const isDefault = isRepeatable !== route.startsWith('POST')
  return { define: 'defineOperation', rest: isDefault ? [] : [String(isRepeatable)] }
}
