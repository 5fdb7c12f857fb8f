import { readFileSync } from 'node:fs'
import type { Request, Response, Router } from 'express'
import { sendCached } from '@posthorn/http'
import { compressedContent } from './compressed-content.ts'

/**
 * URL of the browser bundle of Scalar, the program that shows the API reference at `/docs/try/`.
 */
const bundle = new URL(
  '../../node_modules/@scalar/api-reference/dist/browser/standalone.js',
  import.meta.url,
)

/**
 * Content security policy of the API reference at `/docs/try/`. Scalar sets styles in elements and
 * attributes. API requests of the page go to this host only.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Try the API · Posthorn</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <div id="reader"></div>
    <script src="scalar.js"></script>
    <script src="start.js"></script>
  </body>
</html>
`

/**
 * Script that starts Scalar, the API reference at `/docs/try/`. An access token that a user enters
 * stays in the memory of the page. Scalar sends nothing to other hosts and loads nothing from them.
 */
const script = `Scalar.createApiReference('#reader', {
  url: '../../openapi.json',
  authentication: { preferredSecurityScheme: 'bearer' },
  persistAuth: false,
  telemetry: false,
  withDefaultFonts: false,
  showDeveloperTools: 'never',
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
})
`

/** Mounts the page on which a reader sends requests to the API, below `/docs/try/`. */
export function mountTryPage(router: Router): void {
  // The bundle of Scalar (API reference) has 5 MB and is read when its page is first requested.
  let scalar: ReturnType<typeof compressedContent> | undefined
  const parts = {
    '': ['html', compressedContent(Buffer.from(page))],
    'start.js': ['js', compressedContent(Buffer.from(script))],
  } as const
  for (const [name, [type, content]] of Object.entries(parts))
    router.get(`/docs/try/${name}`, (request: Request, response: Response) => {
      response.setHeader('Content-Security-Policy', policy)
      return sendCached(request, response.type(type), content)
    })
  router.get('/docs/try/scalar.js', (request, response) => {
    scalar ??= compressedContent(readFileSync(bundle))
    return sendCached(request, response.type('js'), scalar)
  })
  router.get('/docs/try', (_request, response) => response.redirect(301, 'try/'))
}
