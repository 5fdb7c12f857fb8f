import { dirname } from 'node:path'
import { expect, test } from '@jest/globals'
import { largeFolders, maxFolderFiles } from './large-folders.ts'
import { layersOf } from './layer-list.ts'
import { foldersWithoutLayers, layerViolations } from './layers.ts'
import { readSources } from './workspace.ts'

const sources = readSources([
  'libs/*/src/**/*.ts',
  'services/*/src/**/*.ts',
  'services/*/web/src/**/*.{ts,tsx}',
]).filter(({ path }) => !path.endsWith('.test.ts'))

test('sources: import from their own folder and from lower layers', () => {
  expect(sources.length).toBeGreaterThan(1_000)
  expect(layerViolations(sources)).toEqual([])
})

test('folders: each has a layer, and each layer has folders', () => {
  expect(foldersWithoutLayers(sources)).toEqual([])
  const paths = sources.map(({ path }) => path)
  for (const [folder, layers] of Object.entries(layersOf)) {
    const children = paths
      .filter((path) => path.startsWith(`${folder}/`))
      .map((path) => path.slice(folder.length + 1).split('/'))
      .flatMap(([child = '', ...rest]) => (rest.length > 0 ? [child] : []))
    const listed = layers.flat().filter((name) => name !== 'migrations')
    expect([folder, [...new Set(children)].toSorted()]).toEqual([folder, listed.toSorted()])
  }
})

test('folders: at most 15 source files, or a reason for more', () => {
  const counts = new Map<string, number>()
  for (const { path } of sources) {
    const folder = dirname(path)
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  const large = [...counts].flatMap(([folder, count]) => (count > maxFolderFiles ? [folder] : []))
  expect(large.toSorted()).toEqual(Object.keys(largeFolders).toSorted())
})

test('sources: no variables at the top level of a module', () => {
  // All test files of a Jest worker share the modules of the sources. The module that starts a test
  // file has variables, and a module of the administration pages, which runs in browsers.
  const stateful = sources.filter(({ text }) => /^(?:export )?(?:let|var) /m.test(text))
  expect(stateful.map(({ path }) => path).toSorted()).toEqual([
    'libs/tooling/src/jest/module-hooks.ts',
    'services/admin-ui/web/src/kit/content/time.tsx',
  ])
})

test.each([
  ['store/a.ts', "'../access/b.ts'", 1],
  ['access/b.ts', "'../store/a.ts'", 0],
  ['access/b.ts', "'../autoconfig/c.ts'", 1],
  ['access/b.ts', "'../app.ts'", 1],
  ['access/b.ts', "'../config.ts'", 0],
  ['app.ts', "'./operations/d.ts'", 0],
])('layers: import in %s of %s', (path, name, expected) => {
  const file = (at: string, imports: string[]) => ({
    path: `services/api-gateway/src/${at}`,
    text: '',
    imports,
  })
  const app = file('app.ts', ['./operations/d.ts', './config.ts'])
  const importing = file(path, [name.slice(1, -1)])
  expect(layerViolations([importing, ...(path === 'app.ts' ? [] : [app])])).toHaveLength(expected)
})
