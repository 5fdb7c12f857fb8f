import { readFile } from 'node:fs/promises'
import { CommandError, UsageError } from '../../exit-codes.ts'
import type { RunCommand } from '../../program/command.ts'
import { localTime } from '../../program/times.ts'
import { parseHeaders, splitRequest, type StoredRequest } from './stored-request.ts'
import { findWebhookSecret } from './webhook-secret.ts'

/** Verifies the signature of a stored webhook request. Does not call the server. */
export const verifyRequest: RunCommand = async (context, [file], options) => {
  const { output, prompt } = context
  const { headers, body } = await readRequest(file, options as RequestFiles)
  const secret =
    (await findWebhookSecret(options, context)) ??
    (await prompt.secret('Secret of the signature: ', {
      remedy: 'pass the secret with --secret-file or POSTHORN_WEBHOOK_SECRET',
    }))
  const { verifyWebhook } = await import('@posthorn/client')
  // A stored webhook request is old, so its time is printed instead of being checked.
  const toleranceSeconds = (options['tolerance'] as number | undefined) ?? Infinity
  const event = await verifyWebhook({ headers, body, secret, toleranceSeconds })
  const sent = new Date(Number(headers['webhook-timestamp']) * 1000).toISOString()
  await output.result(event, [
    'The signature is valid.',
    `event      ${event.event} ${event.eventId}`,
    `account    ${event.account}`,
    `signed at  ${localTime(sent)}`,
  ])
}

interface RequestFiles {
  headersFile?: string
  bodyFile?: string
}

async function readRequest(
  file: string | undefined,
  { headersFile, bodyFile }: RequestFiles,
): Promise<StoredRequest> {
  if (file !== undefined && headersFile === undefined && bodyFile === undefined)
    return splitRequest(await readBytes(file))
  if (file === undefined && headersFile !== undefined && bodyFile !== undefined) {
    const headers = Buffer.from(await readBytes(headersFile)).toString()
    return { headers: parseHeaders(headers), body: await readBytes(bodyFile) }
  }
  throw new UsageError('pass either the file of a request, or --headers-file and --body-file')
}

async function readBytes(path: string): Promise<Uint8Array> {
  return readFile(path).catch((error: unknown) => {
    throw new CommandError(`${path} cannot be read: ${String((error as Error).message)}`)
  })
}
