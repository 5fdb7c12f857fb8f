import { extname } from 'node:path'
import { buildOpenApi } from '@posthorn/contracts/openapi/build'
import express, { type Request, type Response, type Router } from 'express'
import { type CachedContent, sendCached } from '@posthorn/http'
import { compressedContent } from './compressed-content.ts'
import { builtSite, readSiteFiles, type SiteFiles } from './site-files.ts'
import { mountTryPage } from './try-page.ts'

/** HTML page at `/docs/` if `make docs` has not built the documentation site. */
const notBuilt = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Posthorn</title>
  </head>
  <body>
    <h1>The documentation has not been built</h1>
    <p>Run <code>make docs</code> and restart the system: <code>make down</code>, <code>make up</code>.</p>
    <p>Without it there are <a href="try/">a page to try the API</a> and
      <a href="../openapi.json">the OpenAPI document</a>.</p>
  </body>
</html>
`

/**
 * Mounts the documentation: `/openapi.json`, the site below `/docs/` and the page `/docs/try/`. All
 * are public and load nothing from other hosts.
 */
export function mountDocs(router: Router, version: string, folder = builtSite): void {
  const document = compressedContent(Buffer.from(JSON.stringify(buildOpenApi(version))))
  router.get('/openapi.json', (request, response) =>
    sendCached(request, response.type('application/json'), document),
  )
  const docs = express.Router({ caseSensitive: true, strict: true })
  docs.get('/docs', (_request, response) => response.redirect(301, 'docs/'))
  mountTryPage(docs)
  const site = readSiteFiles(folder)
  if (site === undefined)
    docs.get('/docs/', (_request, response) => void response.type('html').send(notBuilt))
  else mountSite(docs, site)
  router.use(docs)
}

function mountSite(router: Router, { policy, files }: SiteFiles): void {
  const send = (request: Request, response: Response, [path, content]: [string, CachedContent]) => {
    response.setHeader('Content-Security-Policy', policy)
    return sendCached(request, response.type(extname(path)), content)
  }
  router.get('/docs/{*path}', (request, response, next) => {
    const path = decodeURIComponent(request.path.slice('/docs/'.length))
    const index = `${path}index.html`
    const [name, missing] = [path === '' || path.endsWith('/') ? index : path, '404.html']
    const content = files.get(name)
    if (content) return send(request, response, [name, content])
    if (files.has(`${path}/index.html`))
      return response.redirect(301, `${encodeURI(path.split('/').at(-1) ?? '')}/`)
    const page = files.get(missing)
    return page ? send(request, response.status(404), [missing, page]) : next()
  })
}
