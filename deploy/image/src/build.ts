import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { rolldown } from 'rolldown'
import { assetUrls } from './asset-urls.ts'
import { copyPackage } from './copy-package.ts'

const root = resolve(import.meta.dirname, '../../..')

/** Packages that are not bundled, because tracing changes them when they are loaded. */
const unbundled = {
  express: 'services/api-gateway',
  pg: 'libs/db',
  'import-in-the-middle': 'libs/telemetry',
}

/**
 * Bundles the processes of the image into `folder`, which is replaced. The result runs without the
 * workspace: `node folder/posthorn.js <process>`. Equal sources give equal bytes.
 */
export async function build(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  const bundle = await rolldown({
    cwd: root,
    input: { posthorn: join(import.meta.dirname, 'posthorn.ts') },
    platform: 'node',
    external: new RegExp(`^(${Object.keys(unbundled).join('|')})(/|$)`),
    plugins: [assetUrls(root)],
    onLog(level, log, handle) {
      // Fails the build. A warning is an unresolved import or a similar fault.
      handle(level === 'warn' ? 'error' : level, log)
    },
  })
  await bundle.write({
    dir: folder,
    format: 'esm',
    sourcemap: true,
    chunkFileNames: '[name]-[hash].js',
  })
  for (const [name, from] of Object.entries(unbundled)) copyPackage(name, join(root, from), folder)
}
