import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { release } from '@posthorn/config/release'
import { checkout } from '@posthorn/local/paths'
import { podTemplates } from '../build.ts'
import { buildTarget } from '../kustomize.ts'
import { findOptionalKustomize } from '../optional-kustomize.ts'
import { copyReleaseManifests } from './copy-manifests.ts'

const folder = mkdtempSync(join(tmpdir(), 'release-manifests-'))
afterAll(() => rmSync(folder, { recursive: true }))
const image = { repository: 'ghcr.io/owner/posthorn', digest: `sha256:${'b'.repeat(64)}` }

const kustomize = await findOptionalKustomize()
const testWithKustomize = kustomize === undefined ? test.skip : test

testWithKustomize(
  'overlays of a release: name the image by tag and digest, and the Jobs by tag',
  async () => {
    const target = join(folder, 'k8s')
    copyReleaseManifests(join(checkout, 'k8s'), target, image)
    const overlay = { name: 'large', resources: [join(target, 'overlays/large')], components: [] }
    const build = await buildTarget(kustomize ?? '', overlay, join(folder, 'work'))
    const images = podTemplates(build)
      .filter(({ labels }) => labels['app.kubernetes.io/part-of'] === 'posthorn')
      .flatMap(({ spec }) => spec.containers.map((container) => container.image))
    expect(images.length).toBeGreaterThan(7)
    expect(new Set(images)).toEqual(
      new Set([`${image.repository}:${release.version}@${image.digest}`]),
    )
    const jobs = build.manifests.filter(({ kind }) => kind === 'Job').map(({ name }) => name)
    expect(jobs).toEqual([`migrate-${release.version}`])
  },
)

test('an overlay with another image: is an error', () => {
  const changed = join(folder, 'changed')
  cpSync(join(checkout, 'k8s'), changed, { recursive: true })
  const file = join(changed, 'overlays/dev/kustomization.yaml')
  writeFileSync(file, readFileSync(file, 'utf8').replace('registry.example.com', 'other.example'))
  expect(() => copyReleaseManifests(changed, join(folder, 'none'), image)).toThrow(
    "k8s/overlays/dev/kustomization.yaml does not name the example's registry",
  )
})
