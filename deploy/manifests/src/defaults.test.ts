import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from '@jest/globals'
import { checkout } from '@posthorn/local/paths'
import { type Build, manifestsOf, podTemplates, valueAt } from './build.ts'
import { readDeclaredSecrets } from './declared-secrets.ts'
import { buildTarget, toManifest } from './kustomize.ts'
import { findOptionalKustomize } from './optional-kustomize.ts'
import { readProcesses } from './processes.ts'
import { ownContainers } from './rules/containers.ts'
import { secretsOf } from './rules/stored-data.ts'
import { parseYaml } from './yaml.ts'

// Defaults of the shipped overlays. An operator may change them, so they are no rules.

const work = mkdtempSync(join(tmpdir(), 'defaults-'))
afterAll(() => rmSync(work, { recursive: true }))
const processes = readProcesses()

const kustomize = await findOptionalKustomize()

const builds = new Map<string, Promise<Build>>()

/** Builds an overlay, or the base with a component, once. */
function build(kind: 'overlays' | 'components', name: string): Promise<Build> {
  const cached = builds.get(name) ?? buildOnce(kind, name)
  builds.set(name, cached)
  return cached
}

async function buildOnce(kind: 'overlays' | 'components', name: string): Promise<Build> {
  const folder = join(checkout, 'k8s')
  const path = join(folder, kind, name)
  const [resources, components] =
    kind === 'overlays' ? [[path], []] : [[join(folder, 'base')], [path]]
  return buildTarget(kustomize ?? '', { name, resources, components }, join(work, name))
}

/**
 * Values of an environment variable by process. Undefined for a process that reads the variable but
 * for which the variable is not set.
 */
function valuesOf(build: Build, variable: string): Record<string, string | undefined> {
  return Object.fromEntries(
    ownContainers(build, processes)
      .filter(({ process }) => process?.variables.has(variable))
      .map(({ name, variables }) => [
        name,
        variables.findLast((each) => each.name === variable)?.value,
      ]),
  )
}

const describeWithKustomize = kustomize === undefined ? describe.skip : describe
describeWithKustomize.each(['dev', 'production', 'large'])('overlay %s', (name) => {
  test('targets of tenants: no private address', async () => {
    const built = await build('overlays', name)
    expect(valuesOf(built, 'SVC_MAIL_EGRESS_POLICY')).toEqual({
      'api-gateway': 'private',
      'imap-proxy': 'private',
      sender: 'private',
      'sync-worker': 'private',
    })
    expect(valuesOf(built, 'SVC_WEBHOOK_EGRESS_POLICY')).toEqual({
      'webhook-dispatcher': 'private',
    })
    // SVC_AUTOCONFIG_EGRESS_POLICY is unset, so that SVC_MAIL_EGRESS_POLICY applies.
    expect(valuesOf(built, 'SVC_AUTOCONFIG_EGRESS_POLICY')).toEqual({ 'api-gateway': undefined })
  })

  test('proxies: none is trusted, because their addresses depend on the cluster', async () => {
    const values = valuesOf(await build('overlays', name), 'SVC_TRUSTED_PROXIES')
    expect(values).toEqual({ 'api-gateway': undefined })
  })

  test('drain delay: 30 s for the load balancers of the mail proxies', async () => {
    const values = valuesOf(await build('overlays', name), 'SVC_DRAIN_DELAY')
    expect(values).toMatchObject({ 'imap-proxy': '30s', 'smtp-proxy': '30s', sender: '5s' })
  })

  test('migrate: is a hook of Argo CD and of Helm before all Deployments', async () => {
    const built = await build('overlays', name)
    const annotationsOf = (kind: string, prefix: string) =>
      manifestsOf(built, kind)
        .filter((each) => each.name.startsWith(prefix))
        .map(({ content }) => valueAt(content, ['metadata', 'annotations']) ?? {})
    const [migrate = {}] = annotationsOf('Job', 'migrate-') as Record<string, string>[]
    expect(migrate).toMatchObject({
      'argocd.argoproj.io/hook': 'Sync',
      'helm.sh/hook': 'pre-install,pre-upgrade',
    })
    const deployments = annotationsOf('Deployment', '') as Record<string, string>[]
    expect(deployments).toHaveLength(name === 'dev' ? 7 : 8)
    for (const annotations of deployments) {
      const wave = Number(annotations['argocd.argoproj.io/sync-wave'] ?? 0)
      expect(wave).toBeGreaterThan(Number(migrate['argocd.argoproj.io/sync-wave']))
      expect(annotations['helm.sh/hook']).toBeUndefined()
    }
  })
})

describeWithKustomize('components', () => {
  test('image-pull-secret: all pods have the login of the registry', async () => {
    const specs = podTemplates(await build('components', 'image-pull-secret'))
    expect(specs).toHaveLength(9)
    for (const { spec } of specs)
      expect(spec.imagePullSecrets).toEqual([{ name: 'posthorn-registry' }])
  })

  test('postgres-cloudnativepg: migrate verifies the certificate of Postgres', async () => {
    const built = await build('components', 'postgres-cloudnativepg')
    const migrate = ownContainers(built, processes).find(({ name }) => name === 'migrate')
    const env = Object.fromEntries(migrate?.variables.map(({ name, value }) => [name, value]) ?? [])
    expect(env).toMatchObject({
      PGSSLMODE: 'verify-full',
      NODE_EXTRA_CA_CERTS: '/etc/posthorn/postgres-ca/ca.crt',
    })
  })
})

test('posthorn keys: prints the Secrets that the manifests mount', () => {
  const main = join(checkout, 'services/auth-bridge/src/keys-main.ts')
  const printed = execFileSync(process.execPath, [main, '--namespace', 'posthorn'], { env: {} })
  const manifests = parseYaml(String(printed)).map(({ content }) => toManifest(content, work))
  const names = ['posthorn-sealing-private', 'posthorn-sealing']
  const declared = readDeclaredSecrets(join(checkout, 'k8s'))
  expect(secretsOf({ name: 'keys', manifests })).toEqual(
    new Map(names.map((name) => [name, declared.get(name)])),
  )
  for (const { content } of manifests)
    expect(valueAt(content, ['metadata', 'namespace'])).toBe('posthorn')
})
