import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { SiteFile } from './site-manifest.ts'

const [brotli, zip] = [promisify(brotliCompress), promisify(gzip)]

/**
 * Files of the documentation site that browsers cache without checks, since the generator writes a
 * hash of the content in each name.
 */
const immutable = /^_astro\/|^pagefind\/(fragment|index)\//
const compressible = /\.(html|css|js|json|md|svg|txt)$/
/**
 * Minimum size in bytes of a file that is compressed. A smaller response is a single packet anyway.
 */
const minCompressed = 1_000
/**
 * Brotli qualities 10 and 11 need ten times the time of quality 9 for documentation pages that are
 * 4 % smaller.
 */
const quality = 9

/**
 * Writes the compressed variants of the documentation site's files below `folder`. Describes all
 * files by path.
 */
export async function describeFiles(
  folder: string,
  paths: readonly string[],
): Promise<Record<string, SiteFile>> {
  const described = await Promise.all(
    paths.toSorted().map(async (path) => [path, await describeFile(folder, path)] as const),
  )
  return Object.fromEntries(described)
}

async function describeFile(folder: string, path: string): Promise<SiteFile> {
  const content = await readFile(join(folder, path))
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 22)
  const isCompressed = compressible.test(path) && content.length >= minCompressed
  if (isCompressed) {
    const params = { [constants.BROTLI_PARAM_QUALITY]: quality }
    await writeFile(join(folder, `${path}.br`), await brotli(content, { params }))
    await writeFile(join(folder, `${path}.gz`), await zip(content, { level: 9 }))
  }
  return { hash, isCompressed, isImmutable: immutable.test(path) }
}
