import { defined } from '@posthorn/contracts/defined'
import { CommandError, UsageError } from '../../exit-codes.ts'
import { fieldLines } from '../../io/fields.ts'
import type { RunCommand } from '../../program/command.ts'

/**
 * Command `webhooks test`: sends a test event to a webhook target. Fails unless the target responds
 * with 2xx.
 */
export const testTarget: RunCommand = async ({ posthorn, output, signal }, _args, options) => {
  const { target: url, account } = options as { target?: string; account?: string }
  if (url !== undefined && account !== undefined)
    throw new UsageError('pass --target or --account, not both')
  const client = await posthorn()
  const result = await client.testWebhookTarget({ body: defined({ url, account }) }, { signal })
  const { address, outcome, status, durationMs, error, response, skippedHeaders } = result
  await output.result(
    result,
    fieldLines([
      ['target', address],
      ['outcome', outcome],
      ['status', status],
      ['duration', `${durationMs} ms`],
      ['error', error],
      ['response', response],
      ['headers not sent', skippedHeaders.join(', ')],
    ]),
  )
  if (!result.success) throw new CommandError(`the target did not accept the webhook: ${outcome}`)
}
