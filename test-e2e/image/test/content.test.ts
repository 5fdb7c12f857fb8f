import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { checkout } from '@posthorn/local/paths'
import { registryCanary } from '../src/bases.ts'
import { listDevelopmentPackages } from '../src/development-packages.ts'
import { docker } from '../src/docker.ts'
import { findForbiddenFiles } from '../src/file-rules.ts'
import { type ImageFile, listFiles } from '../src/files.ts'
import {
  compressedBytes,
  copiedLayers,
  findPrivateKeys,
  findSecrets,
  type SavedImage,
  saveImage,
} from '../src/layers.ts'
import { readTestImages } from '../src/test-images.ts'

const images = readTestImages()
/**
 * Maximum bytes of the bundle with source maps. The documentation site takes 11 MB of the bundle,
 * the administration pages take 3 MB.
 */
const maxBundleBytes = 45e6
const developmentPackages = listDevelopmentPackages(checkout)
const figures: string[] = []
let saved: SavedImage
let files: ImageFile[]

beforeAll(async () => {
  saved = await saveImage(images.image, join(checkout, '.local/test-image/saved'))
  files = await listFiles(images.image)
})
afterAll(() => void process.stdout.write(`${figures.join('\n')}\n`))

function reportSize(what: string, bytes: number, maxBytes: number): void {
  const inMegabytes = (value: number) => `${(value / 1e6).toFixed(1)} MB`
  figures.push(
    `${what.padEnd(32)}${inMegabytes(bytes).padStart(9)}   at most ${inMegabytes(maxBytes)}`,
  )
}

test('files: no set-uid file, package manager, compiler, test or development package', () => {
  expect(files.some(({ path }) => path === 'posthorn/posthorn.js')).toBe(true)
  expect(findForbiddenFiles(files, developmentPackages)).toEqual([])
})

test('layers, configuration and history: contain no secret of the builder or of the checkout', async () => {
  const inBuilder = ['run', '--rm', '--network=none', '--entrypoint=cat', images.builder]
  expect(await docker(...inBuilder, '/root/.npmrc')).toContain(registryCanary)
  const secrets = {
    ...images.secrets,
    registryCanary,
    // The public npm registry is no secret: packages and their licences name this registry.
    ...(images.registryHost === 'registry.npmjs.org' ? {} : { registry: images.registryHost }),
  }
  expect(findSecrets(saved.files, secrets)).toEqual([])
  // Only copied layers are searched, because libraries of the base image contain keys of their
  // self-tests.
  expect(findPrivateKeys(copiedLayers(saved).map(({ file }) => file))).toEqual([])
})

test('configuration: numeric user, no shell in between, no variable but the documented ones', async () => {
  const { User, Env, Entrypoint } = await inspectConfig()
  expect([User, Entrypoint]).toEqual(['1000:1000', ['posthorn']])
  expect(new Set(Env.map((variable) => variable.split('=')[0]))).toEqual(
    new Set(['LD_PRELOAD', 'MALLOC_CONF', 'NODE_ENV', 'PATH', 'SVC_HOST', 'SVC_PORT']),
  )
})

test('allocator: processes use jemalloc', async () => {
  const run = ['run', '--rm', '--network=none', '--read-only', '--entrypoint=cat', images.image]
  expect(await docker(...run, '/proc/self/maps')).toMatch(/libjemalloc\.so\.2$/m)
})

test('labels: title, description, version and revision of the build', async () => {
  const { Labels } = await inspectConfig()
  expect(Labels).toMatchObject({
    'org.opencontainers.image.title': 'Posthorn',
    'org.opencontainers.image.description': expect.stringMatching(/./),
    'org.opencontainers.image.version': images.version,
    'org.opencontainers.image.revision': images.revision,
  })
})

test('version: the processes report that of the labels', async () => {
  const run = ['run', '--rm', '--network=none', '--read-only', images.image]
  expect(await docker(...run, '--version')).toBe(`posthorn ${images.version} (${images.revision})`)
})

test('bill of materials: lists the packages of the image and no development package', async () => {
  const run = ['run', '--rm', '--network=none', '--read-only', '--entrypoint=cat', images.image]
  const text = await docker(...run, 'sbom.cdx.json')
  writeFileSync(join(checkout, '.local/image-sbom.cdx.json'), `${text}\n`)
  const { bomFormat, components } = JSON.parse(text) as {
    bomFormat: string
    components: { name: string }[]
  }
  const names = new Set(components.map(({ name }) => name))
  expect(bomFormat).toBe('CycloneDX')
  expect(names).toContain('imapflow')
  expect(names).toContain('node')
  const installed = files.flatMap(
    ({ path }) =>
      /^posthorn\/(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/@]+)\/package\.json$/.exec(path)?.[1] ??
      [],
  )
  expect(installed.length).toBeGreaterThan(10)
  expect(installed.filter((name) => !names.has(name))).toEqual([])
  expect([...names].filter((name) => developmentPackages.has(name))).toEqual([])
})

const { again } = images
const testTwoBuilds = again === undefined ? test.skip : test
testTwoBuilds('two builds: the layers of Node and of the bundle have the same bytes', async () => {
  const copied = copiedLayers(saved).map(({ digest }) => digest)
  const format = '{{json .RootFS.Layers}}'
  const other = JSON.parse(await docker('image', 'inspect', '--format', format, again ?? ''))
  expect(copied).toHaveLength(2)
  expect(other).toEqual(expect.arrayContaining(copied))
})

test('size: image, compressed image and bundle with source maps', async () => {
  const unpacked = saved.layers.reduce((sum, { bytes }) => sum + bytes, 0)
  const parts = await Promise.all(saved.layers.map(({ file }) => compressedBytes(file)))
  const compressed = parts.reduce((sum, bytes) => sum + bytes, 0)
  const bundle = copiedLayers(saved).at(-1)?.bytes ?? 0
  reportSize('image, unpacked', unpacked, 250e6)
  reportSize('image, compressed', compressed, 100e6)
  reportSize('our layer, with source maps', bundle, maxBundleBytes)
  reportSize('  for comparison: Node', copiedLayers(saved)[0]?.bytes ?? 0, 130e6)
  expect(unpacked).toBeLessThan(250e6)
  expect(compressed).toBeLessThan(100e6)
  expect(bundle).toBeLessThan(maxBundleBytes)
})

interface ImageConfig {
  User: string
  Env: string[]
  Entrypoint: string[]
  Labels: Record<string, string>
}

async function inspectConfig(): Promise<ImageConfig> {
  const text = await docker('image', 'inspect', '--format', '{{json .Config}}', images.image)
  return JSON.parse(text) as ImageConfig
}
