import type { Build } from '../build.ts'
import { pairName } from '../kustomize.ts'
import { bindValues, type SecretNames } from './bind-values.ts'
import { boundName, switches } from './bindings.ts'
import { componentsOf, findBuild, isOn } from './component-names.ts'
import { checksum, configurationNode, dataOf } from './configuration.ts'
import { reference } from './expressions.ts'
import { emit } from './tree/emit.ts'
import { joinConditions } from './tree/join-conditions.ts'
import { addOptionalFields, memberNode } from './optional-fields.ts'
import { type Exclusion, componentsFor, exclusions } from './interactions.ts'
import { mergeVariants, presenceOf, type Variant } from './tree/merge-variants.ts'
import { allOf, type Condition, entry, not, type TemplateNode, toNode } from './tree/nodes.ts'
import { type PlainManifest, plainManifests } from './plain-manifests.ts'

export interface ChartSources {
  /**
   * Kustomize builds from which the templates of the Helm chart are generated: of the base, of the
   * base with each single component, and of the overlays.
   */
  builds: readonly Build[]
  /** Folder of the Kubernetes manifests. */
  folder: string
  secrets: SecretNames
}

/**
 * Manifest of the Helm chart and its variants. Each variant is the content in one kustomize build:
 * of the base, or of a component.
 */
interface Variants {
  first: PlainManifest
  variants: Variant[]
  /** Helm template condition of the component that adds the manifest with its service. */
  condition?: Condition
}

type Collected = Map<string, Variants>
type ConditionedBuild = [Condition | undefined, readonly PlainManifest[]]

const keyOf = (manifest: PlainManifest) => `${manifest.kind} ${boundName(manifest)}`

/** Templates of the Helm chart, by file name below `templates/`. */
export function chartTemplates({ builds, folder, secrets }: ChartSources): Map<string, string> {
  const plain = (name: string) => plainManifests(findBuild(builds, name), folder)
  const sources: ConditionedBuild[] = [
    [undefined, plain('base')],
    ...componentsOf(builds).map((name): ConditionedBuild => [
      isOn(name),
      plain(`components/${name}`),
    ]),
  ]
  const collected = new Map([...collect(sources), ...collectServices(builds, plain)])
  const files = new Map<string, string>()
  const add = (file: string, text: string) => files.set(file, `${files.get(file) ?? ''}${text}`)
  for (const each of collected.values())
    add(each.first.file, templateOf(each, { collected, secrets }))
  for (const manifest of overlayManifests(builds, folder, collected)) {
    const components = componentsFor(manifest)
    const node = toNode(bindValues(manifest, secrets).content)
    const file = `components/${components[0]}/${components[1]}.yaml`
    add(file, documentOf(node, allOf(...components.map(isOn))))
  }
  return new Map([...files].map(([file, text]) => [file, joinConditions(text)]))
}

/** Manifests that exist in overlays, but neither in the base nor in a component. */
function overlayManifests(
  builds: readonly Build[],
  folder: string,
  collected: Collected,
): PlainManifest[] {
  const manifests = builds
    .filter(({ name }) => name.startsWith('overlays/'))
    .flatMap((build) => plainManifests(build, folder))
  const added = manifests.filter((manifest) => !collected.has(keyOf(manifest)))
  return [...new Map(added.map((manifest) => [keyOf(manifest), manifest])).values()]
}

function collect(sources: readonly ConditionedBuild[]): Collected {
  const collected: Collected = new Map()
  for (const [, manifests] of sources)
    for (const manifest of manifests)
      if (!collected.has(keyOf(manifest)))
        collected.set(keyOf(manifest), { first: manifest, variants: [] })
  for (const [key, { variants }] of collected)
    for (const [condition, manifests] of sources) {
      const value = manifests.find((manifest) => keyOf(manifest) === key)?.content
      variants.push({ ...(condition !== undefined && { condition }), value })
    }
  return collected
}

/**
 * Manifests of services that a component adds. Other components may change these manifests, as they
 * change the manifests of the base.
 */
function collectServices(
  builds: readonly Build[],
  plain: (name: string) => PlainManifest[],
): Collected {
  const components = componentsOf(builds)
  const isBuilt = (name: string) => builds.some((build) => build.name === name)
  const base = new Set(plain('base').map(keyOf))
  const collected: Collected = new Map()
  for (const service of components) {
    const pairs = components.filter((other) => isBuilt(pairName(service, other)))
    if (pairs.length === 0) continue
    const own = plain(`components/${service}`).filter((manifest) => !base.has(keyOf(manifest)))
    const keys = new Set(own.map(keyOf))
    const variants = collect([
      [undefined, own],
      ...pairs.map((other): ConditionedBuild => [
        isOn(other),
        plain(pairName(service, other)).filter((manifest) => keys.has(keyOf(manifest))),
      ]),
    ])
    for (const [key, each] of variants) collected.set(key, { ...each, condition: isOn(service) })
  }
  return collected
}

interface Context {
  collected: Collected
  secrets: SecretNames
}

function templateOf({ first, variants, condition: service }: Variants, context: Context): string {
  const bound = variants.map((variant) =>
    variant.value === undefined
      ? variant
      : { ...variant, value: contentOf({ ...first, content: variant.value as object }, context) },
  )
  const condition = presenceOf(bound)
  const [{ node } = { node: toNode({}) }] = mergeVariants(
    bound.filter(({ value }) => value !== undefined),
  )
  if (first.kind === 'ConfigMap') setMember(node, ['data'], configurationNode(first.name, variants))
  if (first.kind === 'Job') addHooks(node)
  addOptionalFields(node, first)
  const unless = exclusions.filter(({ kind, name }) => kind === first.kind && name === first.name)
  for (const exclusion of unless) excludeItem(node, exclusion)
  const needless = unless.filter(({ item }) => !item).map((each) => not(isOn(each.unless)))
  const wanted = switches.filter(({ kind }) => kind === first.kind)
  const ifWanted = wanted.map(({ value }) => reference(value))
  return documentOf(node, allOf(service, condition, ...needless, ...ifWanted))
}

function documentOf(node: TemplateNode, condition: Condition | undefined): string {
  const text = `---\n${emit(node)}`
  return condition === undefined ? text : `{{- if ${condition} }}\n${text}{{- end }}\n`
}

/**
 * Content of a manifest in which template expressions replace the fields that depend on values of
 * the Helm chart. ConfigMaps have no data.
 */
function contentOf(
  manifest: Omit<PlainManifest, 'content'> & { content: object },
  { collected, secrets }: Context,
): unknown {
  const content = manifest.content as Record<string, unknown>
  const bound = bindValues({ ...manifest, content }, secrets).content
  if (manifest.kind === 'ConfigMap') return { ...bound, data: {} }
  return manifest.kind === 'Deployment' ? withChecksum(bound, collected) : bound
}

interface PodContent {
  metadata: { annotations?: object }
  spec: { containers: { envFrom?: { configMapRef?: { name: string } }[] }[] }
}

function withChecksum(content: Record<string, unknown>, collected: Collected): unknown {
  const spec = content['spec'] as { template: PodContent }
  const { metadata, spec: pod } = spec.template
  const names = pod.containers
    .flatMap(({ envFrom = [] }) => envFrom.flatMap(({ configMapRef }) => configMapRef?.name ?? []))
    .concat('posthorn-ca')
  const flags = names.flatMap((name) => flagsOf(collected.get(`ConfigMap ${name}`)?.variants ?? []))
  const annotations = {
    ...metadata.annotations,
    'checksum/configuration': checksum(names, [...new Set(flags)]),
  }
  const template = { ...spec.template, metadata: { ...metadata, annotations } }
  return { ...content, spec: { ...spec, template } }
}

/** Template conditions of those components that change the data of a ConfigMap. */
function flagsOf([base, ...others]: readonly Variant[]): Condition[] {
  const text = (variant?: Variant) =>
    JSON.stringify(dataOf({ content: (variant?.value ?? {}) as Record<string, unknown> }))
  return others
    .filter((variant) => variant.value !== undefined && text(variant) !== text(base))
    .flatMap(({ condition }) => condition ?? [])
}

/**
 * Adds annotations to a Job, which make the Job a Helm hook that runs before an upgrade. At the
 * first installation the Job is no hook: a hook would run before the chart has created secrets and
 * databases.
 */
function addHooks(node: TemplateNode): void {
  const annotations = memberNode(memberNode(node, 'metadata'), 'annotations')
  if (annotations?.kind !== 'map') throw new Error('a Job has no annotations for Argo CD')
  const hooks = {
    'helm.sh/hook': 'pre-upgrade',
    'helm.sh/hook-delete-policy': 'before-hook-creation',
    'helm.sh/hook-weight': '-1',
  }
  for (const [key, value] of Object.entries(hooks))
    annotations.entries.push({
      key,
      alternatives: [{ condition: 'not $.Release.IsInstall', node: toNode(value) }],
    })
}

function excludeItem(node: TemplateNode, { unless, item }: Exclusion): void {
  if (!item) return
  const list = item.path.reduce<TemplateNode | undefined>(memberNode, node)
  const items = list?.kind === 'list' ? list.items : []
  const excluded = items.find((each) => {
    const key = memberNode(each.node, 'secretKey')
    return key?.kind === 'scalar' && key.value === item.secretKey
  })
  if (!excluded) throw new Error(`${item.path.join('.')} has no item ${item.secretKey}`)
  excluded.condition = not(isOn(unless))
}

function setMember(node: TemplateNode, [key = '']: readonly string[], value: TemplateNode): void {
  if (node.kind !== 'map') return
  const index = node.entries.findIndex((each) => each.key === key)
  node.entries.splice(index < 0 ? node.entries.length : index, index < 0 ? 0 : 1, entry(key, value))
}
