// Jest transform: the same type stripping that Node applies at run time.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
const transform = readFileSync(import.meta.filename)

/**
 * Pattern of the module of a worker process or worker thread. The bundler replaces the same
 * expression in `deploy/image/src/asset-urls.ts`.
 */
const workerModule = /new URL\('\.\/([^']+)\.ts', import\.meta\.url\)/g

export default {
  process: (source, file) => ({ code: useBundledWorkers(stripTypeScriptTypes(source), file) }),
  getCacheKey: (source, file) =>
    createHash('sha1')
      .update(`${process.version}\0${file}\0`)
      .update(transform)
      .update(source)
      .digest('hex'),
}

/**
 * Lets the sources of services start their workers from the bundle of the test run, if the run has
 * a bundle. A worker starts from the bundle in a fifth of the CPU time that it needs to load its
 * sources.
 */
function useBundledWorkers(code, file) {
  if (file.endsWith('.test.ts') || !/\/(?:libs|services)\/[^/]+\/src\//.test(file)) return code
  return code.replaceAll(workerModule, (expression, name) => {
    const path = relative(root, join(dirname(file), name))
    const bundled = `${path.replace('/src/', '/').replaceAll('/', '-')}.js`
    const bundle = "globalThis.process.env['TEST_BUNDLE']"
    return `(${bundle} ? new URL(\`file://\${${bundle}}/${bundled}\`) : ${expression})`
  })
}
