import { registerHooks } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from '../commands.ts'

/** Exports of `@jest/globals` for one test file, such as `test` and `expect`. */
export type JestGlobals = Readonly<Record<string, JestGlobal>>
type JestGlobal = ((...args: unknown[]) => unknown) & Readonly<Record<string | symbol, unknown>>

const globalsUrl = 'posthorn-test:globals'
/** Paths in the project of modules for tests only: test files, and folders of test helpers. */
const testOnly = /\.test\.ts$|(?:^|\/)(?:test|fixtures|test-e2e)\//
/** Paths in the project of source files that may start workers. */
const source = /^(?:libs|services)\/[^/]+\/src\/.*\.ts$/
/**
 * Expression for the URL of a worker's module, in code that starts a worker process or worker
 * thread. `deploy/image/src/asset-urls.ts` replaces the same expression when the bundle is built.
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
    const isTestOnly = testOnly.test(projectPath(resolved.url) ?? '')
    return isTestOnly ? { ...resolved, url: numberedUrl(resolved.url) } : resolved
  },
  load(url, context, nextLoad) {
    if (url === globalsUrl) return { format: 'module', source: globalsSource(), shortCircuit: true }
    const loaded = nextLoad(url, context)
    const path = projectPath(url)
    if (path === undefined || !source.test(path) || !loaded.source) return loaded
    const code = String(Buffer.from(loaded.source as Uint8Array))
    return { ...loaded, source: useBundledWorkers(code, path) }
  },
})

/** Path of a module relative to the root of the project. Undefined for modules of npm and Node. */
function projectPath(url: string): string | undefined {
  if (!url.startsWith('file:') || url.includes('/node_modules/')) return undefined
  return relative(root, fileURLToPath(url))
}

/**
 * URL of a module for tests only, with the number of the current test file. Because of the number,
 * Node loads the module again for each test file.
 */
function numberedUrl(url: string): string {
  const numbered = new URL(url)
  numbered.searchParams.set('file', String(fileCount))
  return numbered.href
}

/**
 * Source of the module `@jest/globals`. Each export forwards to the export of the current test
 * file, because modules that several test files share import this module once.
 */
function globalsSource(): string {
  const forwards = Object.keys(globals).map((name) => `export const ${name} = forward('${name}')`)
  return `
import { globalOf } from ${JSON.stringify(import.meta.url)}
const forward = (name) =>
  new Proxy(() => {}, {
    apply: (_target, _self, args) => globalOf(name)(...args),
    get: (_target, key) => globalOf(name)[key],
  })
${forwards.join('\n')}
`
}

/**
 * Lets a source file start its workers from the bundle of the test run, if the run has a bundle.
 * The start of a worker from the bundle takes a fifth of the CPU time of loading the worker's
 * sources. `path` is the path of the source file in the project.
 */
function useBundledWorkers(code: string, path: string): string {
  const bundle = process.env['TEST_BUNDLE']
  if (bundle === undefined) return code
  return code.replaceAll(workerModule, (_expression, name: string) => {
    const worker = join(dirname(path), name).replace('/src/', '/').replaceAll('/', '-')
    return `new URL('file://${bundle}/${worker}.js')`
  })
}
