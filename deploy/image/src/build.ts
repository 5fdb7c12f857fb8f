import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { release } from '@posthorn/config/release'
import { manifestName, type SiteManifest } from '@posthorn/docs/site-manifest'
import { rolldown } from 'rolldown'
import { assetUrls } from './asset-urls.ts'
import { copyPackage } from './copy-package.ts'
import { httpModule } from './http-module.ts'
import { billOfMaterials, nodeComponent, npmComponent } from './bill-of-materials.ts'
import { findThirdParties, licenceTexts, mergePackages, type ThirdParty } from './third-party.ts'

const root = resolve(import.meta.dirname, '../../..')

/**
 * npm packages that stay outside the bundle of the container image: the tracing library
 * (OpenTelemetry) changes these packages when they are loaded.
 */
const unbundled = {
  express: 'services/api-gateway',
  pg: 'libs/db',
  'import-in-the-middle': 'libs/telemetry',
}

export interface BuildOptions {
  /** Git commit that the bundled processes report. */
  revision: string
}

/**
 * Bundles the processes of the container image into `folder`, which is replaced. The bundle runs
 * without the pnpm workspace: `node folder/posthorn.js <process>`. The bundle contains a bill of
 * materials and the licences of the bundled packages. The bundle contains the documentation site
 * and the administration pages if `make docs` and `make admin-ui` have built them. Equal sources
 * and revisions give equal bytes.
 */
export async function build(folder: string, { revision }: BuildOptions): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  const files = await writeBundle(folder)
  for (const [name, from] of Object.entries(unbundled)) copyPackage(name, join(root, from), folder)
  const copied = globSync('node_modules/**/package.json', { cwd: folder })
  const packages = mergePackages(
    findThirdParties([...files, ...copied.map((path) => join(folder, path))]),
    sitePackages(folder),
    pagePackages(folder),
  )
  // The module `@posthorn/config/release` reads `assets/package.json`. The module needs no other
  // members of the manifest `package.json` than the written members.
  writeFileSync(join(folder, 'assets/package.json'), JSON.stringify({ ...release, revision }))
  const components = [nodeComponent(process.versions.node), ...packages.map(npmComponent)]
  writeFileSync(join(folder, 'sbom.cdx.json'), billOfMaterials(release.version, components))
  writeFileSync(join(folder, 'LICENSES.txt'), licenceTexts(packages))
}

/** Lists the packages of which the documentation site in the bundle contains files. */
function sitePackages(folder: string): ThirdParty[] {
  const path = join(folder, 'assets/.local/docs', manifestName)
  if (!existsSync(path)) return []
  return (JSON.parse(readFileSync(path, 'utf8')) as SiteManifest).packages
}

/** Lists the packages of which the administration pages in the bundle contain scripts or styles. */
function pagePackages(folder: string): ThirdParty[] {
  const path = join(folder, 'assets/.local/admin-ui/packages.json')
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as ThirdParty[]) : []
}

/** Bundles the processes of the container image. Returns the paths of the bundled sources. */
async function writeBundle(folder: string): Promise<string[]> {
  const assets: string[] = []
  const bundle = await rolldown({
    cwd: root,
    input: { posthorn: join(import.meta.dirname, 'posthorn.ts') },
    platform: 'node',
    external: new RegExp(`^(${Object.keys(unbundled).join('|')})(/|$)`),
    plugins: [assetUrls(root, assets), httpModule()],
    onLog(level, log, handle) {
      // Every warning of the bundler makes the build of the container image fail. A warning means
      // an import that cannot be resolved or a similar fault.
      handle(level === 'warn' ? 'error' : level, log)
    },
  })
  const { output } = await bundle.write({
    dir: folder,
    format: 'esm',
    sourcemap: true,
    sourcemapExcludeSources: true,
    charset: 'ascii',
    comments: false,
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    chunkFileNames: '[name]-[hash].js',
  })
  await bundle.close()
  const modules = output.map((file) => (file.type === 'chunk' ? Object.keys(file.modules) : []))
  return [...modules.flat(), ...assets]
}
