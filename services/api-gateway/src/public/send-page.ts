import type { Response } from 'express'
import type { Page } from './page-layout.ts'
import type { PageLanguage } from './texts/choose-language.ts'

/** Tracking image: transparent GIF89a of 1×1 pixel. */
const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

export function sendTrackingPixel(response: Response): void {
  // Allows pages of other origins to embed the tracking image, because webmail does so.
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
  response.type('image/gif').send(pixel)
}

export function sendPage(
  response: Response,
  status: number,
  { html, contentSecurityPolicy, language }: Page,
): void {
  response.status(status)
  setLanguage(response, language)
  response.setHeader('Content-Security-Policy', contentSecurityPolicy)
  response.setHeader('X-Robots-Tag', 'noindex, nofollow')
  response.type('html').send(html)
}

/**
 * Plain text in place of a public page, for a client that shows no pages, in the language of the
 * pages.
 */
export interface PlainText {
  text: string
  language: PageLanguage
}

export function sendText(response: Response, status: number, { text, language }: PlainText): void {
  setLanguage(response, language)
  response.status(status).type('text/plain').send(`${text}\n`)
}

/**
 * Sets the language in the HTTP response with a public page. A response whose language depends on
 * the browser is cached per value of `Accept-Language` (RFC 9110 §12.5.5).
 */
function setLanguage(response: Response, { tag, chosenBy }: PageLanguage): void {
  response.setHeader('Content-Language', tag)
  if (chosenBy === 'header') response.vary('Accept-Language')
}
