import { createHash } from 'node:crypto'
import {
  cpSync,
  globSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { checkout } from '@posthorn/local/paths'
import { docker, pipeline } from './docker.ts'

/** Names of the base images that `deploy/Dockerfile` starts from. */
export interface Bases {
  BASE: string
  BUILDER: string
}

/**
 * Text that stands for the credentials of a package registry. The text is part of the builder
 * image, and must not be in any layer of the image.
 */
export const registryCanary = 'CanaryOfTheRegistry8d1f6e0b'

/** Debian release on which the image of the services is based. */
const imageSuite = 'trixie'

/** Debian release that contains the oldest supported versions of Postgres and RabbitMQ. */
const serversSuite = 'bookworm'

/** Name of the base image of the test image with Postgres and RabbitMQ. */
export const serversBase = 'posthorn-test/servers-base'

/** Documentation folders of Debian packages that are left out, as in the official slim images. */
const excluded = ['doc', 'groff', 'info', 'linda', 'lintian', 'locale', 'man']
const bootstrapOptions = [
  '--quiet',
  '--variant=apt',
  // Creates links such as /bin at the start of the Debian installation, so that no package needs
  // perl to create them.
  '--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr',
  '--include=usr-is-merged',
  '--dpkgopt=force-unsafe-io',
  ...excluded.map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`),
  '--dpkgopt=path-include=/usr/share/doc/*/copyright',
]

/**
 * Names of the base images. On a private container engine, these are the default names without
 * digests, which only images of a registry have. A shared engine gets other names, because it may
 * already have images with the default names.
 */
export function namesOfBases(isPrivate: boolean): Bases {
  if (!isPrivate) return { BASE: 'posthorn-test/base', BUILDER: 'posthorn-test/builder' }
  const dockerfile = readFileSync(join(checkout, 'deploy/Dockerfile'), 'utf8')
  const nameOf = (argument: string) =>
    new RegExp(`^ARG ${argument}=([^\\s@]+)`, 'm').exec(dockerfile)?.[1] ?? argument
  return { BASE: nameOf('BASE'), BUILDER: nameOf('BUILDER') }
}

/**
 * Creates the base images from Debian packages. The builder image consists of the base image, the
 * Node of the dependencies and the npm of this machine. All created images stay in the engine until
 * their recipe changes.
 */
export async function makeBases(bases: Bases, dir: string): Promise<void> {
  await makeBase(serversBase, serversSuite)
  const recipe = await makeBase(bases.BASE, imageSuite)
  await makeBuilder(bases, { recipe, context: join(dir, 'builder') })
}

/**
 * Creates a base image from a Debian release, unless the base image exists. Returns the hash of its
 * recipe.
 */
async function makeBase(name: string, suite: string): Promise<string> {
  const mirror = debianMirror()
  const recipe = hashOf(suite, mirror, ...bootstrapOptions)
  if ((await recipeOf(name)) !== recipe)
    await pipeline(
      'mmdebstrap "${@:3}" | docker import --change "LABEL posthorn.recipe=$2" - "$1"',
      name,
      recipe,
      ...bootstrapOptions,
      suite,
      '-',
      mirror,
    )
  return recipe
}

async function makeBuilder(bases: Bases, base: { recipe: string; context: string }): Promise<void> {
  const { context } = base
  const node = realpathSync(join(checkout, 'node_modules/.bin/node'))
  const program = realpathSync(await pipeline('command -v npm'))
  const registry = await pipeline('npm config get registry')
  const certificates = readIfExists(
    process.env['NODE_EXTRA_CA_CERTS'] ?? '/etc/ssl/certs/ca-certificates.crt',
  )
  const settings = registrySettings(registry, readIfExists(join(homedir(), '.npmrc')))
  const recipe = hashOf(base.recipe, node, program, certificates, settings, builderFile)
  if ((await recipeOf(bases.BUILDER)) === recipe) return
  rmSync(context, { recursive: true, force: true })
  mkdirSync(context, { recursive: true, mode: 0o700 })
  cpSync(node, join(context, 'node'))
  cpSync(dirname(dirname(program)), join(context, 'npm'), { recursive: true, dereference: true })
  writeFileSync(join(context, 'ca-certificates.crt'), certificates)
  writeFileSync(join(context, 'npmrc'), settings, { mode: 0o600 })
  writeFileSync(join(context, 'Dockerfile'), builderFile)
  const labels = ['--label', `posthorn.recipe=${recipe}`]
  await docker(
    'build',
    '--build-arg',
    `BASE=${bases.BASE}`,
    ...labels,
    '-t',
    bases.BUILDER,
    context,
  )
  rmSync(context, { recursive: true, force: true })
}

const builderFile = `ARG BASE
FROM $BASE
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
COPY ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY npmrc /root/.npmrc
RUN cd /usr/local/bin && for name in npm npx; do ln -s ../lib/node_modules/npm/bin/$name-cli.js $name; done
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
`

/**
 * Settings of npm: the registry and its credentials from the settings of this machine's user, and
 * the canary text as a further credential.
 */
export function registrySettings(registry: string, npmrc: string): string {
  const lines = npmrc.split('\n').filter((line) => /^(@[^:]+:registry|\/\/)/.test(line))
  const canary = `//registry.canary.test/:_authToken=${registryCanary}`
  return [`registry=${registry}`, ...lines, canary, ''].join('\n')
}

/** Debian mirror that apt uses on this machine, otherwise the mirror of Debian. */
function debianMirror(): string {
  const files = globSync(['/etc/apt/sources.list', '/etc/apt/sources.list.d/*.{sources,list}'])
  const text = files.map((file) => readFileSync(file, 'utf8')).join('\n')
  const mirror = /^(?:URIs: *|deb (?:\[[^\]]*\] )?)(\S+\/debian)\/?(?= |$)/m.exec(text)?.[1]
  return mirror ?? 'http://deb.debian.org/debian'
}

async function recipeOf(image: string): Promise<string | undefined> {
  const format = '{{index .Config.Labels "posthorn.recipe"}}'
  return docker('image', 'inspect', '--format', format, image).catch(() => undefined)
}

function hashOf(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

function readIfExists(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
