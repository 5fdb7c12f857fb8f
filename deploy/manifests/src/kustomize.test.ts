import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from '@jest/globals'
import { findKustomize, listTargets, NoKustomize, toManifest } from './kustomize.ts'
import { Locator } from './locate.ts'

const folder = mkdtempSync(join(tmpdir(), 'kustomize-'))
afterAll(() => rmSync(folder, { recursive: true }))

function write(path: string, text: string): void {
  mkdirSync(join(folder, path, '..'), { recursive: true })
  writeFileSync(join(folder, path), text)
}

test('findKustomize: without apt-get and kustomize, throws NoKustomize', async () => {
  const result = findKustomize({ cache: folder, path: folder })
  await expect(result).rejects.toThrow(NoKustomize)
})

test('listTargets: lists base and overlays, and adds each component to the base', () => {
  for (const name of ['base', 'overlays/dev', 'components/ingress'])
    write(`${name}/kustomization.yaml`, '')
  const base = join(folder, 'base')
  expect(listTargets(folder)).toEqual([
    { name: 'base', resources: [base], components: [] },
    { name: 'overlays/dev', resources: [join(folder, 'overlays/dev')], components: [] },
    {
      name: 'components/ingress',
      resources: [base],
      components: [join(folder, 'components/ingress')],
    },
  ])
})

describe('Locator', () => {
  const generated = toManifest(
    {
      kind: 'ConfigMap',
      metadata: {
        name: 'sender-6c8h2959gd',
        annotations: {
          'config.kubernetes.io/origin': 'configuredIn: ../base/kustomization.yaml\n',
        },
      },
      data: { SVC_SENDER_LEASE: '1m' },
    },
    join(folder, 'work'),
  )

  test('of a generated ConfigMap, returns the line in the file of the generator', () => {
    const generator = 'configMapGenerator: [{ name: sender, envs: [config/sender.env] }]\n'
    write('base/kustomization.yaml', generator)
    write('base/config/bridge.env', 'SVC_SENDER_LEASE=1m\n')
    write('base/config/sender.env', '# Sender\nSVC_SENDER_LEASE_X=1\nSVC_SENDER_LEASE=1m\n')
    const problem = {
      manifest: generated,
      path: ['data', 'SVC_SENDER_LEASE'],
      text: '',
      token: 'SVC_SENDER_LEASE',
    }
    expect(new Locator(folder).locate(problem, [])).toBe('base/config/sender.env:3')
  })

  test('of a value that an overlay sets, returns the line of the patch', () => {
    write(
      'base/sender.yaml',
      'kind: Deployment\nmetadata: { name: sender }\nspec:\n  replicas: 2\n',
    )
    write('overlays/dev/patch.yaml', '# Patch\nspec:\n  replicas: 1\n')
    const manifest = {
      ...generated,
      kind: 'Deployment',
      name: 'sender',
      content: { spec: { replicas: 1 } },
      origin: { file: join(folder, 'base/sender.yaml'), isGenerated: false },
    }
    const problem = { manifest, path: ['spec', 'replicas'], text: '', token: 'replicas' }
    const locator = new Locator(folder)
    expect(locator.locate(problem, [join(folder, 'overlays/dev')])).toBe(
      'overlays/dev/patch.yaml:3',
    )
    expect(locator.locate(problem, [])).toBe('base/sender.yaml:4')
  })
})

test('processes: are those of the image', () => {
  const keysOf = (path: string) => {
    const text = readFileSync(join(import.meta.dirname, path), 'utf8')
    const [, table = ''] =
      /^const \w+: .* = \{\n(.*?)^\}$/ms.exec(text.split('examples: Env')[1] ?? text) ?? []
    return [...table.matchAll(/^ {2}'?([a-z-]+)'?: /gm)].map(([, name]) => name)
  }
  expect(keysOf('processes.ts')).toEqual(keysOf('../../image/src/posthorn.ts'))
  expect(keysOf('processes.ts')).toContain('sender')
})
