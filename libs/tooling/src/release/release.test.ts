import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { addVersion, sectionOf } from './changelog.ts'
import { checkBeforeRelease, checkReleased } from './check.ts'
import { provenance } from './provenance.ts'
import { Repository } from './repository.ts'
import { compareVersions, isPrerelease, isVersion } from './version.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'posthorn-release-'))
  git('init', '--quiet')
  git('config', 'user.email', 'test@posthorn.example')
  git('config', 'user.name', 'Test')
})
afterEach(() => rmSync(folder, { recursive: true }))

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim()

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  writeFileSync(join(folder, file), text)
}

/** Commits all changes of the test's Git clone. Returns the hash of the commit. */
function commit(): string {
  git('add', '--all')
  git('commit', '--quiet', '--allow-empty', '--message', 'change')
  return git('rev-parse', 'HEAD')
}

function writeVersion(version: string): void {
  write('package.json', `{\n  "name": "posthorn",\n  "version": "${version}",\n}\n`)
  write('k8s/base/kustomization.yaml', `images:\n  - name: posthorn\n    newTag: ${version}\n`)
  write('libs/contracts/openapi.json', `{\n  "info": {\n    "version": "${version}",\n  }\n}\n`)
}

const writeChangelog = (text: string) => write('deploy/CHANGELOG.md', `# Changelog\n\n${text}`)
const writePrevious = (hash: string) =>
  write('test-e2e/faults/previous-release.ts', `export const previousRelease = '${hash}'\n`)

/** Creates a Git clone with two commits, from which a release can be made. */
function createClone(): Repository {
  writeVersion('0.9.0')
  writeChangelog('## Unreleased\n\nA change.\n\n## 0.9.0 (2026-01-01)\n\nFirst.\n')
  write('deploy/Dockerfile', `FROM debian:13@sha256:${'0'.repeat(64)}\n`)
  writePrevious(commit())
  commit()
  return new Repository(folder)
}

/** Creates a Git clone in the state after its release. */
function createReleased(): Repository {
  const repository = createClone()
  writeVersion('1.0.0-rc.1')
  writeChangelog(addVersion(repository.read('deploy/CHANGELOG.md'), '1.0.0-rc.1', '2026-02-01'))
  commit()
  git('tag', 'v1.0.0-rc.1')
  return repository
}

describe('checkBeforeRelease', () => {
  test('of a clone that can be released, finds no fault', async () => {
    expect(await checkBeforeRelease(createClone(), '1.0.0-rc.1')).toEqual([])
  })

  test.each(['', 'v1.0.0', '1.0', '1.0.0-', '01.0.0', '1.0.0+build', '1.0.0-RC1'])(
    'version %j: is none',
    async (version) => {
      expect(await checkBeforeRelease(createClone(), version)).toEqual([
        `"${version}" is not a semantic version such as 1.0.0-rc.1`,
      ])
    },
  )

  test.each(['0.9.0', '0.9.0-rc.2', '0.8.9'])(
    'version %s: does not follow 0.9.0',
    async (version) => {
      expect(await checkBeforeRelease(createClone(), version)).toEqual([
        `${version} does not follow 0.9.0 of the changelog`,
      ])
    },
  )

  test('changes, a changelog without text and an image without digest: are faults', async () => {
    const repository = createClone()
    writeChangelog('## Unreleased\n\n## 0.9.0 (2026-01-01)\n\nFirst.\n')
    write('deploy/Dockerfile', 'FROM debian:13\n')
    expect(await checkBeforeRelease(repository, '1.0.0')).toEqual([
      'deploy/CHANGELOG.md: the section Unreleased is empty',
      expect.stringMatching(/^the working tree has changes: .*\n M deploy\/CHANGELOG.md\n/),
      'deploy/Dockerfile: debian:13 has no digest: run `make base-images`',
    ])
  })

  test('previousRelease that is no earlier commit of this clone: is a fault', async () => {
    const repository = createClone()
    for (const hash of ['0'.repeat(40), git('rev-parse', '--short', 'HEAD^'), 'v1']) {
      writePrevious(hash)
      commit()
      expect(await checkBeforeRelease(repository, '1.0.0')).toEqual([
        expect.stringContaining(`previousRelease: ${hash} is not a full hash of an earlier commit`),
      ])
    }
  })

  test('previousRelease that is not the last tagged release: is a fault', async () => {
    const repository = createReleased()
    const released = git('rev-parse', 'HEAD')
    writeChangelog('## Unreleased\n\nB.\n\n## 1.0.0-rc.1 (2026-02-01)\n\nA.\n')
    commit()
    expect(await checkBeforeRelease(repository, '1.0.0')).toEqual([
      expect.stringMatching(`is not the commit of v1.0.0-rc.1, ${released}$`),
    ])
    writePrevious(released)
    commit()
    expect(await checkBeforeRelease(repository, '1.0.0')).toEqual([])
  })
})

describe('checkReleased', () => {
  test('of a tagged commit, finds no fault', async () => {
    expect(await checkReleased(createReleased(), '1.0.0-rc.1')).toEqual([])
  })

  test('another tag, version or section: are faults', async () => {
    const repository = createReleased()
    writeVersion('1.0.0-rc.2')
    writeChangelog('## Unreleased\n\nMore.\n\n## 1.0.0-rc.1 (2026-02-01)\n\nA.\n')
    commit()
    writePrevious(git('rev-parse', 'v1.0.0-rc.1'))
    commit()
    expect(await checkReleased(repository, '1.0.0-rc.3')).toEqual([
      'the commit has no tag v1.0.0-rc.3',
      'package.json: the version is 1.0.0-rc.2, not 1.0.0-rc.3',
      'k8s/base/kustomization.yaml: the version is 1.0.0-rc.2, not 1.0.0-rc.3',
      'libs/contracts/openapi.json: the version is 1.0.0-rc.2, not 1.0.0-rc.3',
      'deploy/CHANGELOG.md: version 1.0.0-rc.3 has no section with text',
      'deploy/CHANGELOG.md: the section Unreleased has text that is part of no release',
    ])
  })
})

test('withVersion: changes the version only', () => {
  const repository = createClone()
  const texts = repository.withVersion('1.0.0')
  for (const [file, text] of texts)
    expect(text).toBe(repository.read(file).replace('0.9.0', '1.0.0'))
  expect(texts.size).toBe(3)
})

test('changelog: the text of Unreleased becomes that of the version', () => {
  const changelog = addVersion(
    '# C\n\n## Unreleased\n\nA.\n\n### B\n\n## 0.9.0 (x)\n',
    '1.0.0',
    'd',
  )
  expect(sectionOf(changelog, 'Unreleased')).toBe('')
  expect(sectionOf(changelog, '1.0.0')).toBe('A.\n\n### B')
  expect(sectionOf(changelog, '1.0')).toBeUndefined()
})

test('versions: order of semver.org, pre-releases first', () => {
  const ordered = ['1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-rc.2', '1.0.0-rc.10', '1.0.0', '1.0.1']
  expect(ordered.toReversed().toSorted(compareVersions)).toEqual(ordered)
  expect(compareVersions('1.2.0', '1.10.0')).toBeLessThan(0)
  expect(ordered.every(isVersion)).toBe(true)
  expect(ordered.filter(isPrerelease)).toHaveLength(4)
})

test('provenance: names workflow, commit and run, and needs them', () => {
  const env = {
    GITHUB_EVENT_NAME: 'push',
    GITHUB_REF: 'refs/tags/v1.0.0',
    GITHUB_REPOSITORY: 'owner/posthorn',
    GITHUB_REPOSITORY_ID: '1',
    GITHUB_REPOSITORY_OWNER_ID: '2',
    GITHUB_RUN_ATTEMPT: '1',
    GITHUB_RUN_ID: '3',
    GITHUB_SERVER_URL: 'https://forge.example',
    GITHUB_SHA: 'c'.repeat(40),
    GITHUB_WORKFLOW_REF: 'owner/posthorn/.github/workflows/release.yaml@refs/tags/v1.0.0',
    RUNNER_ENVIRONMENT: 'github-hosted',
  }
  expect(provenance(env)).toMatchObject({
    buildDefinition: {
      externalParameters: {
        workflow: {
          repository: 'https://forge.example/owner/posthorn',
          path: '.github/workflows/release.yaml',
        },
      },
      resolvedDependencies: [{ digest: { gitCommit: env.GITHUB_SHA } }],
    },
    runDetails: {
      metadata: {
        invocationId: 'https://forge.example/owner/posthorn/actions/runs/3/attempts/1',
      },
    },
  })
  expect(() => provenance({ ...env, GITHUB_SHA: '' })).toThrow('GITHUB_SHA is not set')
})
