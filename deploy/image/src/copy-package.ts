import { cpSync, existsSync, readFileSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join, relative } from 'node:path'

interface Manifest {
  version: string
  dependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

/**
 * Pattern of paths in npm packages that are not copied, because no process of the container image
 * reads these files.
 */
const unused = /\.(map|md|markdown|ts|mts|cts|test\.[cm]?js)$|^(node_modules|test|tests|\.github)$/

/**
 * Copies the npm package `from` and its dependencies to `root/node_modules`. If `root` already has
 * another version of a dependency, the dependency is installed below the package that needs it.
 */
export function copyPackage(name: string, from: string, root: string): void {
  copyFolder(findPackage(name, from), name, { root, parent: root })
}

function copyFolder(source: string, name: string, target: { root: string; parent: string }): void {
  const { root, parent } = target
  const manifest = readManifest(source)
  const top = join(root, 'node_modules', name)
  const isElsewhere = existsSync(top) && readManifest(top).version !== manifest.version
  const folder = isElsewhere ? join(parent, 'node_modules', name) : top
  if (existsSync(folder)) return
  cpSync(source, folder, {
    recursive: true,
    filter: (path) => !unused.test(basename(relative(source, path))),
  })
  for (const dependency of dependenciesOf(manifest))
    copyFolder(findPackage(dependency, source), dependency, { root, parent: folder })
}

function dependenciesOf(manifest: Manifest): string[] {
  const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifest
  const isRequired = (name: string) => peerDependenciesMeta[name]?.optional !== true
  return [...Object.keys(dependencies), ...Object.keys(peerDependencies).filter(isRequired)]
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

/**
 * Folder of an installed npm package. The folder is found without resolving package.json, because
 * not every package exports package.json.
 */
function findPackage(name: string, from: string): string {
  const folders = createRequire(join(from, 'package.json')).resolve.paths(name) ?? []
  const link = folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
  if (link === undefined) throw new Error(`package ${name} of ${from} is not installed`)
  return realpathSync(link)
}
