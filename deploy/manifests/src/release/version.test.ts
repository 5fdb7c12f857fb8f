import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { release } from '@posthorn/config/release'
import { checkout } from '@posthorn/local/paths'
import { productAgent } from '@posthorn/net/product'

const read = (file: string) => readFileSync(join(checkout, file), 'utf8')
const { version } = JSON.parse(read('package.json')) as { version: string }

test('version: that of the root package.json, which is the only one', () => {
  expect(release.version).toBe(version)
  const packages = globSync(['{libs,services,deploy}/*/package.json', 'test-e2e/package.json'], {
    cwd: checkout,
  })
  expect(packages.length).toBeGreaterThan(30)
  const own = packages.filter((file) => 'version' in (JSON.parse(read(file)) as object))
  expect(own).toEqual([])
})

test('version: of User-Agent, OpenAPI document, manifests and command line', () => {
  const { info } = JSON.parse(read('libs/contracts/openapi.json')) as { info: { version: string } }
  const [, tag] = /^ {4}newTag: (\S+)$/m.exec(read('k8s/base/kustomization.yaml')) ?? []
  const printed = execFileSync(process.execPath, [
    join(checkout, 'deploy/image/src/posthorn.ts'),
    '--version',
  ])
  expect(info.version).toBe(version)
  expect(tag).toBe(version)
  expect(productAgent).toContain(`/${version} `)
  expect(String(printed)).toBe(`posthorn ${version} (unknown)\n`)
})

test('version: of the labels of an image that `make image` builds', () => {
  const output = execFileSync('make', ['--dry-run', 'image'], { cwd: checkout, encoding: 'utf8' })
  const [, command = ''] = /--build-arg VERSION="\$\(([^)]*\)[^)]*)\)"/.exec(output) ?? []
  const shell = execFileSync('sh', ['-c', command], { cwd: checkout, encoding: 'utf8' })
  expect(shell.trim()).toBe(version)
  const dockerfile = read('deploy/Dockerfile')
  expect(dockerfile).toContain('org.opencontainers.image.version="${VERSION}"')
  expect(dockerfile).toMatch(/^ARG REVISION=unknown$(?:.|\n)*REVISION="\$REVISION" node /m)
})
