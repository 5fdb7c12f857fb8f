import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Root folder of the project. */
export const projectRoot = join(import.meta.dirname, '../../../..')

export interface ProjectFile {
  /** Path relative to the root of the project. */
  path: string
  text: string
}

/** Reads a file of the project. */
export function readProjectFile(path: string): string {
  return readFileSync(join(projectRoot, path), 'utf8')
}

/** Reads all sources of libraries and services, without tests. */
export function readSources(): ProjectFile[] {
  return globSync(['libs/*/src/**/*.ts', 'services/*/src/**/*.ts'], {
    cwd: projectRoot,
    exclude: (name) => name.includes('node_modules'),
  })
    .filter((path) => !path.endsWith('.test.ts') && !path.includes('node_modules'))
    .sort()
    .map((path) => ({ path, text: readProjectFile(path) }))
}
