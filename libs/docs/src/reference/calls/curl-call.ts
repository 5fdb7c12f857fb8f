import type { ApiCall } from './api-call.ts'
import { toLiteral } from './literal.ts'

/**
 * Names of the files that the example calls of the API write, by content type. Other responses are
 * printed.
 */
export const exampleFiles: Readonly<Record<string, string>> = {
  'application/gzip': 'export.ndjson.gz',
  'application/octet-stream': 'attachment.pdf',
}

/** Call of an API operation by curl. Server address and token are environment variables. */
export function curlCall({ method, path, body, produces }: ApiCall): string {
  const file = exampleFiles[produces]
  const options = [
    ...(method === (body === undefined ? 'GET' : 'POST') ? [] : [`-X ${method}`]),
    ...(produces === 'text/event-stream' ? ['-N'] : []),
    `"$POSTHORN_URL${path}"`,
  ]
  const lines = [
    `curl ${options.join(' ')}`,
    '-H "Authorization: Bearer $POSTHORN_TOKEN"',
    ...(file === undefined ? [] : [`-o ${file}`]),
    ...(body === undefined ? [] : [`--json ${shellQuoted(toLiteral(body, 'json'))}`]),
  ]
  return lines.join(' \\\n  ')
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
