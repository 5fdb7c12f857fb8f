import { readBody } from '@posthorn/http'
import { toSafeHtml } from '@posthorn/mime/safe-html'
import type { Logger } from '@posthorn/telemetry'
import type { Router } from 'express'
import { sendDocument } from '../forwarding/present-message.ts'
import type { Authenticate } from '../identity/signed-in.ts'
import { textToHtml } from '../pages/message-document.ts'
import { sendFrameProblem } from './frame-problem.ts'

export interface TemplateFrameDeps {
  authenticate: Authenticate
  log: Pick<Logger, 'error'>
}

/**
 * Maximum size in bytes of the form that sends the HTML of a template preview. The sanitiser
 * returns at most 2 MiB of HTML, and a form encodes a byte as up to three bytes. Line breaks take
 * six bytes.
 */
const maxFormBytes = 6 * 1024 * 1024 + 1_024

/**
 * Mounts the endpoint of the frame that shows the preview of a message template. A form of the
 * administration pages sends the composed HTML, because the policy of these pages permits frames of
 * this host only. The document in the frame has no active content and an opaque origin, like the
 * HTML of a message.
 */
export function mountTemplateFrame(router: Router, { authenticate, log }: TemplateFrameDeps): void {
  router.post('/admin/frame/template', async (request, response) => {
    try {
      await authenticate(request)
      const form = new URLSearchParams(String(await readBody(request, { maxBytes: maxFormBytes })))
      const remoteImages = form.get('images') === 'remote'
      const { html, isCut } = toSafeHtml(form.get('html') ?? '', { remoteImages })
      const end = isCut ? textToHtml('The HTML is longer than this preview.') : ''
      sendDocument(response, { status: 200, html: html + end, remoteImages })
    } catch (error) {
      sendFrameProblem(response, error, log)
    }
  })
}
