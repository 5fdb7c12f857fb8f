import { existsSync, globSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type CachedContent, type Coding, hashOf } from '@posthorn/http'

/**
 * Folder into which `make admin-ui` builds the administration pages. In the bundle of the image,
 * the folder is among the assets.
 */
export const builtPages = new URL('../../../../.local/admin-ui/', import.meta.url)

/**
 * Age in seconds for which browsers keep assets, whose names contain a hash of their content: one
 * year.
 */
const immutableSeconds = 31_536_000
const suffixes: Record<Coding, string> = { br: '.br', gzip: '.gz' }

/** Entry of the manifest that Vite writes: a source file with its assets. */
interface ManifestEntry {
  file: string
  isEntry?: boolean
  css?: string[]
  /** Keys of the entries in Vite's manifest that this entry imports. */
  imports?: string[]
}
export type ViteManifest = Readonly<Record<string, ManifestEntry>>

/**
 * Built files of the administration pages. The assets are listed once, so no path of a request
 * reaches the file system.
 */
export interface PageBuild {
  /** Content of each asset by its path below `/admin/`, such as `assets/index-Ab3d.js`. */
  readonly assets: ReadonlyMap<string, CachedContent>
  readonly entry: PageEntry
}

/** Paths of the assets that every page loads first. */
export interface PageEntry {
  readonly script: string
  readonly styles: readonly string[]
  /** Paths of the modules that the first script of the pages imports. */
  readonly modules: readonly string[]
}

/**
 * Reads the manifest and the assets of the administration pages. Undefined if the pages have not
 * been built.
 */
export function readPageBuild(folder: URL): PageBuild | undefined {
  const path = fileURLToPath(folder)
  const manifest = `${path}manifest.json`
  if (!existsSync(manifest)) return undefined
  const entry = pageEntry(JSON.parse(readFileSync(manifest, 'utf8')) as ViteManifest)
  const files = new Set(globSync('assets/**', { cwd: path, withFileTypes: false }))
  const names = [...files].filter((name) => /\.\w+$/.test(name) && !/\.(br|gz|map)$/.test(name))
  const assets = names.map((name) => [name, assetOf(folder, name, files)] as const)
  return { assets: new Map(assets), entry }
}

function assetOf(folder: URL, name: string, files: ReadonlySet<string>): CachedContent {
  return {
    hash: hashOf(name), // The file name of an asset contains a hash of its content.
    isCompressed: Object.values(suffixes).every((suffix) => files.has(name + suffix)),
    maxAgeSeconds: immutableSeconds,
    read: (coding) =>
      readFile(new URL(`${name}${coding === undefined ? '' : suffixes[coding]}`, folder)),
  }
}

/**
 * Finds the first script of the administration pages, the modules that it imports, and the styles
 * of all of them.
 *
 * @throws Error if the manifest has no entry
 */
export function pageEntry(manifest: ViteManifest): PageEntry {
  const entry = Object.values(manifest).find(({ isEntry }) => isEntry)
  if (entry === undefined) throw new Error('the manifest of the administration pages has no entry')
  const reached = new Set([entry])
  // The set of manifest entries grows during the iteration, which also visits the added entries.
  for (const { imports = [] } of reached)
    for (const key of imports) {
      const imported = manifest[key]
      if (imported) reached.add(imported)
    }
  const [, ...modules] = [...reached].map(({ file }) => file)
  const styles = new Set([...reached].flatMap(({ css = [] }) => css))
  return { script: entry.file, styles: [...styles], modules }
}
