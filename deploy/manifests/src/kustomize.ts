import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, delimiter, dirname, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { fetchDebianPackages } from '@posthorn/local/debian-packages'
import type { Build, Labels, Manifest, Origin } from './build.ts'
import { isObject } from './schema/path.ts'
import { parseYaml } from './yaml.ts'

const run = promisify(execFile)

/** Error with the reason why kustomize cannot be used on this machine. */
export class NoKustomize extends Error {}

export interface KustomizeOptions {
  /** Directory for the downloaded packages of kustomize. */
  cache: string
  /** Directories in which programs are searched, in the format of the environment variable PATH. */
  path: string
}

/**
 * Returns the path of the program kustomize: from Debian trixie, downloaded without root, or else
 * the installed program.
 *
 * @throws NoKustomize on machines without apt-get and without kustomize
 */
export async function findKustomize({ cache, path }: KustomizeOptions): Promise<string> {
  const folders = path.split(delimiter)
  const has = (program: string) => folders.some((folder) => existsSync(join(folder, program)))
  if (!has('apt-get')) {
    if (has('kustomize')) return 'kustomize'
    throw new NoKustomize('neither apt-get nor kustomize is installed')
  }
  const root = await fetchDebianPackages({
    dir: join(cache, 'kustomize'),
    suite: 'trixie',
    packages: ['kustomize'],
    dependencies: /^kustomize$/,
  })
  return join(root, 'usr/bin/kustomize')
}

/**
 * Overlay, component or base of the manifests that kustomize can build, with the paths of the
 * resources and components from which it is built.
 */
export interface BuildTarget {
  name: string
  resources: readonly string[]
  components: readonly string[]
}

/**
 * Components that add a service. Other components change the Deployment of the service, so the
 * service is also built together with each other component.
 */
const serviceComponents = ['admin-ui']

/**
 * Name of the build of the base with a component that adds a service and one more component.
 */
export function pairName(service: string, component: string): string {
  return `pairs/${service}/${component}`
}

/**
 * Lists the base, the overlays and the components in a folder of Kubernetes manifests, and the
 * pairs of a component that adds a service and another component. Components are built together
 * with the base.
 */
export function listTargets(folder: string): BuildTarget[] {
  const list = (pattern: string) =>
    globSync(`${pattern}/kustomization.yaml`, { cwd: folder })
      .map((file) => dirname(file))
      .toSorted()
  const base = join(folder, 'base')
  const components = list('components/*')
  const pathOf = (service: string) => join(folder, 'components', service)
  const pairs = serviceComponents
    .filter((service) => components.includes(`components/${service}`))
    .flatMap((service) =>
      components
        .filter((name) => name !== `components/${service}`)
        .map((name) => ({
          name: pairName(service, basename(name)),
          resources: [base],
          components: [pathOf(service), join(folder, name)],
        })),
    )
  return [
    ...list('{base,overlays/*}').map((name) => ({
      name,
      resources: [join(folder, name)],
      components: [],
    })),
    ...components.map((name) => ({
      name,
      resources: [base],
      components: [join(folder, name)],
    })),
    ...pairs,
  ]
}

/**
 * Annotation with the source file of an object. kustomize adds the annotation if a kustomization
 * requests it.
 */
const originAnnotation = 'config.kubernetes.io/origin'

/**
 * Builds the base, an overlay or a component of the manifests with kustomize. The folder `work` is
 * replaced.
 *
 * @throws Error with the error message of kustomize
 */
export async function buildTarget(
  kustomize: string,
  target: BuildTarget,
  work: string,
): Promise<Build> {
  rmSync(work, { recursive: true, force: true })
  mkdirSync(work, { recursive: true })
  const inside = (paths: readonly string[]) => paths.map((path) => relative(work, path))
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: inside(target.resources),
    components: inside(target.components),
    buildMetadata: ['originAnnotations'],
  }
  writeFileSync(join(work, 'kustomization.yaml'), JSON.stringify(kustomization))
  const { stdout } = await run(kustomize, ['build', work], { maxBuffer: 64 * 1024 * 1024 })
  const manifests = parseYaml(stdout).map(({ content }) => toManifest(content, work))
  return { name: target.name, manifests }
}

/**
 * Converts an object that kustomize built to a manifest. Moves the source file from the annotation
 * to `origin`.
 */
export function toManifest(content: unknown, work: string): Manifest {
  if (!isObject(content)) throw new Error('a document is not an object')
  const metadata = isObject(content['metadata']) ? content['metadata'] : {}
  const annotations = isObject(metadata['annotations']) ? metadata['annotations'] : {}
  const origin = parseOrigin(annotations[originAnnotation] as string | undefined, work)
  delete annotations[originAnnotation]
  return {
    apiVersion: String(content['apiVersion']),
    kind: String(content['kind']),
    name: String(metadata['name']),
    labels: (metadata['labels'] ?? {}) as Labels,
    content,
    origin,
  }
}

function parseOrigin(annotation = '', work: string): Origin {
  const origin = parseYaml(annotation)[0]?.content as
    | { path?: string; configuredIn?: string }
    | undefined
  const file = origin?.path ?? origin?.configuredIn ?? 'kustomization.yaml'
  return { file: resolve(work, file), isGenerated: origin?.path === undefined }
}
