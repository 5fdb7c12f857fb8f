import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Reads a test data file: message forms, error responses or searches of Gmail. */
export function readFixture<T>(name: 'errors' | 'messages' | 'search-cases'): T {
  return JSON.parse(
    readFileSync(join(import.meta.dirname, 'fixtures', `${name}.json`), 'utf8'),
  ) as T
}
