import { randomBytes } from 'node:crypto'
import { extname } from 'node:path'
import { AppError } from '@posthorn/errors'
import { sendCached } from '@posthorn/http'
import type { Request, Router } from 'express'
import { ownPageHeader } from '../http/require-own-page.ts'
import { builtPages, readPageBuild } from './page-build.ts'
import { pagePolicy } from './page-policy.ts'
import { notBuiltPage, renderPage } from './render-page.ts'

/** Paths below `/admin/` that are never pages: calls, streams, downloads, frames and assets. */
const neverPages = /^\/admin\/(?:api|assets|call|frame|live|session|audit\/download)(?:\/|$)/

/**
 * Mounts the HTML of the administration pages below `/admin/`, and their assets. A path such as
 * `/admin/audit` is a page for a browser that navigates to it, and an endpoint for calls of the
 * pages.
 */
export function mountPages(router: Router, folder = builtPages): void {
  const build = readPageBuild(folder)
  router.get('/', (_request, response) => response.redirect(302, '/admin/'))
  router.get('/admin/assets/{*path}', (request, response) => {
    const name = request.path.slice('/admin/'.length)
    const asset = build?.assets.get(name)
    if (!asset) throw new AppError('not-found', 'Not Found')
    return sendCached(request, response.type(extname(name)), asset)
  })
  router.get(['/admin', '/admin/{*path}'], (request, response, next) => {
    if (neverPages.test(request.path) || !isNavigation(request)) return next()
    if (request.path === '/admin') return response.redirect(302, '/admin/')
    const nonce = randomBytes(16).toString('base64')
    response.setHeader('Content-Security-Policy', pagePolicy(nonce))
    response.status(build ? 200 : 503).type('html')
    response.send(build ? renderPage(build.entry, nonce) : notBuiltPage)
  })
}

/** True if a browser opens the address of a request. False for calls of scripts and for images. */
function isNavigation(request: Request): boolean {
  const { [ownPageHeader]: own, 'sec-fetch-mode': mode = 'navigate' } = request.headers
  return own === undefined && mode === 'navigate' && request.accepts('html') === 'html'
}
