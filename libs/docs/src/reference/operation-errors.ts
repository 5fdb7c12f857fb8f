import type { ApiOperation, ApiResponse } from './api-document.ts'
import { markdownTable } from './markdown.ts'

/** HTTP error status of an API response, with its meaning and its error codes. */
export interface StatusErrors {
  status: string
  meaning: string
  codes: readonly { code: string; meaning: string }[]
}

/** Error responses of an API operation, as described in the OpenAPI document. */
export function errorsOf(responses: Readonly<Record<string, ApiResponse>>): StatusErrors[] {
  return Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .map(([status, { description }]) => {
      const [meaning = '', ...lines] = description.split(/\n+(?:- )?/)
      return { status, meaning, codes: lines.map(readCode) }
    })
}

function readCode(line: string): StatusErrors['codes'][number] {
  const [, code, meaning] = /^`(\w+)`: (.+)$/.exec(line) ?? []
  if (code === undefined || meaning === undefined)
    throw new Error(`the line of an error code has another form: ${line}`)
  return { code, meaning }
}

/** Meanings of all errors of several API operations, each status and each code in one row. */
export function errorTable(operations: readonly ApiOperation[]): string {
  const rows = new Map<string, readonly string[]>()
  for (const { responses } of operations)
    for (const { status, meaning, codes } of errorsOf(responses)) {
      if (!rows.has(status)) rows.set(status, [status, '', meaning])
      for (const { code, meaning: text } of codes)
        rows.set(`${status} ${code}`, [status, `\`${code}\``, text])
    }
  const sorted = [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
  return markdownTable(['status', 'code', 'meaning'], sorted)
}
