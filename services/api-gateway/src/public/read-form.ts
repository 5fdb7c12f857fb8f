import express, { type Request, type RequestHandler } from 'express'

/** Of what is posted to the pages: a signed link and a word. */
const maxBytes = 16 * 1024

/** Reads a small body, of whatever type it says it is. */
export const smallBody: RequestHandler = express.raw({ type: () => true, limit: maxBytes })

/** The fields of a form as browsers post it. Of a field that comes twice the first one counts. */
export function formFields(request: Request): URLSearchParams {
  return new URLSearchParams(bodyText(request))
}

/**
 * Whether a mail client asks to leave the list at once. RFC 8058 §3.2: the body is `List-Unsubscribe=One-Click`, as a form of either
 * kind; clients that forget to say which are understood as well.
 */
export function isOneClick(request: Request): boolean {
  const text = bodyText(request)
  if (/^multipart\/form-data/i.test(request.get('content-type') ?? ''))
    return /name="?List-Unsubscribe"?[^\r\n]*\r?\n(?:[^\r\n]+\r?\n)*\r?\nOne-Click\r?\n/i.test(text)
  return new URLSearchParams(text.trim()).get('List-Unsubscribe')?.toLowerCase() === 'one-click'
}

function bodyText(request: Request): string {
  const body: unknown = request.body
  return Buffer.isBuffer(body) ? body.toString('utf8') : ''
}
