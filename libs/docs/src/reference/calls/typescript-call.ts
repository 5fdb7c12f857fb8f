import type { ApiCall } from './api-call.ts'
import { exampleFiles } from './curl-call.ts'
import { toLiteral } from './literal.ts'

/** Call of an API operation by the client library `@posthorn/client`, in TypeScript. */
export function typescriptCall(call: ApiCall): string {
  const { pathParameters, queryParameters, body, produces } = call
  const input = { ...pathParameters, ...queryParameters, ...(body === undefined ? {} : { body }) }
  const isEmpty = Object.keys(input).length === 0
  const method = `posthorn.${call.operationId}(`
  const used = `const { body } = await ${method})`.length
  const expression = `${method}${isEmpty ? '' : toLiteral(input, 'javaScript', { used })})`
  return [
    ...importsOf(produces),
    "import { env } from 'node:process'",
    "import { Posthorn } from '@posthorn/client'",
    '',
    'const { POSTHORN_URL: url, POSTHORN_TOKEN: token } = env',
    'const posthorn = new Posthorn({ url, token })',
    ...useOf(call, expression),
  ].join('\n')
}

function importsOf(produces: string): string[] {
  return exampleFiles[produces] === undefined
    ? []
    : ["import { writeFile } from 'node:fs/promises'"]
}

function useOf({ operationId, produces }: ApiCall, expression: string): string[] {
  const file = exampleFiles[produces]
  if (operationId === 'followChanges')
    return ['for await (const change of posthorn.changes()) console.log(change)']
  if (file !== undefined)
    return [
      `const response = await ${expression}`,
      `await writeFile('${file}', Buffer.from(await response.arrayBuffer()))`,
    ]
  if (produces === 'message/rfc822')
    return [`const response = await ${expression}`, 'console.log(await response.text())']
  return [`console.log(await ${expression})`]
}
