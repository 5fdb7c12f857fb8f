import type { ImageVersion } from './images.ts'

/** Input of the image tests: the built images, and secrets that were created before the build. */
export interface TestImages extends ImageVersion {
  image: string
  /** Name of the image of a second build without the cache. Absent if there was one build. */
  again?: string
  servers: string
  builder: string
  /** Host name of the package registry. */
  registryHost: string
  secrets: Record<'postgres' | 'rabbitmq' | 'secret' | 'token' | 'serviceSecret', string>
}

/** Reads the input that `make test-image` passes to the tests in TEST_IMAGES. */
export function readTestImages(): TestImages {
  const text = process.env['TEST_IMAGES']
  if (text === undefined) throw new Error('TEST_IMAGES is not set, use make test-image')
  return JSON.parse(text) as TestImages
}
