import { posix } from 'node:path'
import { type Layer, layersOf } from './layer-list.ts'
import type { SourceFile } from './workspace.ts'

/**
 * Lists the parent folders of source folders for which no layers (allowed directions of imports)
 * are defined.
 */
export function foldersWithoutLayers(sources: readonly Pick<SourceFile, 'path'>[]): string[] {
  const parents = sources.map(({ path }) => posix.dirname(posix.dirname(path)))
  return [...new Set(parents)]
    .filter((folder) => /(?:^|\/)src(?:\/|$)/.test(folder) && layersOf[folder] === undefined)
    .toSorted()
}

/**
 * Lists forbidden imports of source files as `path → import`: imports from a higher layer, or from
 * another folder of the same layer.
 */
export function layerViolations(sources: readonly SourceFile[]): string[] {
  return Object.entries(layersOf).flatMap(([folder, layers]) => {
    const files = sources.filter(({ path }) => path.startsWith(`${folder}/`))
    const ranks = new Ranks(folder, layers, files)
    return files.flatMap((file) =>
      localImports(file)
        .filter((target) => !ranks.permits(file.path, target))
        .map((target) => `${file.path} → ${target}`),
    )
  })
}

/**
 * Ranks of the layers to which the folders and files in a parent folder belong. The highest layer
 * has rank 0.
 */
class Ranks {
  readonly #folder: string
  readonly #layers: readonly Layer[]
  readonly #imports: ReadonlyMap<string, readonly string[]>
  readonly #fileRanks = new Map<string, number>()

  constructor(folder: string, layers: readonly Layer[], files: readonly SourceFile[]) {
    this.#folder = folder
    this.#layers = layers
    this.#imports = new Map(files.map((file) => [file.path, localImports(file)]))
  }

  permits(from: string, target: string): boolean {
    const own = this.#childOf(from)
    const other = this.#childOf(target)
    if (own === undefined || other === undefined || own === other) return true
    // Source files that are directly in the folder with the layers may import from all layers.
    if (isSource(own)) return true
    const rank = this.#rankOf(own)
    return isSource(other) ? this.#rankOf(other) >= rank : this.#rankOf(other) > rank
  }

  /** Name of the source folder or file, directly in the parent folder, to which a path belongs. */
  #childOf(path: string): string | undefined {
    return path.startsWith(`${this.#folder}/`)
      ? path.slice(this.#folder.length + 1).split('/')[0]
      : undefined
  }

  /**
   * Rank of the layer to which a source folder belongs. For a file, rank of the highest layer from
   * which the file imports.
   */
  #rankOf(child: string): number {
    if (!isSource(child)) return this.#layers.findIndex((layer) => layer.includes(child))
    const earlier = this.#fileRanks.get(child)
    if (earlier !== undefined) return earlier
    // ends the recursion in a cycle of source files that import each other
    this.#fileRanks.set(child, Infinity)
    const imports = this.#imports.get(`${this.#folder}/${child}`) ?? []
    const ranks = imports
      .map((path) => this.#childOf(path))
      .filter((name) => name !== undefined)
      .map((name) => this.#rankOf(name))
    const rank = Math.min(Infinity, ...ranks)
    this.#fileRanks.set(child, rank)
    return rank
  }
}

/** True for the name of a source file, false for the name of a folder. */
function isSource(name: string): boolean {
  return /\.tsx?$/.test(name)
}

/** Lists the paths of a source file's relative imports. */
function localImports({ path, imports }: SourceFile): string[] {
  return imports
    .filter((name) => name.startsWith('.'))
    .map((name) => posix.join(posix.dirname(path), name))
}
