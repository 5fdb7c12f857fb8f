import { registerHooks } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from '../commands.ts'

/** Exports of `@jest/globals` for one test file, such as `test` and `expect`. */
export type JestGlobals = Readonly<Record<string, JestGlobal>>
type JestGlobal = ((...args: unknown[]) => unknown) & Readonly<Record<string | symbol, unknown>>

const globalsUrl = 'posthorn-test:globals'
/** Files that belong to the tests: test files, and the folders of helpers for tests. */
const testOnly = /\.test\.ts$|\/(?:test|fixtures|test-e2e)\//
/**
 * Pattern of the module of a worker process or worker thread. The bundler replaces the same
 * expression in `deploy/image/src/asset-urls.ts`.
 */
const workerModule = /new URL\('\.\/([^']+)\.ts', import\.meta\.url\)/g

let globals: JestGlobals = {}
let fileCount = 0

/**
 * Starts a test file. Imports of `@jest/globals` in the test file get the exports that Jest created
 * for the file.
 */
export function beginFile(globalsOfFile: JestGlobals): void {
  globals = globalsOfFile
  fileCount += 1
}

/** Returns an export of `@jest/globals` for the current test file. */
export function globalOf(name: string): JestGlobal {
  const value = globals[name]
  if (value === undefined) throw new Error(`@jest/globals has no export ${name}`)
  return value
}

registerHooks({
  resolve(specifier, context, nextResolve) {
    if (specifier === '@jest/globals') return { url: globalsUrl, shortCircuit: true }
    const resolved = nextResolve(specifier, context)
    return isTestOnly(resolved.url) ? { ...resolved, url: urlOfFile(resolved.url) } : resolved
  },
  load(url, context, nextLoad) {
    if (url === globalsUrl) return { format: 'module', source: globalsSource(), shortCircuit: true }
    const loaded = nextLoad(url, context)
    if (typeof loaded.source !== 'object' || !isSource(url)) return loaded
    const source = Buffer.from(loaded.source as Uint8Array).toString()
    return { ...loaded, source: useBundledWorkers(source, fileURLToPath(url)) }
  },
})

/** True for modules of the project that only tests use. */
function isTestOnly(url: string): boolean {
  if (!url.startsWith('file:') || url.includes('/node_modules/')) return false
  return testOnly.test(new URL(url).pathname)
}

/**
 * URL of a module for tests only. The URL has a number for the current test file, so that Node
 * loads the module again for each test file.
 */
function urlOfFile(url: string): string {
  const numbered = new URL(url)
  numbered.searchParams.set('file', String(fileCount))
  return numbered.href
}

/** True for sources of the workspace that start workers. */
function isSource(url: string): boolean {
  return /\/(?:libs|services)\/[^/]+\/src\/.*\.ts$/.test(url)
}

/**
 * Source of the module `@jest/globals`. Each export forwards to the export of the current test
 * file, because modules that several test files share import this module once.
 */
function globalsSource(): string {
  const forwards = Object.keys(globals).map((name) => `export const ${name} = forward('${name}')`)
  return `
import { globalOf } from '${import.meta.url}'
const forward = (name) =>
  new Proxy(() => {}, {
    apply: (_target, _self, args) => globalOf(name)(...args),
    get: (_target, key) => globalOf(name)[key],
  })
${forwards.join('\n')}
`
}

/**
 * Lets the sources of services start their workers from the bundle of the test run, if the run has
 * a bundle. A worker starts from the bundle in a fifth of the CPU time that it needs to load its
 * sources.
 */
function useBundledWorkers(code: string, file: string): string {
  const bundle = process.env['TEST_BUNDLE']
  if (bundle === undefined) return code
  return code.replaceAll(workerModule, (_expression, name: string) => {
    const path = relative(root, join(dirname(file), name))
    const bundled = `${path.replace('/src/', '/').replaceAll('/', '-')}.js`
    return `new URL('file://${bundle}/${bundled}')`
  })
}
