import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const source = join(import.meta.dirname, '../..')
const root = join(source, '../..')

interface Manifest {
  name: string
  description: string
  type: string
  sideEffects: boolean
  exports: Record<string, string>
}

/**
 * Builds the npm package of the API client, with JavaScript and declarations, into a folder.
 * Returns the path of the packed file.
 */
export function buildPackage(folder: string): string {
  const contents = join(folder, 'package')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(contents, { recursive: true })
  const outDir = join(contents, 'dist')
  const project = join(source, 'tsconfig.package.json')
  run(join(root, 'node_modules/.bin/tsc'), ['-p', project, '--outDir', outDir], source)
  copyFileSync(join(source, 'README.md'), join(contents, 'README.md'))
  const manifest = publishedManifest()
  writeFileSync(join(contents, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
  run('npm', ['pack', '--silent', '--pack-destination', folder], contents)
  return join(folder, `posthorn-client-${manifest.version}.tgz`)
}

/** Manifest of the published npm package: its entry points are the compiled files. */
function publishedManifest() {
  const { exports, ...manifest } = readManifest(source) as Manifest
  const { name, description, type, sideEffects } = manifest
  const { version } = readManifest(root) as { version: string }
  const entries = Object.entries(exports).map(([entry, path]) => {
    const compiled = path.replace('./src/', './dist/')
    return [
      entry,
      { types: compiled.replace(/\.ts$/, '.d.ts'), default: compiled.replace(/\.ts$/, '.js') },
    ]
  })
  return {
    name,
    version,
    description,
    license: 'UNLICENSED',
    type,
    sideEffects,
    engines: { node: '>=20' },
    exports: Object.fromEntries(entries) as Record<string, object>,
    files: ['dist'],
  }
}

function readManifest(folder: string): unknown {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

function run(command: string, args: readonly string[], cwd: string): void {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (status === 0) return
  const reason = error?.message ?? `${stdout}${stderr}`
  throw new Error(`${command} ${args.join(' ')} failed: ${reason}`)
}
