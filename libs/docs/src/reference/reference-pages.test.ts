import { globSync } from 'node:fs'
import { dirname, posix } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { eventNames } from '@posthorn/contracts/events'
import { allOperations } from '@posthorn/contracts/operations'
import { settingKeys } from '@posthorn/contracts/settings/settings'
import { errorCodes } from '@posthorn/errors'
import { readExistingNames, readVariableNames } from './existing-names.ts'
import { anchorOf } from './markdown.ts'
import { readMetrics } from './metrics-page.ts'
import { referencePages } from './reference-pages.ts'
import { projectRoot, readProjectFile, readSources } from './source-files.ts'
import { findUnknownNames } from './unknown-names.ts'

const pages = referencePages()
const existing = readExistingNames()
const textOf = (path: string) => pages.get(path) ?? ''
const all = [...pages.values()].join('\n')

/** Names in the first column of the tables of a documentation page. */
function firstCells(path: string): string[] {
  return [...textOf(path).matchAll(/^\| `([\w.[\]]+)` \|/gm)].map(([, name = '']) => name)
}

function times(text: string, part: string): number {
  return text.split(part).length - 1
}

describe('referencePages', () => {
  test('shows every documented operation once, with its calls', () => {
    const operations = allOperations.filter(({ hidden }) => !hidden)
    const wrong = operations.filter(({ id, method, path }) => {
      const name = `\`${method.toUpperCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}\``
      return times(all, `\n${name}, \`${id}\` in the client.`) !== 1
    })
    expect(wrong.map(({ id }) => id)).toEqual([])
    for (const language of ['sh', 'ts', 'py'])
      expect(times(all, `\n\`\`\`${language}\n`)).toBe(operations.length)
  })

  test('shows no operation that does not exist', () => {
    const shown = [...all.matchAll(/^`[A-Z]+ \/\S+`, `(\w+)` in the client\./gm)]
    const ids = new Set<string>(allOperations.map(({ id }) => id))
    expect(shown.filter(([, id = '']) => !ids.has(id))).toEqual([])
  })

  test('shows every event once, with an example', () => {
    const headings = [...textOf('reference/events.md').matchAll(/^## (\w+)$/gm)].map(
      ([, name = '']) => name,
    )
    const events = headings.filter((name) => name !== 'Objects')
    expect(events.sort()).toEqual([...eventNames].sort())
    expect(times(textOf('reference/events.md'), '\n```json\n')).toBe(eventNames.length)
  })

  test('shows every setting once, and no other', () => {
    const table = textOf('reference/settings.md').split('## Objects')[0] ?? ''
    const names = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = '']) => name)
    expect(names.sort()).toEqual([...settingKeys].sort())
  })

  test('shows every variable once, and no other', () => {
    const names = firstCells('reference/variables.md')
    expect(new Set(names).size).toBe(names.length)
    const read = readVariableNames()
    expect([...read].filter((name) => !names.includes(name))).toEqual([])
    expect(names.filter((name) => /^(?:SVC|DATABASE|AMQP)_/.test(name) && !read.has(name))).toEqual(
      [],
    )
  })

  test('shows every error code once, and no other', () => {
    const rows = [...textOf('reference/errors.md').matchAll(/^\| \d+ \| `(\w+)` \|/gm)]
    expect(rows.map(([, code = '']) => code).sort()).toEqual([...errorCodes].sort())
  })

  test('shows every metric once, and no other', () => {
    const names = firstCells('reference/metrics.md')
    expect(new Set(names).size).toBe(names.length)
    expect(names).toEqual(readMetrics().map(({ name }) => name))
  })

  test('has no page above 80 kB, and a head and a title on each', () => {
    for (const [path, text] of pages) {
      expect([path, text.length < 80_000]).toEqual([path, true])
      expect(text).toMatch(/^---\ntitle: ".+"\ndescription: ".+\."\norder: \d+\n---\n\n\S/)
    }
  })

  test('has no link to a missing page or section', () => {
    const guides = globSync('libs/docs/guides/*.md', { cwd: projectRoot })
    const paths = new Set([
      ...pages.keys(),
      ...guides.map((path) => path.slice('libs/docs/'.length)),
    ])
    const dead = [...pages].flatMap(([path, text]) =>
      [...text.matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, link = '']) => link.split('#'))
        .filter(([file = '', anchor]) => {
          const target = file === '' ? path : posix.join(dirname(path), file)
          return !paths.has(target) || (anchor !== undefined && !hasAnchor(textOf(target), anchor))
        })
        .map((link) => `${path} → ${link.join('#')}`),
    )
    expect(dead).toEqual([])
  })

  // The documentation page of API changes also names removed things, so it is not checked.
  const current = [...pages.keys()].filter((path) => path !== 'reference/api-changes.md')

  test.each(current)('%s names nothing that does not exist', (path) => {
    expect(findUnknownNames(textOf(path), existing)).toEqual([])
  })
})

function hasAnchor(text: string, anchor: string): boolean {
  return [...text.matchAll(/^#{2,4} (.+)$/gm)].some(
    ([, heading = '']) => anchorOf(heading) === anchor,
  )
}

test('readMetrics: finds every registration in the code', () => {
  const registrations = readSources()
    .filter(({ path }) => !/^libs\/(?:docs|testkit|tooling)\//.test(path))
    .flatMap(({ text }) => [...text.matchAll(/\bhelp: '|\bgauge\('\w+', '/g)])
  expect(readMetrics()).toHaveLength(registrations.length)
  expect(readMetrics().filter(({ services }) => services.length === 0)).toEqual([])
})

test('readMetrics: finds every metric for which operators have alerts or instructions', () => {
  const names = [...readProjectFile('deploy/runbook.md').matchAll(/`(posthorn_\w+)[`{]/g)]
  const registered = new Set(readMetrics().map(({ name }) => name))
  const roles = /_(?:gateway|bridge|proxy|sender|worker|dispatcher|ui)$/
  const unknown = names
    .map(([, name = '']) => name.replace(/_(?:count|sum|bucket)$/, ''))
    .filter((name) => !registered.has(name) && !roles.test(name))
  expect(unknown).toEqual([])
})

test('findUnknownNames: reports names of each kind with their lines', () => {
  const text = [
    'Call `GET /v1/account/{account}` and `POST /v1/nothing`.',
    'Set `SVC_TIMEOUT`, `SVC_SECRET_FILE`, `SVC_NOTHING`.',
    '`messageNew`, `messageRead`, `MessageNotFound`, `LetterNotFound`, `messageId`.',
    '`posthorn_bus_up`, `posthorn_bus_request_seconds_count`, `posthorn_bus_down`',
    '```sh',
    'export SVC_OTHER=1 # GET /v1/nothing',
    '```',
  ].join('\n')
  expect(findUnknownNames(text, existing)).toEqual([
    { line: 1, kind: 'operation', name: 'POST /v1/nothing' },
    { line: 2, kind: 'variable', name: 'SVC_NOTHING' },
    { line: 3, kind: 'event or error code', name: 'messageRead' },
    { line: 3, kind: 'event or error code', name: 'LetterNotFound' },
    { line: 4, kind: 'metric', name: 'posthorn_bus_down' },
    { line: 6, kind: 'variable', name: 'SVC_OTHER' },
  ])
})
