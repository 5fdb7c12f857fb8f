import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { coreServices } from '@posthorn/local/role-passwords'
import { checkout } from '@posthorn/local/paths'
import { readLimits } from './limits.ts'

const folder = mkdtempSync(join(tmpdir(), 'limits-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('readLimits: reads memory and NODE_OPTIONS by process', () => {
  const container = `
        - name: posthorn
          args: [sender]
          env:
            - { name: NODE_OPTIONS, value: --max-old-space-size=200 }
            - { name: DATABASE_URL, valueFrom: { secretKeyRef: { name: a, key: b } } }
          resources: { limits: { memory: 1.5Gi } }
        - name: sidecar`
  const spec = (kind: string, containers: string) =>
    `kind: ${kind}\nspec:\n  template:\n    spec:\n      containers:${containers}\n`
  writeFileSync(join(folder, 'a.yaml'), `kind: Service\n---\n${spec('Deployment', container)}---\n`)
  expect(Object.fromEntries(readLimits(folder))).toEqual({
    sender: { memoryBytes: 1.5 * 1024 ** 3, nodeOptions: '--max-old-space-size=200' },
    sidecar: {},
  })
})

test('readLimits: rejects a quantity that is none', () => {
  const container = '{ name: sender, resources: { limits: { memory: many } } }'
  writeFileSync(
    join(folder, 'a.yaml'),
    `spec: { template: { spec: { containers: [${container}] } } }`,
  )
  expect(() => readLimits(folder)).toThrow('many is no quantity of memory')
})

test('manifests: give every service a memory limit', () => {
  const limits = readLimits(join(checkout, 'k8s/base'))
  for (const name of coreServices)
    expect([name, limits.get(name)?.memoryBytes]).toEqual([name, expect.any(Number)])
})
