import { readFileSync } from 'node:fs'

/** Release of the running program, which `/health`, metrics, traces and `User-Agent` report. */
export interface Release {
  /**
   * Semantic version of the running program, from the root `package.json`. The version is set only
   * there.
   */
  version: string
  /**
   * Git commit from which the running program was built. `unknown` if the program runs from
   * sources, or if its bundle was built without `REVISION`.
   */
  revision: string
}

// The `package.json` next to a bundled program contains only `version` and `revision`.
const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
const { version, revision = 'unknown' } = JSON.parse(manifest) as Partial<Release>
if (version === undefined) throw new Error('package.json has no version: set it in the root folder')

export const release: Readonly<Release> = { version, revision }
