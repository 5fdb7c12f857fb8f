import { apiDocument, apiOperations } from './api-document.ts'
import { codeBlock, markdownPage } from './markdown.ts'
import { memberTable } from './member-table.ts'
import { errorTable } from './operation-errors.ts'

const example = {
  statusCode: 404,
  error: 'Not Found',
  message: 'The requested message was not found',
  code: 'MessageNotFound',
}

/**
 * Documentation page of the API errors: body of error responses, statuses and codes with their
 * meaning.
 */
export function errorsPage(): string {
  return markdownPage(
    {
      title: 'Errors',
      description: 'Body of error responses, and the meaning of each status and error code.',
      order: 5,
    },
    [
      'Error responses are JSON. Programs use `statusCode` and `code`: the text in `message` can change.',
      codeBlock('json', JSON.stringify(example, null, 2)),
      '## Members',
      memberTable(apiDocument.components.schemas['Problem'] ?? {}),
      '## Statuses and codes',
      errorTable(apiOperations),
    ],
  )
}
