import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Folder of an npm package in the path of one of its modules. */
const packageFolder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/@]+(?=\/)/
const licenceFile = /^(?:licen[cs]e|copying|notice)/i

/**
 * Vite plugin that writes `packages.json`: npm packages of which the build contains code, with
 * their licences. The image lists them with its other packages.
 */
export function listPackages() {
  return {
    name: 'list-packages',
    apply: 'build',
    writeBundle({ dir }, bundle) {
      const modules = Object.values(bundle).flatMap((file) => Object.keys(file.modules ?? {}))
      const folders = new Set(modules.flatMap((id) => packageFolder.exec(id)?.[0] ?? []))
      const packages = [...folders].filter((folder) => existsSync(join(folder, 'package.json')))
      const rows = packages.map(readPackage)
      const byName = new Map(rows.map((row) => [`${row.name}@${row.version}`, row]))
      const sorted = [...byName].toSorted(([one], [other]) => (one < other ? -1 : 1))
      const list = sorted.map(([, row]) => row)
      writeFileSync(join(dir, 'packages.json'), `${JSON.stringify(list, null, 2)}\n`)
    },
  }
}

function readPackage(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const texts = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && licenceFile.test(entry.name))
    .map((entry) => readFileSync(join(folder, entry.name), 'utf8').trim())
  return { name, version, ...(typeof license === 'string' && { license }), texts }
}
