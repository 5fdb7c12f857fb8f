import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ImageValues } from '../chart/values/values.ts'

/**
 * Pattern of the line in an overlay that names the example registry. The example registry contains
 * no image.
 */
const example = /^( {4})newName: registry\.example\.com\/posthorn$/gm

/**
 * Copies the Kubernetes manifests to the folder `target`, which is replaced. In the copies, all
 * overlays name the release's container image with its tag and digest.
 *
 * @throws Error if an overlay names another image
 */
export function copyReleaseManifests(folder: string, target: string, image: ImageValues): void {
  rmSync(target, { recursive: true, force: true })
  cpSync(folder, target, { recursive: true })
  const base = readFileSync(join(target, 'base/kustomization.yaml'), 'utf8')
  const tag = /^ {4}newTag: (\S+)$/m.exec(base)?.[1]
  if (tag === undefined) throw new Error('k8s/base/kustomization.yaml has no newTag')
  for (const name of globSync('overlays/*/kustomization.yaml', { cwd: target })) {
    const text = readFileSync(join(target, name), 'utf8')
    const fields = [`newName: ${image.repository}`, `newTag: ${tag}`, `digest: ${image.digest}`]
    const replaced = text.replace(example, (_match, indent: string) =>
      fields.map((field) => `${indent}${field}`).join('\n'),
    )
    if (replaced === text) throw new Error(`k8s/${name} does not name the example's registry`)
    writeFileSync(join(target, name), replaced)
  }
}
