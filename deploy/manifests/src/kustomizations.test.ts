import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { toManifest } from './kustomize.ts'
import { checkKustomizations } from './kustomizations.ts'

const folder = mkdtempSync(join(tmpdir(), 'kustomizations-'))
afterAll(() => rmSync(folder, { recursive: true }))

const sender = toManifest({ kind: 'Deployment', metadata: { name: 'sender' } }, folder)
const builds = [{ name: 'base', manifests: [sender] }]

test('checkKustomizations: finds missing paths and patches of missing objects', () => {
  mkdirSync(join(folder, 'base'))
  writeFileSync(join(folder, 'base/sender.env'), '')
  writeFileSync(
    join(folder, 'kustomization.yaml'),
    `resources: [base]
components:
  - ../components/ingres
configMapGenerator:
  - name: sender
    envs: [base/sender.env]
    files: [SVC_SETTINGS=base/setting.json]
patches:
  - target: { kind: Deployment, name: sender|api-gateway }
  - target: { kind: Deployment, name: send }
`,
  )
  expect(checkKustomizations(folder, builds, folder)).toEqual([
    'kustomization.yaml:3: ../components/ingres does not exist',
    'kustomization.yaml:7: base/setting.json does not exist',
    'kustomization.yaml:10: the patch is for Deployment send, which does not exist',
  ])
})
