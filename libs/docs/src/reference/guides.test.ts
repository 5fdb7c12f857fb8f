import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { readExistingNames } from './existing-names.ts'
import { projectRoot } from './source-files.ts'
import { findUnknownNames } from './unknown-names.ts'

const guides = globSync('libs/docs/guides/*.md', { cwd: projectRoot }).sort()
const existing = readExistingNames()

test('guides: name only operations, events, variables, error codes and metrics that exist', () => {
  const unknown = guides.flatMap((path) =>
    findUnknownNames(readFileSync(join(projectRoot, path), 'utf8'), existing).map(
      ({ line, kind, name }) => `${path}:${line} ${kind} ${name}`,
    ),
  )
  expect(unknown).toEqual([])
})
