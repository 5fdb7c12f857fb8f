import type { ServerResponse } from 'node:http'
import { describeProblem } from '@posthorn/http'
import type { Logger } from '@posthorn/telemetry'
import { sendDocument } from '../forwarding/present-message.ts'
import { textToHtml } from '../pages/message-document.ts'

/**
 * Sends the message of an error as the document of a frame.
 *
 * @throws the error itself if the headers of a response were sent already
 */
export function sendFrameProblem(
  response: ServerResponse,
  error: unknown,
  log: Pick<Logger, 'error'>,
): void {
  if (response.headersSent) throw error
  const { status, body } = describeProblem(error)
  if (status === 500) log.error({ err: error }, 'document of a frame failed')
  sendDocument(response, { status, html: textToHtml(body.message), remoteImages: false })
}
