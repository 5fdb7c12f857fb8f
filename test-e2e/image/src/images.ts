import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkout } from '@posthorn/local/paths'
import { type Bases, serversBase } from './bases.ts'
import { docker, pipeline } from './docker.ts'

const context = (folder: string) => join(checkout, 'test-e2e/image', folder)

/** Labels of the image that the build sets. */
export interface ImageVersion {
  version: string
  revision: string
}

/** Builds the image with Postgres and RabbitMQ for the tests. */
export async function buildServers(tag: string): Promise<void> {
  const base = ['--build-arg', `BASE=${serversBase}`]
  await docker('build', '--network=host', ...base, '-t', tag, context('servers'))
}

export interface ImageBuild extends ImageVersion {
  tag: string
  bases: Bases
  /** False to repeat all steps of `deploy/Dockerfile` without the cache. */
  cache: boolean
}

/** Builds the image of all processes as `make image` does. */
export async function buildImage({ tag, bases, cache, ...version }: ImageBuild): Promise<void> {
  const values = { ...bases, VERSION: version.version, REVISION: version.revision }
  const args = Object.entries(values).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`])
  const options = ['--network=host', ...(cache ? [] : ['--no-cache'])]
  const file = join(checkout, 'deploy/Dockerfile')
  await docker('build', ...options, ...args, '-f', file, '-t', tag, checkout)
}

/** Reads the version of the project and the commit of the checkout. */
export async function readVersion(): Promise<ImageVersion> {
  const manifest = readFileSync(join(checkout, 'package.json'), 'utf8')
  const { version } = JSON.parse(manifest) as { version: string }
  const revision = await pipeline('git -C "$1" rev-parse HEAD', checkout).catch(() => 'unknown')
  return { version, revision }
}
