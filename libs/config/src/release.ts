import { readFileSync } from 'node:fs'

/** Release of the running program, which `/health`, metrics, traces and `User-Agent` report. */
export interface Release {
  /** Semantic version from the root `package.json`, the only place where the version is set. */
  version: string
  /**
   * Git commit of the build. `unknown` if the program runs from sources, or if the bundle was built
   * without `REVISION`.
   */
  revision: string
}

// `package.json` of a bundle contains only `version` and `revision`.
const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
const { version, revision = 'unknown' } = JSON.parse(manifest) as Partial<Release>
if (version === undefined) throw new Error('package.json has no version: set it in the root folder')

export const release: Readonly<Release> = { version, revision }
