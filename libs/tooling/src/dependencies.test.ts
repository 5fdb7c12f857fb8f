import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { auditDependencies, billOfMaterials, writeBillOfMaterials } from './dependencies.ts'

const lockfile = `lockfileVersion: '9.0'
importers:
  .:
    dependencies:
      left-pad: { specifier: 1.0.0, version: 1.0.0 }
packages:
  left-pad@1.0.0:
    resolution: { integrity: sha512-${'0'.repeat(85)}A== }
snapshots:
  left-pad@1.0.0: {}
`

let cwd = ''
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'posthorn-dependencies-'))
  const manifest = { name: 'audited', version: '1.0.0', dependencies: { 'left-pad': '1.0.0' } }
  await writeFile(join(cwd, 'package.json'), JSON.stringify(manifest))
  await writeFile(join(cwd, 'pnpm-lock.yaml'), lockfile)
})
afterAll(() => rm(cwd, { recursive: true, force: true }))

/** Starts a fake npm registry whose advisory database gives this reply. */
async function startRegistry(status: number, advisories: object) {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(advisories))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const advisory = (severity: string) => ({
  'left-pad': [
    { id: 1, url: 'https://advisories.example/1', title: 'x', severity, vulnerable_versions: '<2' },
  ],
})

test.each([
  { title: 'advisory of high severity, fails', advisories: advisory('high'), passes: false },
  { title: 'advisory of low severity, passes', advisories: advisory('low'), passes: true },
  { title: 'no advisory, passes', advisories: {}, passes: true },
  { title: 'registry without advisories, fails', status: 405, advisories: {}, passes: false },
])('auditDependencies: $title', async ({ status = 200, advisories, passes }) => {
  await using registry = await startRegistry(status, advisories)
  const options = { cwd, registry: registry.url, acceptsUnreadable: false }
  expect(await auditDependencies(options)).toBe(passes)
})

test('auditDependencies: an unreachable registry passes only if that is accepted', async () => {
  const registry = await startRegistry(200, {})
  await registry[Symbol.asyncDispose]()
  const options = { cwd, registry: registry.url }
  const lines: string[] = []
  const report = (line: string) => void lines.push(line)
  expect(await auditDependencies({ ...options, report, acceptsUnreadable: false })).toBe(false)
  expect(lines.join()).toContain('accept that with POSTHORN_AUDIT=optional')
  expect(await auditDependencies({ ...options, report, acceptsUnreadable: true })).toBe(true)
  expect(lines).toHaveLength(1)
})

test('auditDependencies: an advisory fails also if unreadable advisories are accepted', async () => {
  await using registry = await startRegistry(200, advisory('high'))
  const lines: string[] = []
  const report = (line: string) => void lines.push(line)
  const options = { cwd, registry: registry.url, acceptsUnreadable: true, report }
  expect(await auditDependencies(options)).toBe(false)
  expect(lines).toEqual([expect.stringContaining('update its package')])
  expect(lines.join()).not.toContain('POSTHORN_AUDIT')
})

test('writeBillOfMaterials: lists the packages of the lockfile', async () => {
  expect(await writeBillOfMaterials(cwd)).toBe(true)
  const { bomFormat, components } = JSON.parse(
    await readFile(join(cwd, billOfMaterials), 'utf8'),
  ) as { bomFormat: string; components: { purl: string }[] }
  expect(bomFormat).toBe('CycloneDX')
  expect(components.map(({ purl }) => purl)).toEqual(['pkg:npm/left-pad@1.0.0'])
})
