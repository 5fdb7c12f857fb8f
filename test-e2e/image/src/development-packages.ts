import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Manifest {
  name: string
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/** Workspace package from which the image of the services is built. */
const imagePackage = '@posthorn/image'

/**
 * Names of the npm packages that only tests, tools and the build need: all dependencies of the
 * workspace, without the dependencies of the processes in the image.
 */
export function listDevelopmentPackages(root: string): Set<string> {
  const files = globSync(
    ['package.json', '{libs,services,deploy}/*/package.json', 'test-e2e/package.json'],
    {
      cwd: root,
    },
  )
  const manifests = new Map(
    files.map((file) => {
      const manifest = JSON.parse(readFileSync(join(root, file), 'utf8')) as Manifest
      return [manifest.name, manifest]
    }),
  )
  const reachable = new Set<string>()
  const visit = (name: string) => {
    if (reachable.has(name)) return
    reachable.add(name)
    // The package of the bundler depends on packages outside of the workspace for the build only,
    // so these packages are left out.
    const names = Object.keys(manifests.get(name)?.dependencies ?? {})
    for (const next of names) if (name !== imagePackage || manifests.has(next)) visit(next)
  }
  visit(imagePackage)
  const all = [...manifests.values()].flatMap((manifest) => [
    ...Object.keys(manifest.dependencies ?? {}),
    ...Object.keys(manifest.devDependencies ?? {}),
    ...Object.keys(manifest.optionalDependencies ?? {}),
  ])
  return new Set(all.filter((name) => !reachable.has(name)))
}
