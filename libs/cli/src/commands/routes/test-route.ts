import type { TestWebhookRouteInput } from '@posthorn/client'
import { CommandError } from '../../exit-codes.ts'
import { isMapping, readDocument } from '../../io/read-document.ts'
import type { RunCommand } from '../../program/command.ts'

/**
 * Command `routes test`: runs the filter and map functions in a file with the webhook body in the
 * file. Fails if a function fails, so that a script can test its functions.
 */
export const testRoute: RunCommand = async (context, [file = '']) => {
  const { posthorn, output, signal } = context
  const document = await readDocument(file, context)
  if (!isMapping(document) || !isMapping(document['content']) || !isMapping(document['payload']))
    throw new CommandError(
      `${file} is no test of a route: write \`content\` with \`fn\` and \`map\`, and \`payload\` with a webhook body`,
    )
  const { content, payload } = document
  const client = await posthorn()
  const body = { content, payload } as TestWebhookRouteInput['body']
  const result = await client.testWebhookRoute({ body }, { signal })
  await output.result(result, [
    result.applies ? 'The filter accepts the event.' : 'The filter rejects the event.',
    ...result.logs.map((line) => `log    ${line}`),
    ...result.errors.map((error) => `error  ${error.function}: ${error.message}`),
    ...(result.applies ? JSON.stringify(result.payload, null, 2).split('\n') : []),
  ])
  const [error] = result.errors
  if (error) throw new CommandError(`the ${error.function} function failed: ${error.message}`)
}
