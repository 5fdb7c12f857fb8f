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

// Markdown files need a heading for other viewers. The documentation site removes the heading,
// because it shows the title of the front matter.
test.each(guides)('%s has the title as heading, the common opening and a reference', (path) => {
  const text = readFileSync(join(projectRoot, path), 'utf8')
  const [, title, body = ''] = /^---\ntitle: (.+)\n[\s\S]*?\n---\n([\s\S]*)$/.exec(text) ?? []
  expect(body.split('\n', 4)).toEqual(['', `# ${title}`, '', expect.stringMatching(/^After this /)])
  const sections = body.match(/^## .*$/gm) ?? []
  expect(sections.at(-1)).toBe('## Reference')
})
