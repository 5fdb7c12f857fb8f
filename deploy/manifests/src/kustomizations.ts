import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { type Build, type Manifest, valuesAt } from './build.ts'
import type { Path } from './schema/path.ts'
import { parseYaml } from './yaml.ts'

/**
 * Fields of a kustomization that contain file paths. The paths in `files` may have the form
 * `key=path`.
 */
const pathFields = [
  'resources[]',
  'components[]',
  'patches[].path',
  'configMapGenerator[].envs[]',
  'configMapGenerator[].files[]',
  'secretGenerator[].envs[]',
  'secretGenerator[].files[]',
]

interface Target {
  kind?: string
  name?: string
}

/**
 * Finds file paths in kustomizations that do not exist, and patches that match no object of any
 * kustomize build. kustomize itself ignores such patches. Returns one line per fault, with paths
 * relative to `root`.
 */
export function checkKustomizations(
  folder: string,
  builds: readonly Build[],
  root: string,
): string[] {
  const manifests = builds.flatMap((build) => build.manifests)
  return globSync('**/kustomization.yaml', { cwd: folder }).flatMap((name) => {
    const file = join(folder, name)
    return parseYaml(readFileSync(file, 'utf8')).flatMap((document) => {
      const missing = missingPaths(document.content, dirname(file))
      return [...missing, ...unusedPatches(document.content, manifests)].map(
        ({ path, text }) => `${relative(root, file)}:${document.lineOf(path).line}: ${text}`,
      )
    })
  })
}

function missingPaths(content: unknown, folder: string): { path: Path; text: string }[] {
  return pathFields
    .flatMap((pattern) => valuesAt(content, pattern))
    .map(({ path, value }) => ({ path, name: String(value).replace(/^[\w.-]+=/, '') }))
    .filter(({ name }) => !name.includes('://') && !existsSync(join(folder, name)))
    .map(({ path, name }) => ({ path, text: `${name} does not exist` }))
}

function unusedPatches(
  content: unknown,
  manifests: readonly Manifest[],
): { path: Path; text: string }[] {
  return valuesAt(content, 'patches[].target')
    .map(({ path, value }) => ({ path, target: value as Target }))
    .filter(({ target }) => !manifests.some((manifest) => isTarget(manifest, target)))
    .map(({ path, target }) => ({
      path,
      text: `the patch is for ${[target.kind, target.name].filter(Boolean).join(' ')}, which does not exist`,
    }))
}

/**
 * True if a kustomize patch applies to a manifest. A name in the target of a patch is a regular
 * expression, which must match the whole name of the manifest.
 */
function isTarget(manifest: Manifest, { kind, name }: Target): boolean {
  const hasName = name === undefined || new RegExp(`^(?:${name})$`).test(manifest.name)
  return hasName && (kind === undefined || kind === manifest.kind)
}
