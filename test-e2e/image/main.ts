import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkout } from '@posthorn/local/paths'
import { canStartRyuk } from '@posthorn/testkit/containers'
import { reportSkip } from '@posthorn/testkit/required-tests'
import { makeBases, namesOfBases } from './src/bases.ts'
import { docker, pipeline } from './src/docker.ts'
import { type Engine, EngineUnavailableError, openEngine } from './src/engine.ts'
import { buildImage, buildServers, readVersion } from './src/images.ts'
import type { TestImages } from './src/test-images.ts'

// `make test-image` builds the image of all processes and tests the image in containers. With
// TEST_IMAGE=full, the command builds the image again without the cache and compares the layers.
// Without a container engine it prints the reason and exits with 0, or with 1 if
// POSTHORN_REQUIRE_TESTS contains `image`.
const folder = join(checkout, '.local/test-image')
const began = performance.now()
const report = (line: string) =>
  void process.stdout.write(
    `${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${line}\n`,
  )

try {
  await using engine = await openEngine(join(folder, 'engine'))
  process.env['DOCKER_HOST'] = engine.host
  process.env['TESTCONTAINERS_HOST_OVERRIDE'] = '127.0.0.1'
  report(engine.isPrivate ? 'started a private engine' : `using the engine at ${engine.host}`)
  const images = await build(engine)
  process.exitCode = await runTests(engine, images)
  await docker(
    'rmi',
    '--force',
    images.image,
    ...(images.again === undefined ? [] : [images.again]),
  )
  // Deletes build stages of images, which have no name, and images and containers that killed test
  // runs left behind.
  if (engine.isPrivate) await docker('system', 'prune', '--force')
} catch (error) {
  if (!(error instanceof EngineUnavailableError)) throw error
  reportSkip('image', error.message)
}

/** Creates the base images and builds the images under test. */
async function build(engine: Engine): Promise<TestImages> {
  const bases = namesOfBases(engine.isPrivate)
  await makeBases(bases, folder)
  report(`bases are ready: ${bases.BASE}, ${bases.BUILDER}`)
  await docker('run', '--rm', '--network=none', '--read-only', '--memory=64m', bases.BASE, 'true')
    // A container engine that cannot start a container, for example without the right to mount,
    // counts as unavailable.
    .catch((cause: Error) => {
      throw new EngineUnavailableError(`the engine starts no container: ${cause.message}`, {
        cause,
      })
    })
  const images = {
    image: 'posthorn-test/image',
    ...(process.env['TEST_IMAGE'] === 'full' && { again: 'posthorn-test/image-again' }),
    servers: 'posthorn-test/servers',
    builder: bases.BUILDER,
    registryHost: new URL(await pipeline('npm config get registry')).host,
    secrets: createSecrets(),
    ...(await readVersion()),
  }
  await Promise.all([
    buildServers(images.servers),
    buildImage({ ...images, tag: images.image, bases, cache: true }),
  ])
  report('images are built')
  if (images.again !== undefined) {
    await buildImage({ ...images, tag: images.again, bases, cache: false })
    report('the image is built again, without the cache')
  }
  return images
}

/**
 * Creates secrets for the system in containers. The file with the secrets is in the checkout while
 * the image is built.
 */
function createSecrets(): TestImages['secrets'] {
  const create = () => randomBytes(24).toString('hex')
  const secrets = {
    postgres: create(),
    rabbitmq: create(),
    secret: create(),
    token: randomBytes(32).toString('hex'),
    serviceSecret: create(),
  }
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'secrets.json'), JSON.stringify(secrets), { mode: 0o600 })
  return secrets
}

async function runTests(engine: Engine, images: TestImages): Promise<number> {
  const hasRyuk = !engine.isPrivate && (await canStartRyuk())
  const jest = ['node_modules/jest/bin/jest.js', '--config', 'libs/tooling/jest.config.js']
  const tests = spawn('node', [...jest, '--selectProjects', 'image', '--maxWorkers=2'], {
    cwd: checkout,
    stdio: 'inherit',
    env: {
      ...process.env,
      TESTCONTAINERS_RYUK_DISABLED: String(!hasRyuk),
      TEST_IMAGES: JSON.stringify(images),
    },
  })
  const [code] = (await once(tests, 'exit')) as [number | null]
  report('tests have ended')
  return code ?? 1
}
