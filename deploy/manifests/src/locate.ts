import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { type Manifest, type ManifestFault, valueAt, valuesAt } from './build.ts'
import { isObject, type Path } from './schema/path.ts'
import { parseYaml, type SourceDocument } from './yaml.ts'

/**
 * Locator that finds the file and line of a fault in the source files of manifests. Reads each
 * source file once.
 */
export class Locator {
  readonly #root: string
  readonly #documents = new Map<string, SourceDocument[]>()

  /** Creates a locator whose reported file paths are relative to `root`. */
  constructor(root: string) {
    this.#root = root
  }

  /**
   * Returns `file:line` of a manifest fault. Looks for the faulty field in the manifest's source
   * file, then for the word `token` in `folders` (patches and files of generators). If neither is
   * found, returns the line of the closest existing parent of the field.
   */
  locate({ manifest, path, token }: ManifestFault, folders: readonly string[]): string {
    const { file, isGenerated } = manifest.origin
    const value = valueAt(manifest.content, path)
    const documents = isGenerated ? [] : this.#read(file).filter((each) => isSource(each, manifest))
    const places = documents.map((document) => ({ document, ...document.lineOf(path) }))
    const exact = places.find(
      ({ document, depth }) =>
        depth === path.length && isEqual(valueAt(document.content, path), value),
    )
    if (exact) return this.#format(file, exact.line)
    const all = isGenerated ? [dirname(file), ...folders] : folders
    const generated = isGenerated ? all.flatMap((each) => this.#generatorFiles(each, manifest)) : []
    const match =
      token === undefined ? undefined : search(token, [...generated, ...all.flatMap(filesIn)])
    if (match) return this.#format(match.file, match.line)
    const closest = places.toSorted((a, b) => b.depth - a.depth)[0]
    return this.#format(file, closest?.line ?? 1)
  }

  #read(file: string): SourceDocument[] {
    let documents = this.#documents.get(file)
    if (!documents) {
      documents = parseYaml(readFileSync(file, 'utf8'))
      this.#documents.set(file, documents)
    }
    return documents
  }

  /** Files from which kustomize generates the environment variables of a ConfigMap. */
  #generatorFiles(folder: string, manifest: Manifest): string[] {
    const file = join(folder, 'kustomization.yaml')
    return this.#read(file)
      .flatMap(({ content }) => valuesAt(content, 'configMapGenerator[]'))
      .filter(({ value }) => (value as Generator).name === baseName(manifest))
      .flatMap(({ value }) => (value as Generator).envs ?? [])
      .map((path) => join(folder, path))
  }

  #format(file: string, line: number): string {
    return `${relative(this.#root, file)}:${line}`
  }
}

interface Generator {
  name?: string
  envs?: string[]
}

/** Name of a manifest without the hash suffix that kustomize adds to generated names. */
export function baseName({ name, origin }: Manifest): string {
  return origin.isGenerated ? name.replace(/-[0-9a-z]{10}$/, '') : name
}

function filesIn(folder: string): string[] {
  const files = globSync('**/*.{yaml,env,json}', { cwd: folder }).toSorted()
  return files.map((name) => join(folder, name))
}

/** Finds the first line, in a list of files, that contains the text `token` as a whole word. */
function search(
  token: string,
  files: readonly string[],
): { file: string; line: number } | undefined {
  const word = new RegExp(`(?<![\\w-])${token.replace(/[^\w-]/g, '\\$&')}(?![\\w-])`)
  for (const file of files) {
    const lines = readFileSync(file, 'utf8').split('\n')
    const index = lines.findIndex((line) => word.test(line))
    if (index >= 0) return { file, line: index + 1 }
  }
  return undefined
}

/**
 * True if a YAML document may be the source of a built manifest. The manifest's name may have a
 * different suffix than the name in the document.
 */
function isSource({ content }: SourceDocument, { kind, name }: Manifest): boolean {
  if (!isObject(content) || content['kind'] !== kind) return false
  const sourceName = valueAt(content, ['metadata', 'name'] satisfies Path)
  const stem = String(sourceName).replace(/-[A-Z]+$/, '')
  return name.includes(stem)
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
