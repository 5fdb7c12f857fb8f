import { readFileSync } from 'node:fs'

/** Release of the running program, as `/health`, metrics, traces and `User-Agent` report it. */
export interface Release {
  /** Semantic version of the root `package.json`, the only place that sets it. */
  version: string
  /** Commit of the build. `unknown` for sources, and for bundles built without `REVISION`. */
  revision: string
}

// A bundle has a file with `version` and `revision` in place of the manifest `package.json`.
const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
const { version, revision = 'unknown' } = JSON.parse(manifest) as Partial<Release>
if (version === undefined) throw new Error('package.json has no version: set it in the root folder')

export const release: Readonly<Release> = { version, revision }
