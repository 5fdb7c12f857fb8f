import { readFileSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildOpenApi } from '@posthorn/contracts/openapi/build'
import express, { type RequestHandler, type Router } from 'express'

const assetFiles = [
  import.meta.resolve('swagger-ui-dist/swagger-ui.css'),
  import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
  import.meta.resolve('swagger-ui-dist/favicon-32x32.png'),
].map((url) => fileURLToPath(url))

/**
 * Content security policy of the API document. Only scripts and styles of this service are allowed;
 * Swagger UI also needs inline styles.
 */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'"

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Posthorn API</title>
    <link rel="stylesheet" href="swagger-ui.css">
    <link rel="icon" type="image/png" href="favicon-32x32.png">
  </head>
  <body>
    <div id="reader"></div>
    <script src="swagger-ui-bundle.js"></script>
    <script src="start.js"></script>
  </body>
</html>
`
const script = `SwaggerUIBundle({ url: '../openapi.json', dom_id: '#reader', validatorUrl: null, deepLinking: true })
`

/**
 * Mounts the API document: `/openapi.json`, and Swagger UI at `/docs/`. Both paths are public and
 * load no third-party assets.
 */
export function mountDocs(router: Router, version: string): void {
  const document = JSON.stringify(buildOpenApi(version))
  router.get('/openapi.json', (_request, response) => {
    response.type('application/json').send(document)
  })
  const docs = express.Router({ strict: true })
  docs.use(withPolicy)
  docs.get('/docs', (_request, response) => response.redirect(301, 'docs/'))
  docs.get('/docs/', (_request, response) => void response.type('html').send(page))
  docs.get('/docs/start.js', (_request, response) => void response.type('js').send(script))
  for (const file of assetFiles) docs.get(`/docs/${basename(file)}`, asset(file))
  router.use(docs)
}

const withPolicy: RequestHandler = ({ path }, response, next) => {
  if (path.startsWith('/docs')) response.setHeader('Content-Security-Policy', policy)
  next()
}

/** Serves a Swagger UI file from memory (1.5 MB in all). No path reaches the file system. */
function asset(file: string): RequestHandler {
  const content = readFileSync(file)
  return (_request, response) => {
    response.setHeader('Cache-Control', 'public, max-age=3600')
    response.type(extname(file)).send(content)
  }
}
