import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Root folder of this repository. */
export const projectRoot = join(import.meta.dirname, '../../../..')

export interface ProjectFile {
  /** Path relative to the root folder of this repository. */
  path: string
  text: string
}

/** Reads a file of this repository. */
export function readProjectFile(path: string): string {
  return readFileSync(join(projectRoot, path), 'utf8')
}

/** Reads all source files of libraries and services, without tests. */
export function readSources(): ProjectFile[] {
  return globSync(['libs/*/src/**/*.ts', 'services/*/src/**/*.ts'], {
    cwd: projectRoot,
    exclude: (name) => name.includes('node_modules'),
  })
    .filter((path) => !path.endsWith('.test.ts') && !path.includes('node_modules'))
    .sort()
    .map((path) => ({ path, text: readProjectFile(path) }))
}
