import { createRequire, enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { JestEnvironment } from '@jest/environment'
import { ModernFakeTimers } from '@jest/fake-timers'
import type { Config } from '@jest/types'
import { root } from '../commands.ts'
import { beginFile, type JestGlobals } from './module-hooks.ts'

/** Module loader of Jest for one test file. */
interface JestLoader {
  unstable_shouldLoadAsEsm(file: string): boolean
  unstable_importModule(file: string): Promise<void>
  requireModuleOrMock(from: string, name: string): unknown
}
/** Arguments of a Jest test runner, without the arguments that this runner only passes on. */
type RunnerArguments = [
  globalConfig: unknown,
  config: Config.ProjectConfig,
  environment: JestEnvironment,
  loader: JestLoader,
  testFile: string,
  ...others: unknown[],
]
type TestRunner = (...args: RunnerArguments) => Promise<unknown>

enableCompileCache(join(root, '.local/compile-cache'))

// The test runner of jest-circus is a CommonJS module without types.
const circus = createRequire(import.meta.url)('jest-circus/runner') as { default: TestRunner }

/**
 * Names of global constructors. Jest and its matchers run in a realm of their own, while tests run
 * in the realm of Node. Matchers such as `expect.any(Number)` need the constructors of Node.
 */
const constructors = [
  'AggregateError',
  'Array',
  'BigInt',
  'Boolean',
  'Date',
  'Error',
  'Function',
  'Map',
  'Number',
  'Object',
  'Promise',
  'RangeError',
  'RegExp',
  'Set',
  'String',
  'Symbol',
  'SyntaxError',
  'TypeError',
] as const

/**
 * Jest test runner that loads test files by the module loader of Node, so that all test files of a
 * Jest worker share the modules of the sources and of npm. Jest's own loader would load about 800
 * modules again for each test file. Modules for tests only are loaded again for each file, because
 * these modules may have state and hooks.
 */
const run: TestRunner = (...args) => {
  const [, config, environment, loader, testFile] = args
  shareRealm(environment, config)
  loader.unstable_shouldLoadAsEsm = () => true
  loader.unstable_importModule = async (file) => {
    beginFile(loader.requireModuleOrMock(testFile, '@jest/globals') as JestGlobals)
    await import(pathToFileURL(file).href)
  }
  return circus.default(...args)
}

/** Lets matchers and fake timers of Jest work on the global objects of Node. */
function shareRealm(environment: JestEnvironment, config: Config.ProjectConfig): void {
  const { global } = environment
  for (const name of constructors) Object.assign(global, { [name]: globalThis[name] })
  environment.fakeTimersModern?.dispose()
  environment.fakeTimersModern = new ModernFakeTimers({ config, global: globalThis })
}

// oxlint-disable-next-line import/no-default-export -- Jest calls the default export
export default run
