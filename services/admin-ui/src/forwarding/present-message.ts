import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { AppError } from '@posthorn/errors'
import { toSafeHtml } from '@posthorn/mime/safe-html'
import { messageHeaders, renderMessage, textToHtml } from '../pages/message-document.ts'
import { outcomeOf } from './error-code.ts'
import type { Present } from './relay.ts'

/**
 * Maximum size in bytes of api-gateway's response with a message. The limits of sync-worker for
 * texts and embedded images are lower.
 */
const maxBytes = 64 * 1024 * 1024

/** Options of the frame that shows a message. */
export interface FrameOptions {
  /** True if the reader has requested images of other hosts. */
  remoteImages: boolean
}

/**
 * Returns the function that sends the HTML of a message as the document of a frame. api-gateway has
 * removed active content from the HTML, unless remote images are requested: then this process
 * sanitises the HTML. An error of api-gateway becomes a document with the error's message.
 */
export function presentMessage({ remoteImages }: FrameOptions): Present {
  return async ({ status, body }, response) => {
    const reply = JSON.parse(String(await readAll(body))) as MessageReply
    if (status >= 400) {
      sendDocument(response, { status, html: textToHtml(reply.message ?? ''), remoteImages: false })
      return outcomeOf(status, reply)
    }
    const { html = '', webSafe, hasMore } = reply.text ?? {}
    // admin-ui sanitises HTML that api-gateway has not marked as safe. The frame with a message is
    // then safe with every version of api-gateway.
    const isSafe = webSafe === true && !remoteImages
    const safe = isSafe ? { html, isCut: false } : toSafeHtml(html, { remoteImages })
    const isCut = hasMore === true || safe.isCut
    sendDocument(response, { status: 200, html: safe.html, isCut, remoteImages })
    return 'done'
  }
}

interface MessageReply {
  text?: { html?: string; webSafe?: boolean; hasMore?: boolean }
  message?: string
  code?: unknown
}

/** HTML document for a frame of the administration pages, with its HTTP status. */
export interface FrameDocument extends FrameOptions {
  status: number
  /** HTML of the frame's document, without active content. */
  html: string
  /** True if the document lacks the end of the message, because the message exceeds a limit. */
  isCut?: boolean
}

/** Sends the document of a frame with its own security headers. */
export function sendDocument(
  response: ServerResponse,
  { status, html, isCut = false, remoteImages }: FrameDocument,
): void {
  response.statusCode = status
  for (const [name, value] of Object.entries(messageHeaders(remoteImages)))
    response.setHeader(name, value)
  response.end(renderMessage(html, isCut))
}

/**
 * Reads the body of api-gateway's response with a message.
 *
 * @throws AppError `too-large` for a response above the limit
 */
async function readAll(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new AppError('too-large', 'The message is too large to be shown')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
