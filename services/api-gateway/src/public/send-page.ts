import type { Response } from 'express'
import type { Page } from './page-layout.ts'

/** Smallest of all pictures: one transparent point (GIF89a). */
const point = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

export function sendTrackingPixel(response: Response): void {
  // The page that shows it is somebody else's.
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
  response.type('image/gif').send(point)
}

export function sendPage(
  response: Response,
  status: number,
  { html, contentSecurityPolicy: policy }: Page,
): void {
  response.status(status)
  response.setHeader('Content-Security-Policy', policy)
  response.setHeader('X-Robots-Tag', 'noindex, nofollow')
  response.type('html').send(html)
}

export function sendText(response: Response, status: number, text: string): void {
  response.status(status).type('text/plain').send(`${text}\n`)
}
