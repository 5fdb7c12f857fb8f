import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Manifest {
  name: string
  version: string
  license?: string
}

/** Third-party package that is part of the bundle of the container image. */
export interface ThirdParty extends Manifest {
  /** Texts of the licence files that a third-party npm package contains. */
  texts: string[]
}

/**
 * Lists the third-party packages to which files below `node_modules` belong, by name and version.
 * Files of this repository are ignored.
 */
export function findThirdParties(files: Iterable<string>): ThirdParty[] {
  const folders = new Set<string>()
  for (const file of files) {
    const folder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/@]+(?=\/)/.exec(file)?.[0]
    if (folder !== undefined && existsSync(join(folder, 'package.json'))) folders.add(folder)
  }
  return mergePackages([...folders].map(readPackage))
}

/** Merges lists of third-party packages, sorted by name and version, each of them once. */
export function mergePackages(...lists: readonly ThirdParty[][]): ThirdParty[] {
  const keyOf = ({ name, version }: Manifest) => `${name}@${version}`
  return [...new Map(lists.flat().map((entry) => [keyOf(entry), entry])).values()].toSorted(
    (a, b) => (keyOf(a) < keyOf(b) ? -1 : 1),
  )
}

function readPackage(folder: string): ThirdParty {
  const text = readFileSync(join(folder, 'package.json'), 'utf8')
  const { name, version, license } = JSON.parse(text) as Manifest
  const texts = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && /^(licen[cs]e|copying|notice)/i.test(entry.name))
    .map((entry) => readFileSync(join(folder, entry.name), 'utf8').trim())
  return { name, version, ...(typeof license === 'string' ? { license } : {}), texts }
}

/** Licence texts of all third-party packages, which a distribution of the bundle has to contain. */
export function licenceTexts(packages: readonly ThirdParty[]): string {
  return packages
    .map(({ name, version, license = 'see below', texts }) =>
      [`${name} ${version}: ${license}`, ...texts].join('\n\n'),
    )
    .join(`\n\n${'-'.repeat(80)}\n\n`)
    .concat('\n')
}
