import { toOpenApiSchema } from '@posthorn/contracts/openapi/components'
import { errorStatuses } from '@posthorn/contracts/openapi/error-statuses'
import { StateChange } from '@posthorn/contracts/schemas/changes'
import { type ApiDescription, type ClientOperation, listOperations } from './api-description.ts'
import { commentText, type Schema, typeText } from './type-text.ts'

const head = '// Written by `make client` from the contracts, do not edit.\n'

/** Returns the generated sources of the client, as pairs of path below `src` and text. */
export function generateClient(description: ApiDescription): [path: string, text: string][] {
  const operations = listOperations(description)
  return [
    ['calls/generated/error-codes.ts', errorCodesText()],
    ['generated/schemas.ts', schemasText(description)],
    ['generated/inputs.ts', typesText(description, operations)],
    ['generated/events.ts', eventsText(description)],
    ['generated/state-change.ts', stateChangeText(description)],
    ['generated/operations.ts', operationsText(operations)],
  ]
}

/** Returns all types of requests, results and events in one text, without comments. */
export function generateBareTypes(description: ApiDescription): string {
  const withoutComments = { hasComments: false }
  return [
    '// Types of the API when its contracts were last recorded. Written by `make client-baseline`.\n',
    importOfBase64,
    ...schemaDeclarations(description, withoutComments),
    ...operationDeclarations(listOperations(description), withoutComments),
    ...eventDeclarations(description, withoutComments),
    stateChangeDeclaration(withoutComments),
  ].join('\n')
}

const importOfBase64 = "import type { Base64 } from '../calls/json-body.ts'\n"

interface DeclarationOptions {
  hasComments: boolean
}
const withComments = { hasComments: true }

function errorCodesText(): string {
  const codes = Object.keys(errorStatuses).map((code) => `  | '${code}'\n`)
  return `${head}\n/** Documented error codes of the API. */\nexport type ErrorCode =\n${codes.join('')}`
}

function schemasText(description: ApiDescription): string {
  return [
    head,
    importOfBase64,
    ...schemaDeclarations(description, withComments),
  ].join('\n')
}

function schemaDeclarations(
  { components }: ApiDescription,
  options: DeclarationOptions,
): string[] {
  return Object.entries(components.schemas).map(([name, schema]) =>
    declaration(name, schema, { ...options, isRequest: true }),
  )
}

function typesText(description: ApiDescription, operations: readonly ClientOperation[]): string {
  const declarations = operationDeclarations(operations, withComments)
  return [
    head,
    importOfSchemas(description, declarations),
    ...(declarations.some((text) => /\bBase64\b/.test(text)) ? [importOfBase64] : []),
    ...declarations,
  ].join('\n')
}

function operationDeclarations(
  operations: readonly ClientOperation[],
  options: DeclarationOptions,
): string[] {
  return operations.flatMap(({ id, input, result, contentType }) => {
    const types = [
      declaration(
        `${pascal(id)}Input`,
        { ...input, description: `Parameters and body of \`${id}\`.` },
        { ...options, isRequest: true },
      ),
    ]
    if (contentType === 'application/json')
      types.push(
        declaration(
          `${pascal(id)}Result`,
          { ...result, description: `Result of \`${id}\`.` },
          options,
        ),
      )
    return types
  })
}

function eventsText(description: ApiDescription): string {
  const declarations = eventDeclarations(description, withComments)
  return [head, importOfSchemas(description, declarations), ...declarations].join('\n')
}

function eventDeclarations(
  { webhooks }: ApiDescription,
  options: DeclarationOptions,
): string[] {
  const events = Object.entries(webhooks).map(([name, { post }]) => ({
    type: `${pascal(name)}Event`,
    schema: {
      ...post.requestBody.content['application/json']?.schema,
      description: [`Event \`${name}\`.`, post.description ?? post.summary].join(' '),
    },
  }))
  return [
    ...events.map(({ type, schema }) => declaration(type, schema, options)),
    `${commentText('Body of a webhook. The member `event` has the name of the event.')}export type WebhookEventBody =\n${events.map(({ type }) => `  | ${type}\n`).join('')}`,
  ]
}

function stateChangeText(description: ApiDescription): string {
  const text = stateChangeDeclaration(withComments)
  return [head, importOfSchemas(description, [text]), text].join('\n')
}

function stateChangeDeclaration(options: DeclarationOptions): string {
  return declaration('StateChange', toOpenApiSchema(StateChange) as Schema, options)
}

function declaration(
  name: string,
  schema: Schema,
  options: DeclarationOptions & { isRequest?: boolean },
): string {
  const comment = options.hasComments ? commentText(schema.description) : ''
  const text = typeText(schema, options)
  return text.startsWith('{') && text.endsWith('}') && !schema.allOf
    ? `${comment}export interface ${name} ${text}\n`
    : `${comment}export type ${name} = ${text}\n`
}

function importOfSchemas({ components }: ApiDescription, texts: readonly string[]): string {
  const code = texts.join('\n').replaceAll(/\/\*\*[^]*?\*\//g, '')
  const words = new Set(code.match(/\b[A-Z]\w+/g))
  const names = Object.keys(components.schemas).filter((name) => words.has(name))
  return `import type {\n${names.map((name) => `  ${name},\n`).join('')}} from './schemas.ts'\n`
}

function operationsText(operations: readonly ClientOperation[]): string {
  const texts = operations.map((operation) => {
    const { id, documentation, contentType } = operation
    const { define, rest } = definition(operation)
    const types = [`types.${pascal(id)}Input`]
    if (contentType === 'application/json') types.push(`types.${pascal(id)}Result`)
    if (operation.entries !== undefined) types.push(`'${operation.entries}'`)
    return `${commentText(documentation)}export const ${id} = /* @__PURE__ */ ${define}<
${types.map((each) => `  ${each}`).join(',\n')}
>(
  '${id}',
  '${operation.route}',
${rest.map((each) => `  ${each},\n`).join('')})\n`
  })
  return [
    head,
    `import {
  defineDownload,
  defineList,
  defineOperation,
  defineResumableDownload,
  defineSubmission,
  defineTextOperation,
} from '../calls/define-operations.ts'
import type * as types from './inputs.ts'\n`,
    ...texts,
  ].join('\n')
}

/** Function that defines an operation in the client, and its arguments after the route. */
function definition(operation: ClientOperation): { define: string; rest: string[] } {
  const { route, contentType, isRepeatable, hasRanges, entries } = operation
  if (operation.hasIdempotencyKey) return { define: 'defineSubmission', rest: [] }
  if (contentType === 'text/plain') return { define: 'defineTextOperation', rest: [] }
  if (contentType !== 'application/json')
    return { define: hasRanges ? 'defineResumableDownload' : 'defineDownload', rest: [] }
  if (entries !== undefined) return { define: 'defineList', rest: [`'${entries}'`] }
  // The client takes operations that are no POST as repeatable.
  return { define: 'defineOperation', rest: isRepeatable && route.startsWith('POST') ? ['true'] : [] }
}

function pascal(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}
