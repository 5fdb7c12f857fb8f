import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fetchDebianPackages, triplet } from '@posthorn/local/debian-packages'
import { checkout } from '@posthorn/local/paths'
import { serviceNames } from '@posthorn/local/role-passwords'
import { parse } from 'yaml'

/**
 * Environment of each service as in the containers: `NODE_OPTIONS`, and the variables of the
 * image's memory allocator.
 */
export async function containerOptions(): Promise<Record<string, Record<string, string>>> {
  const text = readFileSync(join(checkout, 'deploy/compose.yaml'), 'utf8')
  const { services } = parse(text, { merge: true }) as {
    services: Record<string, { environment: Record<string, string> }>
  }
  const allocator = await readAllocator()
  return Object.fromEntries(
    serviceNames.map((name) => [
      name,
      { NODE_OPTIONS: services[name]?.environment['NODE_OPTIONS'] ?? '', ...allocator },
    ]),
  )
}

/**
 * Reads the variables of the image's memory allocator from the Dockerfile. Uses the allocator's
 * library for this machine.
 */
async function readAllocator(): Promise<Record<string, string>> {
  const image = readFileSync(join(checkout, 'deploy/Dockerfile'), 'utf8')
  const [, options] = /\bMALLOC_CONF=(\S+)/.exec(image) ?? []
  const [, library] = /\bLD_PRELOAD=(\S+)/.exec(image) ?? []
  if (!options || !library) throw new Error('deploy/Dockerfile sets no allocator')
  const root = await fetchDebianPackages({
    dir: join(checkout, '.local/jemalloc'),
    suite: 'bookworm',
    packages: ['libjemalloc2'],
    dependencies: /^$/,
  })
  return { LD_PRELOAD: join(root, 'usr/lib', triplet, library), MALLOC_CONF: options }
}
