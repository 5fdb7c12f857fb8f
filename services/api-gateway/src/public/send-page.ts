import type { Response } from 'express'
import type { Page } from './page-layout.ts'

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
  { html, contentSecurityPolicy }: Page,
): void {
  response.status(status)
  response.setHeader('Content-Security-Policy', contentSecurityPolicy)
  response.setHeader('X-Robots-Tag', 'noindex, nofollow')
  response.type('html').send(html)
}

export function sendText(response: Response, status: number, text: string): void {
  response.status(status).type('text/plain').send(`${text}\n`)
}
