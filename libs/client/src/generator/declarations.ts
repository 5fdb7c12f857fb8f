import { toOpenApiSchema } from '@posthorn/contracts/openapi/components'
import type { ApiDocument, ApiSchema } from '@posthorn/contracts/openapi/document'
import { StateChange } from '@posthorn/contracts/schemas/changes'
import type { ClientOperation } from './client-operations.ts'
import { commentText, typeText } from './type-text.ts'

export interface DeclarationOptions {
  /** True if descriptions of the API become comments in the generated client. */
  hasComments: boolean
}

/** Declares the named schemas of the API. */
export function schemaDeclarations(
  { components }: ApiDocument,
  options: DeclarationOptions,
): string[] {
  return Object.entries(components.schemas).map(([name, schema]) =>
    declaration(name, schema, { ...options, isRequest: true }),
  )
}

/** Declares the TypeScript types for the input and the result of each API operation. */
export function operationDeclarations(
  operations: readonly ClientOperation[],
  options: DeclarationOptions,
): string[] {
  return operations.flatMap(({ id, input, result, contentType }) => {
    const described = { ...input, description: `Parameters and body of \`${id}\`.` }
    const types = [declaration(`${pascal(id)}Input`, described, { ...options, isRequest: true })]
    const ofResult = { ...result, description: `Result of \`${id}\`.` }
    if (contentType === 'application/json')
      types.push(declaration(`${pascal(id)}Result`, ofResult, options))
    return types
  })
}

/**
 * Declares the TypeScript types of the webhook events, their union, and the state changes of
 * `followChanges`.
 */
export function eventDeclarations(
  { webhooks }: ApiDocument,
  options: DeclarationOptions,
): string[] {
  const types = Object.entries(webhooks).map(([name, { post }]) => {
    const schema = post.requestBody?.content['application/json']?.schema
    const description = `Event \`${name}\`. ${post.description ?? post.summary}`
    return declaration(`${pascal(name)}Event`, { ...schema, description }, options)
  })
  const names = Object.keys(webhooks).map((name) => `  | ${pascal(name)}Event\n`)
  const comment = 'Body of a webhook. The member `event` has the name of the event.'
  return [
    ...types,
    `${commentText(comment)}export type WebhookEventBody =\n${names.join('')}`,
    declaration('StateChange', toOpenApiSchema(StateChange) as ApiSchema, options),
  ]
}

function declaration(
  name: string,
  schema: ApiSchema,
  options: DeclarationOptions & { isRequest?: boolean },
): string {
  const comment = options.hasComments ? commentText(schema.description) : ''
  const text = typeText(schema, options)
  const isInterface = schema.type === 'object' && /^\{[^]*\}$/.test(text)
  return isInterface
    ? `${comment}export interface ${name} ${text}\n`
    : `${comment}export type ${name} = ${text}\n`
}

/** Converts the name of an API operation or event to the name of a TypeScript type. */
export function pascal(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}
