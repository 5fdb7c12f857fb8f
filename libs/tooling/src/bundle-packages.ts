import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { root } from './commands.ts'

/** npm package that is bundled into one file for Jest. */
interface BundledPackage {
  /** Package of the workspace that depends on the bundled npm package. */
  from: string
  format: 'cjs' | 'esm'
}

/**
 * npm packages of many small modules. Jest loads all modules again for each test file, and these
 * packages are a third of the modules of a service. prom-client requires `@opentelemetry/api`, so
 * the bundle of this package is a CommonJS module.
 */
const packages: Readonly<Record<string, BundledPackage>> = {
  '@opentelemetry/api': { from: 'libs/telemetry', format: 'cjs' },
  jose: { from: 'libs/secrets', format: 'esm' },
  kysely: { from: 'libs/db', format: 'esm' },
  typebox: { from: 'libs/contracts', format: 'esm' },
}

/**
 * Bundles each of the npm packages for Jest into one file, unless an earlier run has bundled the
 * installed versions. Returns the setting `moduleNameMapper` with which Jest loads these files.
 */
export async function bundlePackages(): Promise<Record<string, string>> {
  const hash = createHash('sha1')
  for (const file of [join(root, 'pnpm-lock.yaml'), import.meta.filename])
    hash.update(await readFile(file))
  const cache = join(root, 'node_modules/.cache')
  const folder = join(cache, `posthorn-test-packages-${hash.digest('hex')}`)
  if (!existsSync(folder)) await build(cache, folder)
  return Object.fromEntries(
    Object.entries(packages).map(([name, { format }]) => [
      `^${name}$`,
      join(folder, fileOf(name, format)),
    ]),
  )
}

/**
 * Bundles the npm packages for Jest into a temporary folder, which is then renamed, so that the
 * final folder is always complete.
 */
async function build(cache: string, folder: string): Promise<void> {
  await mkdir(cache, { recursive: true })
  const draft = await mkdtemp(join(cache, 'draft-'))
  try {
    await writeBundles(draft)
    await rename(draft, folder)
  } catch (error) {
    await rm(draft, { recursive: true })
    // Another Jest run may have written the folder of bundled npm packages at the same time.
    if (!existsSync(folder)) throw error
  }
}

async function writeBundles(draft: string): Promise<void> {
  for (const [name, { from, format }] of Object.entries(packages)) {
    const bundle = await rolldown({ cwd: join(root, from), input: name, platform: 'node' })
    await bundle.write({
      file: join(draft, fileOf(name, format)),
      format,
      exports: 'named',
      comments: false,
      minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    })
    await bundle.close()
  }
}

function fileOf(name: string, format: BundledPackage['format']): string {
  return `${name.replaceAll(/[@/]/g, '-')}.${format === 'esm' ? 'mjs' : 'cjs'}`
}
