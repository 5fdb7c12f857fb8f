import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { manifestName, type SiteManifest } from '@posthorn/docs/site-manifest'
import type { CachedContent, Coding } from '@posthorn/http'

/**
 * Directory into which `make docs` builds the documentation site. The bundle of the image has the
 * directory among its assets.
 */
export const builtSite = new URL('../../../../.local/docs/', import.meta.url)

/**
 * Seconds for which browsers cache documentation files whose names contain a hash of the content:
 * one year.
 */
const immutableSeconds = 31_536_000
const suffixes: Record<Coding, string> = { br: '.br', gzip: '.gz' }

/**
 * Built documentation site. The list of its files is read once, so no path of a request reaches the
 * file system.
 */
export interface SiteFiles {
  /** Content security policy of the pages of the documentation site. */
  policy: string
  /** Content of the files of the documentation site by path, such as `guides/send/index.html`. */
  files: ReadonlyMap<string, CachedContent>
}

/** Reads the list of files of the documentation site. Undefined if the site has not been built. */
export function readSiteFiles(folder: URL): SiteFiles | undefined {
  const manifest = readManifest(folder)
  if (manifest === undefined) return undefined
  const files = Object.entries(manifest.files).map(([path, { isImmutable, ...file }]) => {
    const content: CachedContent = {
      ...file,
      maxAgeSeconds: isImmutable ? immutableSeconds : 0,
      read: (coding) => {
        const suffix = coding === undefined ? '' : suffixes[coding]
        return readFile(new URL(`files/${path}${suffix}`, folder))
      },
    }
    return [path, content] as const
  })
  return { policy: manifest.policy, files: new Map(files) }
}

function readManifest(folder: URL): SiteManifest | undefined {
  try {
    const text = readFileSync(fileURLToPath(new URL(manifestName, folder)), 'utf8')
    return JSON.parse(text) as SiteManifest
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
