import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { checkout } from '@posthorn/local/paths'
import { type Build, manifestsOf, podTemplates, valueAt } from './build.ts'
import { buildTarget } from './kustomize.ts'
import { findOptionalKustomize } from './optional-kustomize.ts'

// Two releases are applied one after the other.

const folder = mkdtempSync(join(tmpdir(), 'releases-'))
afterAll(() => rmSync(folder, { recursive: true }))

const kustomize = await findOptionalKustomize()
const testWithKustomize = kustomize === undefined ? test.skip : test

/** Builds an overlay with another tag in the base, as the upgrade does. */
async function buildRelease(release: string, overlay = 'production'): Promise<Build> {
  const copy = join(folder, release)
  cpSync(join(checkout, 'k8s'), copy, { recursive: true })
  const file = join(copy, 'base/kustomization.yaml')
  writeFileSync(file, readFileSync(file, 'utf8').replace(/newTag: .*/, `newTag: ${release}`))
  const target = { name: release, resources: [join(copy, 'overlays', overlay)], components: [] }
  return buildTarget(kustomize ?? '', target, join(folder, 'work'))
}

const selectorsOf = (build: Build) =>
  new Map(
    manifestsOf(build, 'Deployment').map(({ name, content }) => [
      name,
      valueAt(content, ['spec', 'selector']),
    ]),
  )

testWithKustomize('next release: new Jobs, all other immutable fields unchanged', async () => {
  const first = await buildRelease('1.2.3')
  const second = await buildRelease('1.2.4')
  const jobsOf = (build: Build) => manifestsOf(build, 'Job').map(({ name }) => name)
  expect(jobsOf(first).toSorted()).toEqual(['broker-users-1.2.3', 'migrate-1.2.3'])
  expect(jobsOf(second).toSorted()).toEqual(['broker-users-1.2.4', 'migrate-1.2.4'])
  expect(selectorsOf(second)).toEqual(selectorsOf(first))
  const images = podTemplates(second).flatMap(({ spec }) => spec.containers)
  expect(images.length).toBeGreaterThan(8)
  for (const { image } of images) expect(image).toBe('registry.example.com/posthorn:1.2.4')
})

testWithKustomize(
  'autoscaled Deployments: no number of replicas, which applying would reset',
  async () => {
    const build = await buildRelease('1.2.5', 'large')
    const scaled = manifestsOf(build, 'HorizontalPodAutoscaler', 'ScaledObject').map(
      ({ content }) => valueAt(content, ['spec', 'scaleTargetRef', 'name']),
    )
    expect(scaled).toHaveLength(5)
    const fixed = manifestsOf(build, 'Deployment')
      .filter(({ content }) => valueAt(content, ['spec', 'replicas']) !== undefined)
      .map(({ name }) => name)
    expect(fixed.toSorted()).toEqual(['admin-ui', 'auth-bridge', 'smtp-proxy'])
  },
)
